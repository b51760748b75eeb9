"""Cursors: where a list was left, as an opaque word that only the same list understands."""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query

from server.errors import AppError

Cursor = Annotated[
    str | None, Query(max_length=300, description="`next_cursor` of the page before; absent: the first page.")
]
Limit = Annotated[int, Query(ge=1, le=100, description="Most items to return.")]
_KEY = re.compile(r"[!-~]{1,100}")
_NUMBER = re.compile(r"[0-9]{1,18}")  # what a database's integer holds


def cursor_after(at: datetime, key: str) -> str:
    """Make the cursor that stands after an item, in lists ordered by time and key, newest first."""
    return urlsafe_b64encode(json.dumps([at.timestamp(), key]).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[datetime, str]:
    """Read a cursor back.

    Raises:
        AppError: ``cursor_invalid``.
    """
    try:
        at, key = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(at, float | int) or not isinstance(key, str) or not _KEY.fullmatch(key):
            raise TypeError
        return datetime.fromtimestamp(at, UTC), key
    except (ValueError, TypeError, OverflowError, OSError, RecursionError) as error:
        raise _invalid() from error


def read_numbered_cursor(cursor: str) -> tuple[datetime, int]:
    """Read back the cursor of a list whose keys are numbers of rows.

    Raises:
        AppError: ``cursor_invalid``.
    """
    at, key = read_cursor(cursor)
    if not _NUMBER.fullmatch(key):
        raise _invalid()
    return at, int(key)


def _invalid() -> AppError:
    return AppError("cursor_invalid", "Take the cursor from `next_cursor` of the page before.")
