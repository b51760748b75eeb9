"""Blobs in an S3 bucket.

    data/HEX/NONCE    a multipart upload while parts arrive, then its object; written once, never changed
    blobs/HEX         a marker: the NONCE whose object was read through and has the digest HEX

An object counts once its marker stands. Every upload has a name of its own, and an address that was given to a client
is good for parts of one upload, so nobody can change what was verified; and nothing is copied to become visible.
Why: docs/decisions/0005-blobs-in-s3.md.
"""

import hashlib
import io
import itertools
import secrets
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import BinaryIO, cast

from server.storage.s3_client import Bucket, BucketClient, GoneError, LostRaceError, Upload, WrongPartsError
from server.storage.s3_reader import Body, ObjectReader
from server.storage.store import (
    Address,
    CorruptBlobError,
    IncompleteBlobError,
    Part,
    PartSink,
    StoreUnavailableError,
)
from worker.bundle import BundleError

SMALLEST_PART_BYTES = 5 << 20
"""Of every part but the last: S3's own limit."""
_READ_BYTES = 1 << 20
_IN_MEMORY_BYTES = 1 << 20
_ROUNDS = 5
"""How often somebody else may be quicker before we give up."""


@dataclass(frozen=True)
class _Marker:
    """Which object holds a blob."""

    nonce: str
    etag: str


class S3Blobs:
    """Blobs in a bucket.

    Args:
        bucket: Must exist, without rules that remove objects under its prefix.
    """

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = BucketClient(bucket)

    def open(self, sha256: str) -> BinaryIO:
        """See `BlobStore`."""
        marker = self._marker(sha256)
        if marker is None:
            raise BundleError("blob_missing", f"blob {sha256} is not in the store")
        try:
            return self._reader(_data(sha256, marker.nonce))
        except GoneError as error:
            raise BundleError("blob_missing", f"blob {sha256} is not in the store") from error

    def arrived(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> frozenset[int]:
        """See `BlobStore`."""
        upload = self._upload(sha256)
        if upload is None:
            size_bytes = sum(part.size_bytes for part in parts)
            whole = any(found.size_bytes == size_bytes for found in self._bucket.objects(f"data/{sha256}/"))
            return frozenset(part.number for part in parts if whole)
        return frozenset(number for number, _, _ in self._listed(upload, parts, digests))

    @contextmanager
    def part(self, sha256: str, number: int) -> Iterator[PartSink]:
        """See `BlobStore`."""
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as stream:
            yield _ObjectPart(self, sha256, number, cast("BinaryIO", stream))

    def keep_part(self, sha256: str, number: int, stream: BinaryIO, *, checksum: str) -> None:
        """Bring a part that came through the service."""
        for _ in range(_ROUNDS):
            stream.seek(0)
            upload = self._upload(sha256) or self._begin(sha256)
            with suppress(GoneError):  # completed or discarded in the same moment: begin anew
                self._bucket.put_part(upload, number, stream, checksum=checksum)
                return
        raise StoreUnavailableError(f"the upload of {sha256} ended {_ROUNDS} times")

    def addresses(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> Sequence[Address] | None:
        """See `BlobStore`. Length and checksum are signed, so the store takes exactly these bytes, until it expires."""
        upload = self._upload(sha256) or self._begin(sha256)
        found = []
        for part in parts:
            checksum = _base64(digests[part.number])
            url = self._bucket.address(upload, part.number, size_bytes=part.size_bytes, checksum=checksum)
            if url is None:
                return None
            found.append(Address(part.number, url, {"x-amz-checksum-sha256": checksum}))
        return found

    def assemble(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> None:
        """See `BlobStore`."""
        if self._is_whole(sha256):
            return
        upload = self._upload(sha256)
        if upload is not None:
            self._complete(sha256, upload, parts, digests)
        size_bytes = sum(part.size_bytes for part in parts)
        for found in self._bucket.objects(f"data/{sha256}/"):
            if found.size_bytes != size_bytes:
                continue
            if self._has_digest(found.key, sha256):
                self._mark(sha256, found.key.rpartition("/")[2])
                return
            if self._is_whole(sha256):  # another submission had an upload of its own
                return
            self._bucket.delete(found.key)
            raise CorruptBlobError(f"the parts of {sha256} add up to another digest")
        if not self._is_whole(sha256):
            raise IncompleteBlobError(f"parts of {sha256} are not here")

    def discard_parts(self, sha256: str) -> None:
        """See `BlobStore`."""
        self._abort(sha256)
        keys = [found.key for found in self._bucket.objects(f"data/{sha256}/")]
        marker = self._marker(sha256)  # read after the list: what is marked meanwhile stays
        for key in keys:
            if marker is None or key != _data(sha256, marker.nonce):
                self._bucket.delete(key)

    def with_parts(self) -> Iterator[str]:
        """See `BlobStore`."""
        begun = {_digest_of(upload.key) for upload in self._bucket.uploads("data/")}
        yield from sorted(begun)
        for sha256, same in itertools.groupby(_digest_of(found.key) for found in self._bucket.objects("data/")):
            if sha256 not in begun and (sum(1 for _ in same) > 1 or self._marker(sha256) is None):
                yield sha256

    def visible(self) -> Iterator[str]:
        """See `BlobStore`."""
        for found in self._bucket.objects("blobs/"):
            yield found.key.rpartition("/")[2]

    def delete(self, sha256: str) -> None:
        """See `BlobStore`."""
        self._bucket.delete(f"blobs/{sha256}")
        self.discard_parts(sha256)

    def ping(self) -> None:
        """See `BlobStore`. That reading is allowed is tried; that writing is, shows at the first upload."""
        self._bucket.ping()

    def close(self) -> None:
        """Close every pooled connection."""
        self._bucket.close()

    # ------------------------------------------------------------------ uploads
    def _begin(self, sha256: str) -> Upload:
        begun = self._bucket.begin(_data(sha256, _new_nonce()))
        return self._upload(sha256) or begun

    def _upload(self, sha256: str) -> Upload | None:
        """The upload that everybody uses: the first in order, which is the first that was begun.

        A second one comes of a request that saw none, waited, and began one when parts had already gone to the first.
        """
        return min(self._bucket.uploads(f"data/{sha256}/"), key=lambda upload: upload.key, default=None)

    def _listed(
        self, upload: Upload, parts: Sequence[Part], digests: Mapping[int, str]
    ) -> Sequence[tuple[int, str, str]]:
        """Number, entity tag and checksum of the planned parts that an upload holds.

        Not every store tells the checksums that it verified: hence ``digests``.
        """
        here = self._bucket.parts(upload)
        listed = []
        for part in parts:
            kept, said = here.get(part.number), digests.get(part.number)
            if kept is None or kept.size_bytes != part.size_bytes:
                continue
            checksum = kept.checksum or (_base64(said) if said is not None else None)
            if checksum is not None:
                listed.append((part.number, kept.etag, checksum))
        return listed

    def _complete(self, sha256: str, upload: Upload, parts: Sequence[Part], digests: Mapping[int, str]) -> None:
        """Make an upload an object, if all of it is here; it may be one already."""
        listed = self._listed(upload, parts, digests)
        if len(listed) < len(parts):
            return
        try:
            self._bucket.complete(upload, listed)
        except (GoneError, LostRaceError):
            return
        except WrongPartsError as error:  # a part is not what was last announced for it
            self._abort(sha256)
            raise CorruptBlobError(f"the parts of {sha256} are not those that were announced") from error

    def _abort(self, sha256: str) -> None:
        for upload in list(self._bucket.uploads(f"data/{sha256}/")):
            self._bucket.abort(upload)

    # ------------------------------------------------------------------ objects and markers
    def _reader(self, key: str) -> BinaryIO:
        found = self._bucket.get(key)

        def again(offset: int) -> Body:
            try:
                return self._bucket.get(key, offset=offset).body
            except GoneError as error:
                raise StoreUnavailableError(f"{key} was removed while it was read") from error

        reader = ObjectReader(again, found.size_bytes, found.body)
        return cast("BinaryIO", io.BufferedReader(reader, _READ_BYTES))

    def _has_digest(self, key: str, sha256: str) -> bool:
        running = hashlib.sha256()
        try:
            with self._reader(key) as stream:
                while chunk := stream.read(_READ_BYTES):
                    running.update(chunk)
        except GoneError:  # discarded by another submission
            return False
        return running.hexdigest() == sha256

    def _mark(self, sha256: str, nonce: str) -> None:
        """Let a verified object count, unless another does already.

        Raises:
            IncompleteBlobError: The object was discarded meanwhile.
        """
        for _ in range(_ROUNDS):
            standing = self._marker(sha256)
            if standing is not None and self._bucket.exists(_data(sha256, standing.nonce)):
                return
            try:
                self._bucket.put(f"blobs/{sha256}", nonce.encode(), instead_of=standing.etag if standing else None)
            except (GoneError, LostRaceError):
                continue
            if not self._bucket.exists(_data(sha256, nonce)):
                raise IncompleteBlobError(f"the parts of {sha256} were discarded")
            return
        raise StoreUnavailableError(f"the marker of {sha256} changed {_ROUNDS} times")

    def _is_whole(self, sha256: str) -> bool:
        marker = self._marker(sha256)
        return marker is not None and self._bucket.exists(_data(sha256, marker.nonce))

    def _marker(self, sha256: str) -> _Marker | None:
        try:
            found = self._bucket.get(f"blobs/{sha256}")
        except GoneError:
            return None
        with io.BufferedReader(ObjectReader(lambda _: found.body, found.size_bytes, found.body)) as stream:
            return _Marker(stream.read().decode(), found.etag)


class _ObjectPart:
    """The sink of `S3Blobs`: a part waits on disk until it is known to be whole."""

    def __init__(self, store: S3Blobs, sha256: str, number: int, stream: BinaryIO) -> None:
        self._store = store
        self._sha256 = sha256
        self._number = number
        self._stream = stream
        self._running = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self._running.update(data)
        self._stream.write(data)

    def keep(self) -> None:
        checksum = _base64(self._running.hexdigest())
        self._store.keep_part(self._sha256, self._number, self._stream, checksum=checksum)


def _new_nonce() -> str:
    """A name that sorts behind every earlier one, as far as the servers' clocks agree."""
    return f"{time.time_ns() // 1000:016x}{secrets.token_hex(4)}"


def _data(sha256: str, nonce: str) -> str:
    return f"data/{sha256}/{nonce}"


def _digest_of(key: str) -> str:
    return key.split("/")[1]


def _base64(sha256: str) -> str:
    return b64encode(bytes.fromhex(sha256)).decode()
