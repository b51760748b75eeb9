"""Using a backup."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from alembic.util import CommandError
from sqlalchemy import MetaData, func, select

import migrations
from server.backup import key, rows
from server.backup.folder import BackupError, Summary, read_summary
from server.db import unhurried
from server.services import Services
from server.storage import CorruptBlobError, IncompleteBlobError, plan

_COPY_BYTES = 1 << 20


def restore(services: Services, source: Path) -> Summary:
    """Bring everything back from a folder, into an empty database.

    Blobs and the service's key come first: if anything fails, the database is still empty, and the same call may be
    repeated.

    Args:
        services: A service that is not running. Its database has no rows; its store may hold blobs.
        source: A finished backup.

    Raises:
        BackupError: The backup is damaged or of a newer release, the database is not empty, or another key is where the
            service's belongs.
        OSError: The folder or the blob store cannot be used.
    """
    summary = read_summary(source)
    blobs = _require_blobs(source, summary)
    key.require(services.settings, source, summary.service_key_id)
    _require_empty(services)
    url = services.settings.resolved_database_url
    try:
        migrations.upgrade(url, revision=summary.revision)
    except CommandError as error:
        raise BackupError(f"the backup is of another release: {error}") from error
    for path in blobs:
        _bring(services, path)
    key.restore(services.settings, source, summary.service_key_id)
    engine = services.database.engine
    tables = MetaData()
    tables.reflect(engine)
    with engine.begin() as connection:
        unhurried(connection)
        for file in summary.tables:
            rows.load(connection, tables.tables[file.name], source, file)
    migrations.upgrade(url)
    return summary


def _require_empty(services: Services) -> None:
    engine = services.database.engine
    tables = MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        for table in tables.sorted_tables:
            if table.name != migrations.VERSION_TABLE and connection.scalar(select(func.count()).select_from(table)):
                raise BackupError(f"the database is not empty: table {table.name} has rows")
    if tables.tables:
        migrations.downgrade(services.settings.resolved_database_url, revision="base")  # empty, of whatever revision


def _bring(services: Services, path: Path) -> None:
    """Bring a blob into the store, part by part, as a client would."""
    sha256 = path.name
    parts = plan(path.stat().st_size, services.settings.part_size_bytes)
    digests: dict[int, str] = {}
    with path.open("rb") as stream:
        for part in parts:
            running, left = hashlib.sha256(), part.size_bytes
            with services.store.part(sha256, part.number) as sink:
                while left and (chunk := stream.read(min(left, _COPY_BYTES))):
                    running.update(chunk)
                    sink.write(chunk)
                    left -= len(chunk)
                sink.keep()
            digests[part.number] = running.hexdigest()
    try:
        services.store.assemble(sha256, parts, digests)
    except (CorruptBlobError, IncompleteBlobError) as error:
        raise BackupError(f"blob {sha256} is damaged in the backup") from error
    services.store.discard_parts(sha256)


def _require_blobs(source: Path, summary: Summary) -> Sequence[Path]:
    """The files of all blobs that were saved."""
    found = sorted((source / "blobs").glob("??/*"))
    if (len(found), sum(path.stat().st_size for path in found)) != (summary.blobs, summary.blob_bytes):
        raise BackupError(f"the backup holds {len(found)} blobs, not the {summary.blobs} that were saved")
    return found
