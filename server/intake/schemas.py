"""What the upload protocol says and hears."""

from typing import Annotated, Literal

from pydantic import Field

from server.models import UploadState, ValidationState
from worker.bundle.record import Count, Positive, Record, Sha256


class Envelope(Record):
    """A DSSE envelope, taken as it is: the signature is checked against the manifest's exact bytes."""

    payload: Annotated[str, Field(max_length=64_000)]
    payload_type: Annotated[Literal["application/vnd.in-toto+json"], Field(alias="payloadType")]
    signatures: Annotated[tuple["EnvelopeSignature", ...], Field(min_length=1, max_length=8)]


class EnvelopeSignature(Record):
    """One signature of an envelope."""

    keyid: Sha256
    sig: Annotated[str, Field(max_length=1000)]


class BundlePost(Record):
    """Body of ``POST /api/v1/bundles``."""

    manifest: Annotated[str, Field(min_length=2)]
    """The manifest's canonical JSON, as text: its UTF-8 bytes are what the bundle's id is the SHA-256 of."""
    envelope: Envelope | None = None
    """The DSSE envelope over it; null: unsigned."""


class PartPlan(Record):
    """One part of a blob to upload."""

    number: Positive
    url: str
    """Where to ``PUT`` the part through the service, relative to the address of the request that was answered."""
    offset: Count
    """First byte of the blob that the part holds."""
    size_bytes: Count
    received: bool
    """It is here already; need not be sent again."""


class UploadPlan(Record):
    """How a blob is cut into parts."""

    part_size_bytes: Positive
    parts: tuple[PartPlan, ...]


class PartAnnouncement(Record):
    """What a part will be."""

    number: Positive
    size_bytes: Count
    sha256: Sha256


class PartsPost(Record):
    """Body of ``POST /api/v1/blobs/{sha256}/parts``."""

    parts: Annotated[tuple[PartAnnouncement, ...], Field(min_length=1, max_length=100)]


class PartAddress(Record):
    """Where one part goes, and nothing else."""

    number: Positive
    url: str
    """Where to ``PUT`` the part: absolute, or relative to the address of the request that was answered."""
    headers: dict[str, str]
    """To be sent along as they are."""


class PartAddresses(Record):
    """Where parts go. An address may expire: ask again."""

    parts: tuple[PartAddress, ...]


class MissingBlob(Record):
    """A blob the bundle lists and the server does not have whole."""

    sha256: Sha256
    size_bytes: Count
    upload: UploadPlan


class BundleReceipt(Record):
    """Where a bundle stands. The same for a repeated request."""

    bundle_id: Sha256
    upload_state: UploadState
    validation_state: ValidationState
    trust_level: Annotated[int, Field(ge=0, le=4)] | None
    """None until validated."""
    missing: tuple[MissingBlob, ...]
    """Empty once ``upload_state`` is ``complete``."""
    url: str
    """Page of the bundle for people."""


class PartReceipt(Record):
    """A part that arrived whole."""

    sha256: Sha256
    number: Positive
    size_bytes: Count
