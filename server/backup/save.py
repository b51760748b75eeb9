"""Making a backup."""

import hashlib
import os
from collections.abc import Sequence, Set
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Connection, MetaData, Table, select

import migrations
from server.backup import key, rows
from server.backup.folder import BackupError, Summary, blob_file, write_summary
from server.db import unhurried
from server.models import Blob
from server.services import Services
from worker.bundle import BundleError

_COPY_BYTES = 1 << 20
_ROUNDS = 3


def backup(services: Services, target: Path) -> Summary:
    """Save everything into a folder; the service may go on working.

    Args:
        services: The service. Only read from.
        target: A new folder, or that of an earlier backup, which is brought up to date: what was retracted since goes.

    Raises:
        BackupError: A blob that bundles list is missing or damaged, or blobs vanish faster than they can be saved.
        OSError: The folder or the blob store cannot be used.
    """
    target.mkdir(parents=True, exist_ok=True)
    os.chmod(target, 0o700)  # the service's key, addresses, and digests of credentials are nobody else's business
    for _ in range(_ROUNDS):
        at = services.clock()
        with services.database.read() as session:
            connection = session.connection()
            unhurried(connection)
            files = tuple(rows.save(connection, table, target) for table in _tables(connection))
            listed = session.scalars(select(Blob.sha256).where(Blob.stored_at.is_not(None)).order_by(Blob.sha256)).all()
            revision = migrations.current(connection)
        sizes = [_copy(services, sha256, blob_file(target, sha256)) for sha256 in listed]
        copied = [size for size in sizes if size is not None]
        if len(copied) < len(sizes):  # retracted since the snapshot: rows and blobs have to fit
            continue
        _drop_others(target, set(listed))
        summary = Summary(
            format="byogpu.backup/1",
            at=at,
            revision=revision,
            tables=files,
            blobs=len(copied),
            blob_bytes=sum(copied),
            service_key_id=key.save(services.settings, target),
        )
        write_summary(target, summary)
        return summary
    raise BackupError(f"blobs were removed during each of {_ROUNDS} snapshots")


def _tables(connection: Connection) -> Sequence[Table]:
    """The tables as they are, but for the migrations' own, in an order in which rows can be inserted."""
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name != migrations.VERSION_TABLE]


def _drop_others(target: Path, listed: Set[str]) -> None:
    """Remove blobs of an earlier backup that nothing lists any more."""
    for path in (target / "blobs").glob("??/*"):
        if path.name not in listed:
            path.unlink()


def _copy(services: Services, sha256: str, path: Path) -> int | None:
    """Copy a blob unless it is there already; None: nothing lists it any more.

    Raises:
        BackupError: See `backup`.
    """
    if path.is_file():
        return path.stat().st_size
    try:
        with services.store.open(sha256) as source:
            return _write(source, sha256, path)
    except BundleError as error:
        with services.database.read() as session:
            blob = session.get(Blob, sha256)
        if blob is None or blob.stored_at is None:  # removed since the snapshot
            return None
        raise BackupError(f"the store has lost blob {sha256}") from error


def _write(source: BinaryIO, sha256: str, path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    running = hashlib.sha256()
    size_bytes = 0
    partial = path.with_suffix(".partial")
    with partial.open("wb") as stream:
        while chunk := source.read(_COPY_BYTES):
            running.update(chunk)
            stream.write(chunk)
            size_bytes += len(chunk)
        stream.flush()
        os.fsync(stream.fileno())
    if running.hexdigest() != sha256:
        partial.unlink()
        raise BackupError(f"the store has damaged blob {sha256}")
    os.replace(partial, path)
    return size_bytes
