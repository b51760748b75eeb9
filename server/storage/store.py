"""What a blob store is: parts while they arrive, whole blobs once they are verified."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol


class CorruptBlobError(Exception):
    """The parts of a blob do not add up to its digest and size."""


class IncompleteBlobError(Exception):
    """Parts of a blob are not here."""


class StoreUnavailableError(OSError):
    """The store cannot be reached, or refuses us: nobody's bundle is to blame, and another try may work."""


@dataclass(frozen=True)
class Part:
    """One part of a blob's upload plan.

    Attributes:
        number: From 1.
        offset: First byte of the blob that it holds.
        size_bytes: Exactly.
    """

    number: int
    offset: int
    size_bytes: int


@dataclass(frozen=True)
class Address:
    """Where a client may put one part, and only that part.

    Attributes:
        number: Of the part.
        url: Absolute.
        headers: To be sent along, as they are.
    """

    number: int
    url: str
    headers: Mapping[str, str]


def plan(size_bytes: int, part_size_bytes: int) -> tuple[Part, ...]:
    """Cut a blob into parts, all but the last of the same size; an empty blob has one empty part."""
    count = max(1, -(-size_bytes // part_size_bytes))
    return tuple(
        Part(number, offset, min(part_size_bytes, size_bytes - offset))
        for number in range(1, count + 1)
        for offset in [(number - 1) * part_size_bytes]
    )


class PartSink(Protocol):
    """Takes one part's bytes as they arrive."""

    def write(self, data: bytes) -> None:
        """Append."""
        ...

    def keep(self) -> None:
        """Make what was written the part, replacing an earlier one. Without this call nothing stays."""
        ...


class BlobStore(Protocol):
    """Blobs by digest. Every call may be repeated and raced; none of them knows the database.

    Every call but `addresses` raises `StoreUnavailableError` when the store cannot do its part.
    """

    def open(self, sha256: str) -> BinaryIO:
        """Open a verified blob for reading; it can seek.

        Raises:
            BundleError: ``blob_missing``.
        """
        ...

    def arrived(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> frozenset[int]:
        """Numbers of the planned parts that need not be sent; all of them once the blob is whole.

        Args:
            sha256: The blob.
            parts: All of its parts, in order.
            digests: See `assemble`.
        """
        ...

    def part(self, sha256: str, number: int) -> AbstractContextManager[PartSink]:
        """Open a sink for one part that comes through the service."""
        ...

    def addresses(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> Sequence[Address] | None:
        """Say where a client may put parts by itself.

        Args:
            sha256: The blob.
            parts: Which parts.
            digests: SHA-256 of each, by number: an address takes no other bytes.

        Returns:
            An address for each part; None: parts come through the service only.
        """
        ...

    def assemble(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> None:
        """Join the parts, verify the whole, and make it visible. Parts may stay until `discard_parts`.

        Args:
            sha256: The blob.
            parts: All of its parts, in order.
            digests: SHA-256 of each part as its sender said, by number, as far as known.

        Raises:
            IncompleteBlobError: A part is not here.
            CorruptBlobError: The parts do not make up this blob; they are discarded.
        """
        ...

    def discard_parts(self, sha256: str) -> None:
        """Remove what is left of a blob's upload. Only once the blob is visible, or nothing lists it."""
        ...

    def with_parts(self) -> Iterator[str]:
        """Digests of blobs of which something is left to discard. Looks at everything: for rare use."""
        ...

    def visible(self) -> Iterator[str]:
        """Digests of all verified blobs. Looks at everything: for rare use."""
        ...

    def delete(self, sha256: str) -> None:
        """Remove a verified blob, and what is left of its uploads. Only if nothing lists it."""
        ...

    def ping(self) -> None:
        """Try whether the store can be used.

        Raises:
            OSError: It cannot.
        """
        ...

    def close(self) -> None:
        """Close what it holds open."""
        ...
