"""Canonical JSON (RFC 8785), strict parsing, and digests.

Two parties that hold the same record must write the same bytes, or a digest would name nothing.
"""

import hashlib
import json
from typing import Any, BinaryIO, TypeVar

import rfc8785
from pydantic import BaseModel, ValidationError

from worker.bundle.errors import BundleError
from worker.bundle.record import Record

_CHUNK_BYTES = 1 << 20
AnyRecord = TypeVar("AnyRecord", bound=Record)


def canonical(value: BaseModel | dict[str, Any] | list[Any] | str | int | float | bool | None) -> bytes:
    """Serialise a record or plain JSON value to its canonical bytes.

    Raises:
        BundleError: ``not_canonical``: an integer beyond 2^53 - 1, a number that is not finite, or a lone surrogate.
    """
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    try:
        return rfc8785.dumps(plain)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise BundleError("not_canonical", str(error)[:200]) from error


def digest(data: bytes) -> str:
    """SHA-256 in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_stream(stream: BinaryIO) -> tuple[str, int]:
    """SHA-256 and size in bytes of what is left in a stream."""
    running, size = hashlib.sha256(), 0
    while chunk := stream.read(_CHUNK_BYTES):
        running.update(chunk)
        size += len(chunk)
    return running.hexdigest(), size


def check_json(data: bytes) -> Any:
    """Parse JSON the strict way: UTF-8 without BOM, no duplicate keys, finite numbers, bounded depth.

    Raises:
        BundleError: ``json_invalid`` says what is wrong.
    """
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise BundleError("json_invalid", "nested too deeply") from error
    except UnicodeDecodeError as error:
        raise BundleError("json_invalid", f"not UTF-8 at byte {error.start}") from error
    except ValueError as error:
        raise BundleError("json_invalid", str(error)[:200]) from error


def parse_record(data: bytes, record: type[AnyRecord], *, code: str) -> AnyRecord:
    """Parse bytes into a record, or say which field is wrong.

    Raises:
        BundleError: ``json_invalid``, or ``code`` with the first wrong field.
    """
    check_json(data)
    try:
        return record.model_validate_json(data)
    except ValidationError as error:
        raise BundleError(code, describe(error)) from error


def describe(error: ValidationError) -> str:
    """Name the first wrong field and how many more there are, quoting no input."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    where = ".".join(str(part) for part in problems[0]["loc"])[:200] or "the document"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{where}: {problems[0]['msg'][:200]}{more}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate key in an object")
    return found


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a finite number")
