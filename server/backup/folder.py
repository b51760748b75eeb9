"""What a backup folder holds."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from worker.bundle import BundleError, parse_record
from worker.bundle.blobs import write_atomically
from worker.bundle.record import Count, Record, Sha256

_SUMMARY = "backup.json"
_MAX_SUMMARY_BYTES = 1_000_000


class BackupError(Exception):
    """A backup cannot be made or used; the message says why."""


class TableFile(Record):
    """The rows of one table."""

    name: Annotated[str, Field(pattern=r"^[a-z_]{1,63}$")]
    rows: Count
    sha256: Sha256
    """Of the file."""


class Summary(Record):
    """What a finished backup holds."""

    format: Literal["byogpu.backup/1"]
    at: AwareDatetime
    """Moment of the snapshot."""
    revision: str
    """Of the database's tables."""
    tables: tuple[TableFile, ...]
    """In an order in which rows can be inserted."""
    blobs: Count
    blob_bytes: Count
    service_key_id: Sha256 | None = None
    """Of the key that signs jobs; None: the service had none yet, or an earlier release made the backup."""


def table_file(folder: Path, name: str) -> Path:
    """Where a table's rows are."""
    return folder / "tables" / f"{name}.jsonl.gz"


def blob_file(folder: Path, sha256: str) -> Path:
    """Where a blob is."""
    return folder / "blobs" / sha256[:2] / sha256


def write_summary(folder: Path, summary: Summary) -> None:
    """Say that the backup is complete."""
    write_atomically(folder / _SUMMARY, summary.model_dump_json(indent=2).encode())


def read_summary(folder: Path) -> Summary:
    """Read what a backup holds.

    Raises:
        BackupError: There is no finished backup.
    """
    try:
        with (folder / _SUMMARY).open("rb") as stream:
            return parse_record(stream.read(_MAX_SUMMARY_BYTES), Summary, code="backup_invalid")
    except FileNotFoundError as error:
        raise BackupError(f"{folder} holds no finished backup") from error
    except BundleError as error:
        raise BackupError(f"{folder} holds no backup of this format: {error.detail}") from error
