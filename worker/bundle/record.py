"""What every record of the bundle format has in common: strictness, and the small types fields are made of."""

import re
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

MAX_SAFE_INTEGER = 2**53 - 1
"""Largest integer that survives canonical JSON (RFC 8785, section 3.2.2.3)."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Record(BaseModel):
    """A frozen record: unknown fields refused, finite numbers only, no coercion between types."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, strict=True, use_attribute_docstrings=True
    )


def _printable(value: str) -> str:
    if _CONTROL.search(value):
        raise ValueError("control characters are not allowed")
    return value


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("a time needs its zone")
    return value


Unknown = Literal["unknown"]
"""What the machine could not capture."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")]
"""A name that code uses: lower case, at most 80 characters."""

Label = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_printable)]
"""One printable line of at most 200 characters, shown to people."""

Text = Annotated[str, StringConstraints(max_length=4096), AfterValidator(_printable)]
"""One printable line of at most 4,096 characters, shown to people."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest in lower-case hexadecimal."""

CommitSha = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
"""A full git commit id."""

RepositoryName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}$")]
"""``owner/name`` as GitHub spells it."""

Count = Annotated[int, Field(ge=0, le=MAX_SAFE_INTEGER)]
Positive = Annotated[int, Field(ge=1, le=MAX_SAFE_INTEGER)]
Amount = Annotated[float, Field(ge=0)]
"""A finite number that cannot be negative; its unit is in the field's name."""

Time = Annotated[datetime, Field(strict=False), AfterValidator(_aware)]
"""A wall-clock time with its zone; for display, never for durations."""
