"""What the dashboard reads: pull requests, bundles, comparisons, and the catalogues they refer to."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Response

from judge.compare import compare
from judge.evidence import collect
from judge.metrics import METRICS
from judge.rules import FAMILIES, RULES
from server.downloads import OCTETS, attachment, etag, is_current
from server.errors import AppError, document
from server.pagination import Cursor, Limit
from server.results import examples, queries, standing
from server.results.schemas import (
    BundleList,
    BundlePage,
    ComparePage,
    MetricList,
    PullList,
    PullPage,
    RevalidationList,
    RuleItem,
    RuleList,
    SuiteItem,
    SuiteList,
)
from server.services import InService
from server.stored import stored
from worker import suites

router = APIRouter(prefix="/api/v1", tags=["results"])

Digest = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="SHA-256 in lower-case hexadecimal.")]
IfNoneMatch = Annotated[str | None, Header(max_length=1000, description="Answer 304 if this is still the ETag.")]
_HIDDEN = (
    "parameter_invalid",
    "bundle_not_found",
    "bundle_not_validated",
    "bundle_quarantined",
    "bundle_retracted",
    "bundle_retired",
)


@router.get(
    "/pulls",
    summary="List pull requests",
    responses={**document("parameter_invalid", "cursor_invalid"), 200: examples.PULLS},
)
def list_pulls(services: InService, cursor: Cursor = None, limit: Limit = 30) -> PullList:
    """Pull requests known here with the outcomes of their claims, the last touched first."""
    with services.database.read() as session:
        return queries.pull_list(session, public_url=services.settings.public_url, cursor=cursor, limit=limit)


@router.get(
    "/pulls/{owner}/{name}/{number}",
    summary="Read a pull request",
    responses={**document("parameter_invalid", "pull_not_found"), 200: examples.PULL},
)
def get_pull(
    services: InService,
    owner: Annotated[str, Path(max_length=100)],
    name: Annotated[str, Path(max_length=100)],
    number: Annotated[int, Path(ge=1, le=2**53 - 1)],
) -> PullPage:
    """Claims, their verdicts, the evidence behind them, and the check on GitHub."""
    with services.database.read() as session:
        return queries.pull_page(
            session,
            repository=f"{owner}/{name}",
            number=number,
            public_url=services.settings.public_url,
            now=services.clock(),
        )


@router.get(
    "/bundles",
    summary="List bundles",
    responses={**document("parameter_invalid", "cursor_invalid"), 200: examples.BUNDLES},
)
def list_bundles(services: InService, cursor: Cursor = None, limit: Limit = 30) -> BundleList:
    """Bundles whose upload is complete, newest first."""
    with services.database.read() as session:
        return queries.bundle_list(session, public_url=services.settings.public_url, cursor=cursor, limit=limit)


@router.get(
    "/bundles/{bundle_id}",
    summary="Read a bundle",
    responses={**document("parameter_invalid", "bundle_not_found"), 200: examples.BUNDLE},
)
def get_bundle(services: InService, bundle_id: Digest) -> BundlePage:
    """State, trust, manifest, findings, recomputed cells, and where to download the raw files."""
    with services.database.read() as session:
        return queries.bundle_page(session, bundle_id, public_url=services.settings.public_url)


@router.get(
    "/bundles/{bundle_id}/manifest",
    summary="Download a manifest",
    response_class=Response,
    responses={
        **document(*_HIDDEN),
        200: {"description": "The canonical bytes whose SHA-256 is the bundle's id", "content": OCTETS},
        304: {"description": "Not modified"},
    },
)
def get_manifest(services: InService, bundle_id: Digest, if_none_match: IfNoneMatch = None) -> Response:
    """The manifest, byte for byte."""
    with services.database.read() as session:
        bundle = queries.find_bundle(session, bundle_id)
        queries.require_shown(session, bundle)
        manifest = bundle.manifest
    if is_current(bundle_id, if_none_match):
        return Response(status_code=304, headers=etag(bundle_id))
    return attachment(manifest, name=f"{bundle_id[:16]}.manifest.json", tag=bundle_id)


@router.get(
    "/bundles/{bundle_id}/envelope",
    summary="Download a signature",
    response_class=Response,
    responses={
        **document(*_HIDDEN, "envelope_not_found"),
        200: {"description": "The DSSE envelope over the manifest", "content": OCTETS},
    },
)
def get_envelope(services: InService, bundle_id: Digest) -> Response:
    """The DSSE envelope as canonical JSON; any DSSE implementation verifies it."""
    with services.database.read() as session:
        bundle = queries.find_bundle(session, bundle_id)
        queries.require_shown(session, bundle)
        envelope = bundle.envelope
    if envelope is None:
        raise AppError("envelope_not_found", "The bundle was posted without an envelope.")
    return attachment(envelope, name=f"{bundle_id[:16]}.envelope.json", tag=None)


@router.get(
    "/blobs/{sha256}",
    summary="Download a raw file",
    response_class=Response,
    responses={
        **document("parameter_invalid", "blob_not_found", "storage_unavailable"),
        200: {"description": "The file, byte for byte", "content": OCTETS},
        304: {"description": "Not modified"},
    },
)
def get_blob(services: InService, sha256: Digest, if_none_match: IfNoneMatch = None) -> Response:
    """A blob of a validated bundle: raw rows, logs, tool output."""
    with services.database.read() as session:
        shown = queries.blob_is_shown(session, sha256)
    if not shown:
        raise AppError("blob_not_found", f"No validated bundle holds blob {sha256}.")
    if is_current(sha256, if_none_match):
        return Response(status_code=304, headers=etag(sha256))
    return attachment(services.store.open(sha256), name=f"{sha256[:16]}.bin", tag=sha256)


@router.get(
    "/compare",
    summary="Compare two bundles",
    responses={**document(*_HIDDEN, "storage_unavailable"), 200: examples.COMPARE},
)
def compare_bundles(
    services: InService,
    a: Annotated[str, Query(pattern=r"^[0-9a-f]{64}$", description="One bundle.")],
    b: Annotated[str, Query(pattern=r"^[0-9a-f]{64}$", description="The other; ratios are B against A.")],
) -> ComparePage:
    """Which numbers of two bundles may be compared, what comes out, and which field stands in the way elsewhere."""
    with services.database.read() as session:
        found = [queries.find_bundle(session, bundle_id) for bundle_id in (a, b)]
        for bundle in found:
            queries.require_shown(session, bundle)
        first, second = queries.bundle_refs(session, found, public_url=services.settings.public_url)
    evidence = [collect(stored(services, bundle)) for bundle in found]
    return ComparePage(a=first, b=second, comparison=compare(evidence[0], evidence[1]))


@router.get(
    "/revalidations",
    summary="List bundles that were judged again",
    responses={**document("parameter_invalid", "cursor_invalid"), 200: examples.REVALIDATIONS},
)
def list_revalidations(services: InService, cursor: Cursor = None, limit: Limit = 30) -> RevalidationList:
    """What new rules and limits made of old bundles: findings that appeared and that are gone, newest first."""
    with services.database.read() as session:
        return standing.revalidation_list(session, cursor=cursor, limit=limit)


@router.get("/rules", summary="List the rules", responses={**document(), 200: examples.RULE_LIST})
def list_rules() -> RuleList:
    """Every rule a bundle is checked by, with why it matters and what to do about a finding."""
    return RuleList(
        items=tuple(
            RuleItem(
                id=rule.id,
                family=rule.family,
                family_title=FAMILIES[rule.family],
                version=rule.version,
                severity=rule.severity,
                effect=rule.effect,
                title=rule.title,
                why=rule.why,
                hint=rule.hint,
                bears_on=rule.bears_on,
            )
            for rule in RULES
        )
    )


@router.get("/suites", summary="List the suites", responses={**document(), 200: examples.SUITE_LIST})
def list_suites() -> SuiteList:
    """Every published suite: what it runs, and how little is too little."""
    return SuiteList(items=tuple(SuiteItem(digest=suite.digest, suite=suite) for suite in suites.published()))


@router.get("/metrics", summary="List the metrics", responses={**document(), 200: examples.METRIC_LIST})
def list_metrics() -> MetricList:
    """What every metric means, its unit and its direction."""
    return MetricList(items=tuple(METRICS.values()))
