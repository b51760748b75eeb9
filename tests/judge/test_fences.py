"""Fenced blocks are those that GitHub shows as such."""

import pytest

from judge.fences import Fenced, Prose, parts


def blocks(text: str) -> list[tuple[int, str, tuple[str, ...], bool]]:
    return [(p.line, p.info, p.content, p.closed) for p in parts(text.split("\n")) if isinstance(p, Fenced)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```a\nx\n```\ny\n~~~ b c \nz\n~~~~", [(0, "a", ("x",), True), (4, "b c", ("z",), True)]),
        ("```a\n``\n~~~\n    ```\n```", [(0, "a", ("``", "~~~", "    ```"), True)]),
        ("````a\n```b\n```\n````", [(0, "a", ("```b", "```"), True)]),
        ("   ```a\n ```  ", [(0, "a", (), True)]),
        ("```a\nx", [(0, "a", ("x",), False)]),
        ("```", [(0, "", (), False)]),
        ("``` a`b\n    ```c\n``d", []),
        ("~~~ a`b\n~~~", [(0, "a`b", (), True)]),
        ("<!-- x\n```a\n```\n--> y\n```b\n```", [(4, "b", (), True)]),
        ("<!-- x -->\n```a\n```", [(1, "a", (), True)]),
        ("<!-- x\n```a\n```", []),
        ("<!-->\n```a\n```", [(1, "a", (), True)]),
    ],
)
def test_blocks(text: str, found: list[object]) -> None:
    assert blocks(text) == found


def test_what_stands_outside_is_prose_with_its_line() -> None:
    text = "one\n```a\nx\n```\ntwo\n<!-- three -->\nfour"
    assert [part for part in parts(text.split("\n")) if isinstance(part, Prose)] == [
        Prose(0, "one"),
        Prose(4, "two"),
        Prose(6, "four"),
    ]
