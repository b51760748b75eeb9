"""Uploading a bundle: register the manifest, send the parts that are missing, submit, wait for the judgement.

Every step may be repeated, and what to send is always the server's last answer, never our memory: so an upload goes on
after either side was restarted at any moment, and a bundle that is there already costs one request.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import BinaryIO

from pydantic import ValidationError

from worker import api
from worker.api import (
    BundleReceipt,
    MissingBlob,
    PartAddress,
    PartAnnouncement,
    PartPlan,
    PartReceipt,
    PartsPost,
)
from worker.bundle import Bundle
from worker.bundle.canonical import describe
from worker.errors import ServerError
from worker.service import Service

MAX_ROUNDS = 5
"""How often in a row the server may say that something is missing after all, with no part sent in between."""
BATCH = 4
"""Parts that are announced together: few, so that their addresses are used before they expire."""
FIRST_POLL_S = 0.2
LONGEST_POLL_S = 2.0
_BUNDLES = "/api/v1/bundles"
_ASK_AGAIN = frozenset(
    {
        "bundle_incomplete",
        "upload_expired",
        "blob_corrupt",
        "blob_not_expected",
        "part_out_of_range",
        "bundle_not_found",
    }
)
"""Refusals that mean: the server's idea of the upload has changed, so ask for it anew."""
_ON_ITS_MERITS = frozenset({409, 413, 422})

_HEADER = re.compile(r"(?i:content-digest|x-amz-checksum-sha256)")
"""Headers that an address may ask for: all of them are about the part."""
_HEADER_VALUE = re.compile(r"[!-~ ]{1,200}")
Receipt = BundleReceipt
"""Where a bundle stands, as the server says."""


def upload(bundle: Bundle, service: Service, *, sent: Callable[[int], None] = lambda _: None) -> Receipt:
    """Bring a bundle to the server and submit it; go on where an earlier try stopped.

    Args:
        bundle: Its blobs are whole (`worker.bundle.read` checks that).
        service: The server.
        sent: Told how many bytes each part had, as it arrives.

    Returns:
        The receipt of a submitted bundle; validation may still be under way (`wait`).

    Raises:
        ServerError: ``upload_refused``: the bundle is not taken on its merits; ``server_answer_invalid``: an answer
            is about something else than what was sent; and what `Service` raises.
    """
    rounds = 0
    while True:
        receipt = _register(bundle, service)
        if receipt.validation_state != "pending":
            return receipt
        arrived: list[int] = []
        try:
            for blob in receipt.missing:
                for size_bytes in _send(bundle, blob, service):
                    arrived.append(size_bytes)
                    sent(size_bytes)
            return _checked(api.submit_bundle(service, bundle.id), bundle)
        except ServerError as error:
            if error.server_code not in _ASK_AGAIN and error.code != "address_refused":
                raise _merits(error) from error
            rounds = 1 if arrived else rounds + 1
            if rounds >= MAX_ROUNDS:
                detail = f"the upload was refused {rounds} times, at last with {error.server_code or error.detail}"
                raise ServerError("server_failed", detail) from error


def wait(bundle: Bundle, service: Service, *, limit_s: float) -> Receipt:
    """Wait until the server has judged a submitted bundle.

    Args:
        bundle: The bundle.
        service: The server.
        limit_s: Longest wait, in seconds.

    Raises:
        ServerError: ``validation_pending`` after that time, and what `Service` raises.
    """
    waited_s, pause_s = 0.0, FIRST_POLL_S
    while True:
        receipt = _checked(api.get_status(service, bundle.id), bundle)
        if receipt.validation_state not in ("pending", "running"):
            return receipt
        if waited_s >= limit_s:
            raise ServerError("validation_pending", f"not judged after {limit_s:g} s; see {receipt.url}")
        pause_s = min(pause_s, limit_s - waited_s)
        service.pause(pause_s)
        waited_s, pause_s = waited_s + pause_s, min(2 * pause_s, LONGEST_POLL_S)


def _register(bundle: Bundle, service: Service) -> Receipt:
    envelope = None if bundle.envelope is None else api.Envelope.model_validate_json(bundle.envelope)
    try:
        posted = api.BundlePost(manifest=bundle.manifest_bytes.decode(), envelope=envelope)
        receipt = _checked(api.post_bundle(service, posted), bundle)
    except ServerError as error:
        raise _merits(error) from error
    listed = {(entry.sha256, entry.size_bytes) for entry in bundle.manifest.files}
    for blob in receipt.missing:
        if (blob.sha256, blob.size_bytes) not in listed:
            raise ServerError("server_answer_invalid", "the server asks for a file that the bundle does not have")
        _check_plan(blob)
    return receipt


def _check_plan(blob: MissingBlob) -> None:
    """Demand that the parts are the blob, once and in order."""
    offset = 0
    for number, part in enumerate(blob.upload.parts, start=1):
        if (part.number, part.offset) != (number, offset) or part.size_bytes > blob.upload.part_size_bytes:
            raise ServerError("server_answer_invalid", f"blob {blob.sha256}: part {part.number} is out of place")
        offset += part.size_bytes
    if offset != blob.size_bytes:
        raise ServerError("server_answer_invalid", f"blob {blob.sha256}: the parts have {offset} bytes together")


def _send(bundle: Bundle, blob: MissingBlob, service: Service) -> Iterator[int]:
    """Send what is missing of a blob; yields the size of each part that arrived."""
    waiting = [part for part in blob.upload.parts if not part.received]
    with bundle.blobs.open(blob.sha256) as stream:
        for first in range(0, len(waiting), BATCH):
            batch = waiting[first : first + BATCH]
            digests = {part.number: hashlib.sha256(_read(stream, part)) for part in batch}
            addresses = _addresses(blob, batch, digests, service)
            for part in batch:
                data, address = _read(stream, part), addresses[part.number]
                answer = service.put(address.url, data, beside=_BUNDLES, headers=address.headers)
                if answer is not None:
                    _check_part(answer, blob, part)
                yield len(data)


def _read(stream: BinaryIO, part: PartPlan) -> bytes:
    stream.seek(part.offset)
    return stream.read(part.size_bytes)


def _addresses(
    blob: MissingBlob, batch: Sequence[PartPlan], digests: Mapping[int, "hashlib._Hash"], service: Service
) -> Mapping[int, PartAddress]:
    """Say what the parts are and ask where they go."""
    said = tuple(
        PartAnnouncement(number=part.number, size_bytes=part.size_bytes, sha256=digests[part.number].hexdigest())
        for part in batch
    )
    answer = api.announce_parts(service, blob.sha256, PartsPost(parts=said))
    found = {one.number: one for one in answer.parts}
    for name, value in (header for one in answer.parts for header in one.headers.items()):
        if not (_HEADER.fullmatch(name) and _HEADER_VALUE.fullmatch(value)):
            raise ServerError("server_answer_invalid", f"blob {blob.sha256}: an address asks for another header")
    if found.keys() != digests.keys():
        raise ServerError("server_answer_invalid", f"blob {blob.sha256}: the addresses are for other parts")
    return found


def _check_part(answer: bytes, blob: MissingBlob, part: PartPlan) -> None:
    try:
        receipt = PartReceipt.model_validate_json(answer)
    except ValidationError as error:
        raise ServerError("server_answer_invalid", describe(error)) from error
    if (receipt.sha256, receipt.number, receipt.size_bytes) != (blob.sha256, part.number, part.size_bytes):
        raise ServerError("server_answer_invalid", f"blob {blob.sha256}: the receipt is for another part")


def _checked(receipt: Receipt, bundle: Bundle) -> Receipt:
    if receipt.bundle_id != bundle.id:
        raise ServerError("server_answer_invalid", "the receipt is for another bundle")
    return receipt


def _merits(error: ServerError) -> ServerError:
    """Tell a bundle that is refused from a server that refuses."""
    if error.status in _ON_ITS_MERITS:
        return ServerError("upload_refused", error.detail, status=error.status, server_code=error.server_code)
    return error
