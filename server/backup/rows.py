"""Rows as lines of JSON, the same for both databases."""

import gzip
import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, DateTime, LargeBinary, Table, func, select, text

from server.backup.folder import BackupError, TableFile, table_file

_BATCH = 500


def save(connection: Connection, table: Table, folder: Path) -> TableFile:
    """Write a table's rows to its file, in the order of its key."""
    path = table_file(folder, table.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = 0
    query = select(table).order_by(*table.primary_key)
    found = connection.execute(query, execution_options={"yield_per": _BATCH})
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as stream:
        for row in found.mappings():
            stream.write(json.dumps({key: _plain(value) for key, value in row.items()}, ensure_ascii=False) + "\n")
            rows += 1
    return TableFile(name=table.name, rows=rows, sha256=_digest(path))


def load(connection: Connection, table: Table, folder: Path, expected: TableFile) -> None:
    """Insert the rows of a file into an empty table.

    Raises:
        BackupError: The file is damaged.
    """
    path = table_file(folder, table.name)
    if not path.is_file() or _digest(path) != expected.sha256:
        raise BackupError(f"the rows of table {table.name} are damaged")
    naive = connection.dialect.name == "sqlite"
    batch: list[dict[str, Any]] = []
    for plain in _lines(path):
        batch.append({key: _value(table.columns[key], value, naive=naive) for key, value in plain.items()})
        if len(batch) == _BATCH:
            connection.execute(table.insert(), batch)
            batch = []
    if batch:
        connection.execute(table.insert(), batch)
    if not naive:
        _count_on(connection, table)


def _count_on(connection: Connection, table: Table) -> None:
    """Let PostgreSQL hand out numbers after those that were inserted."""
    for column in table.primary_key:
        sequence = connection.scalar(
            text("SELECT pg_get_serial_sequence(:table, :column)"), {"table": table.name, "column": column.name}
        )
        highest = connection.scalar(select(func.max(column))) if sequence else None
        if highest is not None:
            counted = text("SELECT setval(CAST(:name AS regclass), :highest)")
            connection.execute(counted, {"name": sequence, "highest": highest})


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    return b64encode(value).decode() if isinstance(value, bytes) else value


def _value(column: Column[Any], plain: Any, *, naive: bool) -> object:
    if plain is None:
        return None
    if isinstance(column.type, DateTime):
        moment = datetime.fromisoformat(plain)
        return moment.replace(tzinfo=None) if naive else moment
    return b64decode(plain) if isinstance(column.type, LargeBinary) else plain


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
