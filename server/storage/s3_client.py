"""An S3 bucket, call by call: what can happen to each is a value or one of three errors."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from server.storage.s3_reader import Body
from server.storage.store import StoreUnavailableError

_GONE = frozenset({"NoSuchKey", "NoSuchUpload", "404"})
_LOST_RACE = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "412", "409"})
_WRONG_PARTS = frozenset({"BadDigest", "InvalidPart", "InvalidPartOrder", "InvalidRequest", "EntityTooSmall"})


class GoneError(Exception):
    """There is no such object or upload (any more)."""


class LostRaceError(Exception):
    """Somebody else wrote there first."""


class WrongPartsError(Exception):
    """The parts of an upload are not those that the call names."""


@dataclass(frozen=True)
class Bucket:
    """Where the bucket is, and how to get in.

    Attributes:
        name: Of the bucket.
        url: Root of the store's API; None: AWS's for the region.
        public_url: The same as clients reach it; None: as we do.
        region: Named in signatures.
        prefix: Of all keys.
        access_key: Whose; None: what boto3 finds by itself (a role, a profile).
        secret_key: Its secret.
        address_ttl_s: Life of an address given to a client; None: clients get none.
    """

    name: str
    url: str | None
    public_url: str | None
    region: str
    prefix: str
    access_key: str | None
    secret_key: str | None
    address_ttl_s: int | None


@dataclass(frozen=True)
class Upload:
    """A multipart upload that is under way."""

    key: str
    id: str


@dataclass(frozen=True)
class Kept:
    """A part that an upload holds.

    Attributes:
        size_bytes: Its size.
        etag: As the store names it.
        checksum: Base64 SHA-256 as verified; None: this store does not tell.
    """

    size_bytes: int
    etag: str
    checksum: str | None


@dataclass(frozen=True)
class Object:
    """An object, as a list shows it."""

    key: str
    size_bytes: int


@dataclass(frozen=True)
class Opened:
    """An object that is being read from its start."""

    size_bytes: int
    etag: str
    body: Body


class BucketClient:
    """The calls. Keys go without the bucket's prefix, in and out.

    Every call raises `StoreUnavailableError` when the store cannot be reached or refuses us.
    """

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._client = _connect(bucket, bucket.url)
        self._signer = _connect(bucket, bucket.public_url) if bucket.public_url else self._client

    def begin(self, key: str) -> Upload:
        """Begin a multipart upload."""
        with _answers():
            begun = self._client.create_multipart_upload(
                **self._at(key), ChecksumAlgorithm="SHA256", ContentType="application/octet-stream"
            )
        return Upload(key, begun["UploadId"])

    def uploads(self, prefix: str) -> Iterator[Upload]:
        """Uploads under way."""
        for found in self._pages("list_multipart_uploads", "Uploads", Prefix=self._bucket.prefix + prefix):
            yield Upload(self._without_prefix(found["Key"]), found["UploadId"])

    def parts(self, upload: Upload) -> Mapping[int, Kept]:
        """What an upload holds, by number; nothing if it is gone."""
        try:
            found = list(self._pages("list_parts", "Parts", Key=self._bucket.prefix + upload.key, UploadId=upload.id))
        except GoneError:
            return {}
        return {one["PartNumber"]: Kept(one["Size"], one["ETag"], one.get("ChecksumSHA256")) for one in found}

    def put_part(self, upload: Upload, number: int, stream: BinaryIO, *, checksum: str) -> None:
        """Send a part; the store verifies the checksum.

        Raises:
            GoneError: The upload was completed or aborted.
        """
        with _answers():
            self._client.upload_part(
                **self._at(upload.key), UploadId=upload.id, PartNumber=number, Body=stream, ChecksumSHA256=checksum
            )

    def address(self, upload: Upload, number: int, *, size_bytes: int, checksum: str) -> str | None:
        """Sign an address that takes one part of exactly these bytes; None if clients get none."""
        if self._bucket.address_ttl_s is None:
            return None
        named = {
            **self._at(upload.key),
            "UploadId": upload.id,
            "PartNumber": number,
            "ContentLength": size_bytes,
            "ChecksumSHA256": checksum,
        }
        url: str = self._signer.generate_presigned_url("upload_part", named, ExpiresIn=self._bucket.address_ttl_s)
        return url

    def complete(self, upload: Upload, parts: Sequence[tuple[int, str, str]]) -> None:
        """Make an upload an object, unless there is one.

        Args:
            upload: The upload.
            parts: Number, entity tag and checksum of each part.

        Raises:
            GoneError, LostRaceError: It was completed or aborted already.
            WrongPartsError: A part has another checksum, or is too small.
        """
        listed = [{"PartNumber": number, "ETag": etag, "ChecksumSHA256": sha} for number, etag, sha in parts]
        with _answers():
            self._client.complete_multipart_upload(
                **self._at(upload.key), UploadId=upload.id, IfNoneMatch="*", MultipartUpload={"Parts": listed}
            )

    def abort(self, upload: Upload) -> None:
        """Drop an upload and its parts."""
        try:
            with _answers():
                self._client.abort_multipart_upload(**self._at(upload.key), UploadId=upload.id)
        except GoneError:
            return

    def get(self, key: str, *, offset: int = 0) -> Opened:
        """Open an object from an offset on.

        Raises:
            GoneError: There is none.
        """
        start = {"Range": f"bytes={offset}-"} if offset else {}
        with _answers():
            found = self._client.get_object(**self._at(key), **start)
        return Opened(found["ContentLength"] + offset, found["ETag"], found["Body"])

    def exists(self, key: str) -> bool:
        """Whether there is such an object."""
        try:
            with _answers():
                self._client.head_object(**self._at(key))
        except GoneError:
            return False
        return True

    def put(self, key: str, data: bytes, *, instead_of: str | None) -> None:
        """Write a small object.

        Args:
            key: Where.
            data: What.
            instead_of: Entity tag of what it replaces; None: of nothing.

        Raises:
            GoneError, LostRaceError: Something else is there.
        """
        condition = {"IfNoneMatch": "*"} if instead_of is None else {"IfMatch": instead_of}
        with _answers():
            self._client.put_object(**self._at(key), Body=data, **condition)

    def objects(self, prefix: str) -> Iterator[Object]:
        """Objects, in the order of their keys."""
        for found in self._pages("list_objects_v2", "Contents", Prefix=self._bucket.prefix + prefix):
            yield Object(self._without_prefix(found["Key"]), found["Size"])

    def delete(self, key: str) -> None:
        """Remove an object; there need be none."""
        with _answers():
            self._client.delete_object(**self._at(key))

    def ping(self) -> None:
        """Ask for as little as possible."""
        with _answers():
            self._client.list_objects_v2(Bucket=self._bucket.name, Prefix=self._bucket.prefix, MaxKeys=1)

    def close(self) -> None:
        """Close every pooled connection."""
        self._client.close()
        self._signer.close()

    def _pages(self, call: str, field: str, **arguments: str) -> Iterator[Any]:
        with _answers():
            for page in self._client.get_paginator(call).paginate(Bucket=self._bucket.name, **arguments):
                yield from page.get(field, ())

    def _at(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket.name, "Key": self._bucket.prefix + key}

    def _without_prefix(self, key: str) -> str:
        return key.removeprefix(self._bucket.prefix)


def _connect(bucket: Bucket, url: str | None) -> Any:
    return boto3.client(
        "s3",
        endpoint_url=url,
        region_name=bucket.region,
        aws_access_key_id=bucket.access_key,
        aws_secret_access_key=bucket.secret_key,
        config=Config(
            signature_version="s3v4",
            s3={"addressing_style": "path" if url else "auto"},
            connect_timeout=5,
            read_timeout=30,
            retries={"mode": "standard", "total_max_attempts": 3},
            max_pool_connections=64,
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )


@contextmanager
def _answers() -> Iterator[None]:
    """Turn the store's refusals into the errors above."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in _GONE:
            raise GoneError(code) from error
        if code in _LOST_RACE:
            raise LostRaceError(code) from error
        if code in _WRONG_PARTS:
            raise WrongPartsError(code) from error
        raise StoreUnavailableError(f"the blob store answers {code}") from error
    except BotoCoreError as error:
        raise StoreUnavailableError(f"the blob store does not answer: {type(error).__name__}") from error
