"""Finds fenced blocks in Markdown as GitHub shows them: what stands inside another block or a comment is none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_OPEN = re.compile(r"^ {0,3}(?:(?P<ticks>`{3,})(?P<after_ticks>[^`]*)|(?P<tildes>~{3,})(?P<after_tildes>.*))$")
_COMMENT = re.compile(r"^ {0,3}<!--")


@dataclass(frozen=True)
class Fenced:
    """One fenced block.

    Attributes:
        line: Line of its opening fence, counted from 0.
        info: What stands behind the opening fence.
        content: The lines between the fences.
        closed: Whether it has a closing fence; without one it runs to the end of the text.
    """

    line: int
    info: str
    content: tuple[str, ...]
    closed: bool


@dataclass(frozen=True)
class Prose:
    """A line outside of every block and comment.

    Attributes:
        line: Its number, counted from 0.
        text: What it says.
    """

    line: int
    text: str


def parts(lines: Sequence[str]) -> Iterator[Fenced | Prose]:
    """Cut a text into fenced blocks and lines of prose, in order; comments are left out.

    Source:
        CommonMark 0.31.2, sections 4.5 and 4.6 (HTML blocks of the second kind).
    """
    number = 0
    while number < len(lines):
        opened = _OPEN.match(lines[number])
        if opened is not None:
            block = _block(lines, number, opened)
            yield block
            number += len(block.content) + 1 + block.closed
        elif _COMMENT.match(lines[number]):
            number = _end_of_comment(lines, number) + 1
        else:
            yield Prose(number, lines[number])
            number += 1


def _block(lines: Sequence[str], first: int, opened: re.Match[str]) -> Fenced:
    fence = opened["ticks"] or opened["tildes"]
    info = (opened["after_ticks"] or opened["after_tildes"] or "").strip(" \t")
    closing = re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    last = next((n for n in range(first + 1, len(lines)) if closing.match(lines[n])), None)
    return Fenced(first, info, tuple(lines[first + 1 : last]), closed=last is not None)


def _end_of_comment(lines: Sequence[str], first: int) -> int:
    return next((n for n in range(first, len(lines)) if "-->" in lines[n]), len(lines) - 1)
