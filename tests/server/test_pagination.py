"""Cursors come back from strangers."""

import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from typing import Any

import pytest

from server.errors import AppError
from server.pagination import cursor_after, read_cursor, read_numbered_cursor

AT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


def forged(value: Any) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_a_cursor_is_read_as_it_was_made() -> None:
    assert read_cursor(cursor_after(AT, "c-5b2f0c9d7e614a83")) == (AT, "c-5b2f0c9d7e614a83")
    assert read_numbered_cursor(cursor_after(AT, "42")) == (AT, 42)


@pytest.mark.parametrize(
    "key", ["", "\0", "a\0b", "\ud800", "é", "a b", "a\n", "x" * 101, 7, None, ["a"]], ids=lambda key: repr(key)[:12]
)
def test_a_key_that_no_row_has_is_refused(key: Any) -> None:
    with pytest.raises(AppError) as refused:
        read_cursor(forged([1, key]))
    assert refused.value.code == "cursor_invalid"


@pytest.mark.parametrize("key", ["a", "-1", "1.5", "9" * 19, "\u0664\u0662"])
def test_a_number_that_no_row_has_is_refused(key: str) -> None:
    with pytest.raises(AppError) as refused:
        read_numbered_cursor(forged([1, key]))
    assert refused.value.code == "cursor_invalid"


@pytest.mark.parametrize("at", [1e300, -1e300, "now", None, [], {}])
def test_a_time_that_never_was_is_refused(at: Any) -> None:
    with pytest.raises(AppError) as refused:
        read_cursor(forged([at, "a"]))
    assert refused.value.code == "cursor_invalid"


@pytest.mark.parametrize("cursor", ["x", "%00", "W10", "[" * 300, forged("[" * 100), "é"])
def test_words_of_other_kinds_are_refused(cursor: str) -> None:
    with pytest.raises(AppError) as refused:
        read_cursor(cursor)
    assert refused.value.code == "cursor_invalid"
