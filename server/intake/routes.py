"""The upload protocol: post the manifest, put the parts, submit. Every step may be repeated.

POST /api/v1/bundles                        manifest and envelope; says which blobs are missing
POST /api/v1/blobs/{sha256}/parts           what the parts will be; says where each of them goes
PUT  /api/v1/blobs/{sha256}/parts/{number}  one part, with its Content-Digest; in any order
POST /api/v1/bundles/{bundle_id}/submit     everything is here: verify and validate
GET  /api/v1/bundles/{bundle_id}/status     poll until validation has ended
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from server.addresses import address_of
from server.auth import Principal, require
from server.bodies import chunks, described, json_body
from server.errors import document
from server.idempotency import IdempotentRoute
from server.intake import examples, parts, service, uploads
from server.intake.schemas import BundlePost, BundleReceipt, PartAddresses, PartReceipt, PartsPost
from server.services import InService
from worker.bundle import canonical
from worker.bundle.blobs import MAX_ENVELOPE_BYTES, MAX_MANIFEST_BYTES

router = APIRouter(prefix="/api/v1", tags=["upload"], route_class=IdempotentRoute)

_BODY_BYTES = 2 * MAX_MANIFEST_BYTES + MAX_ENVELOPE_BYTES + 1024
"""A manifest of the largest size with every other character escaped."""

Digest = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="SHA-256 in lower-case hexadecimal.")]
Uploader = Annotated[Principal, Depends(require("bundles:write"))]
_BODY = ("unsupported_media_type", "body_too_large", "json_invalid", "body_invalid")


@router.post(
    "/bundles",
    status_code=201,
    summary="Register a bundle's manifest",
    responses={
        **document(
            *_BODY,
            "manifest_too_large",
            "manifest_invalid",
            "manifest_not_canonical",
            "not_canonical",
            "bundle_too_large",
            "blob_too_large",
            "blob_size_conflict",
            "envelope_invalid",
            "envelope_conflict",
            "bundle_retracted",
            "bundle_retired",
            "quota_bundles",
            "quota_open_bytes",
            "quota_stored_bytes",
            "storage_unavailable",
        ),
        200: {"model": BundleReceipt, **examples.receipt("open", description="The bundle was known already")},
        201: examples.receipt("open", description="The bundle is new"),
    },
    openapi_extra=described(BundlePost, example=examples.POST),
)
def post_bundle(
    services: InService,
    request: Request,
    response: Response,
    by: Uploader,
    posted: Annotated[BundlePost, Depends(json_body(BundlePost, limit=_BODY_BYTES))],
) -> BundleReceipt:
    """Take a manifest in and say which blobs to upload, part by part.

    The bundle's id is the SHA-256 of the manifest's bytes. Posting the same manifest again answers 200 with what is
    still missing: that is how an interrupted upload goes on.
    """
    envelope = canonical(posted.envelope.model_dump(mode="json", by_alias=True)) if posted.envelope else None
    receipt, created = service.accept(
        services,
        manifest_bytes=posted.manifest.encode(),
        envelope=envelope,
        by=by,
        address=address_of(request, services.settings),
    )
    response.status_code = 201 if created else 200
    return receipt


@router.post(
    "/blobs/{sha256}/parts",
    dependencies=[Depends(require("bundles:write"))],
    summary="Ask where parts of a blob go",
    responses={
        200: examples.ADDRESSES,
        **document(
            *_BODY,
            "parameter_invalid",
            "blob_not_expected",
            "part_out_of_range",
            "part_size_wrong",
            "storage_unavailable",
        ),
    },
    openapi_extra=described(PartsPost, example=examples.PARTS_POST),
)
async def announce_parts(
    services: InService, sha256: Digest, posted: Annotated[PartsPost, Depends(json_body(PartsPost, limit=32_000))]
) -> PartAddresses:
    """Say what parts will be, and learn where to put each: an address takes exactly those bytes.

    Addresses of the blob store itself expire (403 there): ask again. Ask for few at a time.
    """
    addresses = await services.transfers.run(lambda: uploads.announce(services, sha256, posted.parts))
    return PartAddresses(parts=addresses)


@router.put(
    "/blobs/{sha256}/parts/{number}",
    dependencies=[Depends(require("bundles:write"))],
    summary="Upload one part of a blob",
    responses={
        200: examples.PART,
        **document(
            "parameter_invalid",
            "header_invalid",
            "blob_not_expected",
            "part_out_of_range",
            "part_size_wrong",
            "part_digest_wrong",
            "body_too_large",
            "unsupported_media_type",
            "storage_unavailable",
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def put_part(
    request: Request,
    services: InService,
    sha256: Digest,
    number: Annotated[int, Path(ge=1, le=1_000_000, description="Number of the part, from 1.")],
    content_digest: Annotated[
        str, Header(max_length=1000, description="RFC 9530: `sha-256=:BASE64:` of the part's bytes.")
    ],
) -> PartReceipt:
    """Take one part in, in any order, as often as needed; the newest whole one counts."""
    digest = parts.parse_content_digest(content_digest)
    sizes = await run_in_threadpool(uploads.expected_sizes, services, sha256, number)
    with services.store.part(sha256, number) as sink:
        size_bytes = await parts.store(
            chunks(request, limit=max(sizes)), sink, sizes=sizes, sha256=digest, threads=services.transfers
        )
    await run_in_threadpool(uploads.part_arrived, services, sha256, number, digest)
    return PartReceipt(sha256=sha256, number=number, size_bytes=size_bytes)


@router.post(
    "/bundles/{bundle_id}/submit",
    status_code=202,
    summary="Submit a bundle for validation",
    responses={
        **document(
            "parameter_invalid",
            "bundle_not_found",
            "bundle_incomplete",
            "upload_expired",
            "blob_corrupt",
            "storage_unavailable",
        ),
        202: examples.receipt("complete", description="Every blob was verified"),
    },
)
async def submit_bundle(services: InService, bundle_id: Digest, by: Uploader) -> BundleReceipt:
    """Verify that every blob is here and whole, and ask for validation. Submitting again changes nothing."""
    return await services.transfers.run(lambda: service.submit(services, bundle_id, by=by))


@router.get(
    "/bundles/{bundle_id}/status",
    summary="Ask where a bundle stands",
    responses={
        **document("parameter_invalid", "bundle_not_found", "storage_unavailable"),
        200: examples.receipt("complete", description="Where it stands"),
    },
)
def get_status(services: InService, bundle_id: Digest) -> BundleReceipt:
    """Say what is missing, or how far validation has come. Light enough to poll every second."""
    return service.receipt(services, bundle_id)
