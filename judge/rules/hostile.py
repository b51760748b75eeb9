"""Family X: nothing secret gets out with a bundle, and nothing hostile gets in."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from judge.evidence import Evidence
from judge.rules.record import Found, rule

_MARKUP = re.compile(r"<\s*[A-Za-z!/?]|javascript:|data:text/html|&#x?[0-9a-fA-F]+;|!?\[[^\]]*\]\(", re.IGNORECASE)
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_HOME = re.compile(r"(?:^|[\s=:\"'])(?:/home/|/Users/|/root(?:/|\b)|[A-Za-z]:\\Users\\)")


@rule(
    "X-001",
    "error",
    "quarantines",
    title="Something that looks like a secret",
    hint="Revoke the credential at once; then run again with it out of the environment. Bundles are public.",
)
def no_secrets(evidence: Evidence) -> Iterator[Found]:
    """A credential in a public bundle is in everybody's hands; the bundle is hidden until somebody has looked."""
    places = Counter((hit.where, hit.kind) for hit in evidence.secrets)
    for (where, kind), count in sorted(places.items()):
        first = min(hit.offset for hit in evidence.secrets if (hit.where, hit.kind) == (where, kind))
        yield Found(f"{count} times {kind.replace('_', ' ')}, first at byte {first}", where)


@rule(
    "X-002",
    "warning",
    "notes",
    title="Markup in a text field",
    hint="Names and messages are plain text; markup is shown as it stands and does nothing.",
    version=2,
)
def no_markup(evidence: Evidence) -> Iterator[Found]:
    """Machines have no reason to write tags or links into names; whoever does may be trying the dashboard."""
    for where, text in _texts(evidence):
        if match := _MARKUP.search(text):
            yield Found(f"at character {match.start()}: {text[match.start() : match.start() + 40]!r}", where)


@rule(
    "X-003",
    "warning",
    "notes",
    title="Invisible characters in a text field",
    hint="Write names in plain visible characters.",
    version=2,
)
def no_invisible(evidence: Evidence) -> Iterator[Found]:
    """Direction marks and zero-width characters make a text look like another."""
    for where, text in _texts(evidence):
        if match := _INVISIBLE.search(text):
            yield Found(f"U+{ord(match[0]):04X} at character {match.start()}", where)


@rule(
    "X-004",
    "warning",
    "notes",
    title="A person's folder in a text field",
    hint="Run the worker from a neutral folder, or let it mask the path.",
    version=2,
)
def no_home_folders(evidence: Evidence) -> Iterator[Found]:
    """Home folders carry names of people, and a public bundle keeps them for good."""
    for where, text in _texts(evidence):
        if match := _HOME.search(text):
            yield Found(f"a home folder at character {match.start()}", where)


def _texts(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Every text of the manifest, and of rows what pages or findings may show, with its place.

    Names of tokens are left out: a vocabulary holds whatever people write.
    """
    yield from _walk(evidence.manifest.model_dump(mode="json"), "")
    for (cell, arm), requests in sorted(evidence.requests.items()):
        for reason in sorted(set(requests.finish_reason)):
            yield f"cells/{cell}/{arm}/finish_reason", reason
    for name in sorted({row.name for row in evidence.counters}):
        yield "counters/name", name
    for (cell, arm), cases in sorted(evidence.numerics.items()):
        for text in sorted({text for row in cases for text in (row.case, row.shape, row.tolerance_reason)}):
            yield f"cells/{cell}/{arm}/numerics", text
    for (cell, arm), kernels in sorted(evidence.kernel_times.items()):
        for text in sorted({row.kernel for row in kernels if row.kernel is not None}):
            yield f"cells/{cell}/{arm}/kernels", text


def _walk(value: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _walk(inner, f"{where}/{name}" if where else name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _walk(inner, f"{where}/{index}")
    elif isinstance(value, str):
        yield where[:200], value


RULES = (
    no_secrets,
    no_markup,
    no_invisible,
    no_home_folders,
)
