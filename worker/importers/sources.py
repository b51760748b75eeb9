"""Files of other tools: read within limits, parsed strictly, refused with a code and a way out."""

import re
import stat
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from worker.bundle import BundleError, check_json
from worker.bundle.canonical import describe
from worker.bundle.redaction import scan
from worker.bundle.schema import ArmName
from worker.errors import WorkerError

ARM_NAMES: tuple[ArmName, ...] = ("baseline", "candidate")


class Foreign(BaseModel):
    """A record of another program: fields that are not needed are ignored, those that are must fit exactly."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)


AnyForeign = TypeVar("AnyForeign", bound=Foreign)


def read_source(path: Path, *, limit_bytes: int) -> bytes:
    """Read a file that is not larger than allowed and holds nothing that looks like a secret.

    Bundles are public and imported files are kept unchanged, because masking would alter the evidence. So a secret
    is the owner's to remove.

    Raises:
        WorkerError: ``import_missing``, ``import_too_large``, ``import_secret``.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(limit_bytes + 1)
    except OSError as error:
        raise WorkerError(
            "import_missing", f"{path}: {error.strerror or error}; name a file that can be read"
        ) from error
    if len(data) > limit_bytes:
        raise WorkerError(
            "import_too_large", f"{path} has more than {limit_bytes} bytes; run with fewer requests or tasks"
        )
    if hits := scan(data):
        raise WorkerError(
            "import_secret",
            f"{path}: byte {hits[0].offset} looks like a secret ({hits[0].kind}), {len(hits)} in all; "
            "bundles are public: replace it in the file and import again",
        )
    return data


def parse_object(data: bytes, *, path: Path) -> dict[str, Any]:
    """Parse strict JSON: UTF-8, no duplicate keys, finite numbers; the top must be an object.

    Raises:
        WorkerError: ``import_invalid``, also for a file cut short; ``import_ambiguous`` for several documents in one.
    """
    try:
        value = check_json(data)
    except BundleError as error:
        if "Extra data" in error.detail and data.lstrip().startswith(b"{"):
            raise WorkerError(
                "import_ambiguous", f"{path} holds several results (--append-result); split it, one result a file"
            ) from error
        raise WorkerError("import_invalid", f"{path}: {error.detail}; take the file as the tool wrote it") from error
    if not isinstance(value, dict):
        raise WorkerError("import_wrong_tool", f"{path} holds no JSON object, so no supported tool wrote it")
    return value


def parse_foreign(value: dict[str, Any], record: type[AnyForeign], *, path: Path) -> AnyForeign:
    """Take what is needed out of a tool's document.

    Raises:
        WorkerError: ``import_incomplete`` names the first field that is missing or does not fit.
    """
    try:
        return record.model_validate(value)
    except ValidationError as error:
        raise WorkerError(
            "import_incomplete", f"{path}: {describe(error)}; take the file as the tool wrote it"
        ) from error


def is_folder(path: Path) -> bool:
    """Whether a path is a folder.

    Raises:
        WorkerError: ``import_missing``: it is nothing that can be looked at.
    """
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise WorkerError("import_missing", f"{path}: {error.strerror or error}") from error


def identifier(text: str) -> str:
    """Spell a name as code does: lower case, everything else a hyphen, at most 80 characters."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:80] or "unnamed"
