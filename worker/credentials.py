"""Tokens of `byogpu login`: one for each server, in a file that only its user can read, and told to no other server."""

import os
import tempfile
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from worker.errors import WorkerError


class Kept(BaseModel):
    """A token, and what it is."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    token: str
    token_id: str
    """Its public part: what it is revoked by."""
    login: str
    expires_at: AwareDatetime


class _File(BaseModel):
    """Server's origin → what is kept for it."""

    servers: dict[str, Kept]


def load(path: Path, server: str) -> Kept | None:
    """The token for a server; None: nobody is signed in there.

    Raises:
        WorkerError: ``credentials_exposed``: others can read the file; ``credentials_invalid``.
    """
    return _read(path).servers.get(server)


def save(path: Path, server: str, kept: Kept) -> None:
    """Keep a token for a server instead of the one there was.

    Raises:
        WorkerError: See `load`; ``work_folder_unusable``.
    """
    _write(path, {**_read(path).servers, server: kept})


def forget(path: Path, server: str) -> None:
    """Keep no token for a server any more.

    Raises:
        WorkerError: See `save`.
    """
    servers = {name: kept for name, kept in _read(path).servers.items() if name != server}
    if path.exists():
        _write(path, servers)


def _read(path: Path) -> _File:
    try:
        with path.open(encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise WorkerError("credentials_exposed", f"others can read {path}: chmod 600, and sign in anew")
            return _File.model_validate_json(file.read())
    except FileNotFoundError:
        return _File(servers={})
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise WorkerError("credentials_invalid", f"{path} cannot be read; remove it and sign in anew") from error


def _write(path: Path, servers: dict[str, Kept]) -> None:
    """Replace the file as a whole; it is its user's alone from its first byte."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=".credentials-")  # mode 600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_File(servers=servers).model_dump_json(indent=2))
        Path(made).replace(path)
    except OSError as error:
        raise WorkerError("work_folder_unusable", f"{path} cannot be written: {error}") from error
