"""What went wrong while a bundle was read, as data."""

from typing import Annotated

from pydantic import Field

from worker.bundle.record import Count, Identifier, Record
from worker.bundle.schema import ArmName


class Problem(Record):
    """One thing in a blob that could not be read as what its role says."""

    code: Identifier
    """``blob_missing``, ``blob_corrupt``, ``size_mismatch``, ``row_invalid``, ``line_too_long``, ``too_many_rows``,
    ``json_invalid``, ``lm_eval_invalid``, ``results_too_large``."""
    detail: Annotated[str, Field(max_length=400)]
    file: Count
    """Index in the manifest's ``files``."""
    eval_id: Identifier | None
    arm: ArmName | None


class SecretHit(Record):
    """A place that looks like a secret. What matched is never repeated."""

    kind: Identifier
    offset: Count
    """Byte offset in the file or text."""
    where: Annotated[str, Field(max_length=200)]
    """``manifest``, or ``files/3``."""
