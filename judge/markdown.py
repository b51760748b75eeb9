"""Untrusted text in GitHub Markdown: defused, escaped, and cut to limits. Pure; the one place for these rules.

Everything a bundle, a pull request or a person wrote passes through one of these before it reaches a check or a
comment. ``Markdown`` marks what has passed, so that a table cannot be given raw text by mistake.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NewType
from urllib.parse import urlsplit

Markdown = NewType("Markdown", str)
"""Text that is safe to place in GitHub Markdown."""

TITLE_MAX_CHARS = 255
SUMMARY_MAX_BYTES = 65_535
COMMENT_MAX_BYTES = 65_535
STATUS_DESCRIPTION_MAX_CHARS = 140
ANNOTATION_TITLE_MAX_CHARS = 255
ANNOTATION_MESSAGE_MAX_CHARS = 16_000
"""GitHub takes 64 KB; a character has at most four bytes."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_]?)")
_ALWAYS_ACTIVE = re.compile(r"[\\`*_\[\]()<>#|~&$]")
_ACTIVE_AT_START = re.compile(r"^(?:[-+=:]|\d+(?=[.]))")
_BREAK = "\u200b"  # zero-width space: invisible, and ends a mention, a reference or a bare link


def plain(text: str) -> str:
    """Return ``text`` as one visible line: no ANSI codes, controls, invisible or direction-changing characters.

    For places that are not Markdown: titles, status descriptions, annotation texts.
    """
    return " ".join(_visible(text, keep="").split())


def plain_lines(text: str) -> str:
    """Return ``text`` like ``plain`` but keep its lines and tabs."""
    return "\n".join(line.rstrip() for line in _visible(text, keep="\n\t").split("\n")).strip("\n")


def escape(text: str) -> Markdown:
    """Return ``text`` as one line of Markdown that shows exactly its characters.

    Markdown's active characters become numeric entities, which neither form structure nor end a table cell.
    ``@name``, ``#12``, ``GH-12`` and bare links are found by GitHub after Markdown, so these get an invisible break.
    """
    broken = re.sub(r"([@#])(?=\w)", rf"\1{_BREAK}", plain(text))
    broken = re.sub(r"\b(GH-)(?=\d)", rf"\1{_BREAK}", broken, flags=re.IGNORECASE)
    broken = re.sub(r"(:)(?=//)|\b(www)(?=\.)", lambda match: match.group() + _BREAK, broken, flags=re.IGNORECASE)
    escaped = _ALWAYS_ACTIVE.sub(lambda match: f"&#{ord(match.group())};", broken)
    start = _ACTIVE_AT_START.match(escaped)
    if start and start.group().isdigit():
        escaped = f"{start.group()}&#46;{escaped[start.end() + 1 :]}"
    elif start:
        escaped = f"&#{ord(start.group())};{escaped[1:]}"
    return Markdown(escaped)


def code(text: str) -> Markdown:
    """Return ``text`` as an inline code span, or escaped where a span could be ended from inside."""
    line = plain(text)
    if not line or "`" in line or "|" in line:
        return escape(line)
    return Markdown(f"`{line}`")


def preformatted(text: str) -> Markdown:
    """Return ``text`` as a fenced code block, the fence longer than any run of backticks inside."""
    lines = plain_lines(text)
    longest = max((len(run) for run in re.findall(r"`+", lines)), default=0)
    fence = "`" * max(3, longest + 1)
    return Markdown(f"{fence}text\n{lines}\n{fence}")


def link(label: str, url: str) -> Markdown:
    """Return a link to one of our own pages.

    Args:
        label: Untrusted words to show.
        url: Absolute ``http`` or ``https`` address, built by us.

    Raises:
        ValueError: Another scheme, no host, or a character that an address cannot hold.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or re.search(r"[\s<>\\`|\"\x00-\x20\x7f]", url):
        raise ValueError("not an address of ours")
    return Markdown(f"[{escape(label) or 'link'}]({url.replace('(', '%28').replace(')', '%29')})")


def table(header: Sequence[Markdown], rows: Iterable[Sequence[Markdown]]) -> Markdown:
    """Return a GitHub table.

    Args:
        header: Column titles.
        rows: Cells, as many as columns in each row.

    Raises:
        ValueError: A row of another length, or a cell holding a line break or a bare pipe.
    """
    lines: list[Sequence[str]] = [header, ["---"] * len(header), *rows]
    for cells in lines:
        if len(cells) != len(header):
            raise ValueError(f"a row has {len(cells)} cells, the table {len(header)} columns")
        if any("|" in cell or "\n" in cell for cell in cells):
            raise ValueError("a cell would break out of its table")
    return Markdown("\n".join("| " + " | ".join(cells) + " |" for cells in lines))


def shorten(text: str, max_chars: int) -> str:
    """Return plain ``text`` in at most ``max_chars`` characters, ending in an ellipsis if it was cut."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def fit(text: str, max_bytes: int) -> str:
    """Return Markdown in at most ``max_bytes`` of UTF-8, cut between lines, with a visible note.

    Args:
        text: Markdown.
        max_bytes: At least 200. GitHub counts characters in some places and bytes in others; bytes satisfy both.

    Raises:
        ValueError: No room for the note.

    Note:
        A code block that the cut falls into is closed first, so that the note is never read as part of it.
    """
    if max_bytes < 200:
        raise ValueError("max_bytes leaves no room for the note")
    size = len(text.encode())
    if size <= max_bytes:
        return text
    note = f"\n\n*Cut here: GitHub's limit is {max_bytes:,} bytes and the whole text has {size:,}.*"
    room = max_bytes - len(note.encode())
    head = text.encode()[:room].decode(errors="ignore")
    cut = head.rpartition("\n")[0] or _without_half_entity(head)
    while True:
        closing = _closing_fence(cut)
        if len((cut + closing).encode()) <= room:
            return cut + closing + note
        cut = cut.rpartition("\n")[0]


def _closing_fence(text: str) -> str:
    """Return what ends a code block left open in ``text``, or an empty string."""
    open_fence = ""
    for line in text.split("\n"):
        run = re.match(r" {0,3}(`{3,})([^`]*)$", line)
        if run and not open_fence:
            open_fence = run.group(1)
        elif run and len(run.group(1)) >= len(open_fence) and not run.group(2).strip():
            open_fence = ""
    return f"\n{open_fence}" if open_fence else ""


def _without_half_entity(text: str) -> str:
    return re.sub(r"&#?\w{0,8}$", "", text)


def _visible(text: str, *, keep: str) -> str:
    """Drop what cannot be seen; line breaks and tabs become spaces unless they are in ``keep``."""
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(_visible_character(character, keep) for character in text)


def _visible_character(character: str, keep: str) -> str:
    if character in keep or character == " ":
        return character
    category = unicodedata.category(character)
    if character in "\n\t\v\f\x85" or category[0] == "Z":
        return " "
    if category == "Cs":
        return "\ufffd"
    return "" if category in ("Cc", "Cf", "Cn", "Co") else character
