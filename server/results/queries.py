"""From rows to what the dashboard reads. Reads only."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import get_args

from sqlalchemy import Select, and_, func, select, tuple_
from sqlalchemy.orm import Session, defer, undefer

from judge.assess import Assessment
from judge.decision import Outcome
from judge.trust import NAMES, TrustLevel
from judge.verdict import Verdict
from server import waivers
from server.claimed import claims_of, source_of
from server.errors import AppError
from server.issued import challenge_ref, challenges_of, tally
from server.models import (
    AssessmentRow,
    Blob,
    Bundle,
    BundleBlob,
    EvidenceRow,
    Node,
    Post,
    Pull,
    Repository,
    VerdictRow,
)
from server.pagination import cursor_after, read_cursor, read_numbered_cursor
from server.pulls import find_pull, pull_ref
from server.results.schemas import (
    BundleList,
    BundlePage,
    BundleRef,
    CheckState,
    EvidenceItem,
    FileDownload,
    FindingCounts,
    OutcomeCount,
    PullItem,
    PullList,
    PullPage,
)
from server.results.standing import Stand, left, stands_of
from server.rulings import require_kept, rulings_of, tombstone
from server.stored import policy_of, readable
from worker.bundle import parse_manifest

_JUDGED = ("valid", "invalid")
"""Validation states in which a bundle's contents are shown."""
_EVIDENCE_LIMIT = 200
_CHALLENGE_LIMIT = 200


def pull_list(session: Session, *, public_url: str, cursor: str | None, limit: int) -> PullList:
    """One page of pull requests, the last touched first.

    Raises:
        AppError: ``cursor_invalid``.
    """
    query = select(Pull, Repository).join(Repository).order_by(Pull.seen_at.desc(), Pull.id.desc())
    if cursor is not None:
        query = query.where(tuple_(Pull.seen_at, Pull.id) < read_numbered_cursor(cursor))
    rows = session.execute(query.limit(limit + 1)).all()
    shown = rows[:limit]
    ids = [pull.id for pull, _ in shown]
    outcomes, bundles, checks = _outcomes(session, ids), _bundle_counts(session, ids), check_states(session, ids)
    items = [
        PullItem(
            pull=pull_ref(pull, repository, public_url=public_url),
            outcomes=outcomes.get(pull.id, ()),
            bundles=bundles.get(pull.id, 0),
            check=checks.get(pull.id),
        )
        for pull, repository in shown
    ]
    last = shown[-1][0] if len(rows) > limit else None
    return PullList(items=tuple(items), next_cursor=cursor_after(last.seen_at, str(last.id)) if last else None)


def pull_page(session: Session, *, repository: str, number: int, public_url: str, now: datetime) -> PullPage:
    """Everything about one pull request.

    Raises:
        AppError: ``pull_not_found``.
    """
    pull, home = find_pull(session, repository=repository, number=number)
    claimed = claims_of(pull)
    records = session.scalars(
        select(VerdictRow.record).where(VerdictRow.pull_id == pull.id).order_by(VerdictRow.position)
    )
    verdicts = tuple(one for record in records if (one := readable(Verdict, record)) is not None)
    bundles = session.scalars(_bundles_of(pull).order_by(Bundle.completed_at.desc()).limit(_EVIDENCE_LIMIT)).all()
    stands, open_ends = stands_of(session, [bundle.id for bundle in bundles]), left(session, pull.id)
    return PullPage(
        pull=pull_ref(pull, home, public_url=public_url),
        claims=claimed.claims,
        claim_errors=claimed.errors,
        claims_from=source_of(pull),
        verdicts=verdicts,
        judged_at=pull.judged_at,
        judged_head_sha=pull.judged_head_sha,
        policy=policy_of(session, pull.repository_id),
        shortfalls=open_ends.shortfalls,
        rerun=open_ends.rerun,
        scope=open_ends.scope,
        waivers=waivers.holding(session, pull),
        evidence=tuple(
            EvidenceItem(
                bundle=ref,
                stale=_stale(ref.head_sha, pull, stands.get(ref.bundle_id)),
                lifetime=stands[ref.bundle_id].lifetime if ref.bundle_id in stands else None,
                claim_ids=tuple(one.claim_id for one in verdicts if ref.bundle_id in one.bundle_ids),
            )
            for ref in bundle_refs(session, bundles, public_url=public_url)
        ),
        challenges=tuple(
            challenge_ref(one, now=now) for one in session.scalars(challenges_of(pull.id).limit(_CHALLENGE_LIMIT))
        ),
        challenge_tally=tally(session, pull.id, now=now),
        check=check_state(session, pull.id),
    )


def bundle_list(session: Session, *, public_url: str, cursor: str | None, limit: int) -> BundleList:
    """One page of bundles whose upload is complete, newest first.

    Raises:
        AppError: ``cursor_invalid``.
    """
    query = (
        select(Bundle).where(Bundle.completed_at.is_not(None)).order_by(Bundle.completed_at.desc(), Bundle.id.desc())
    )
    if cursor is not None:
        query = query.where(tuple_(Bundle.completed_at, Bundle.id) < read_cursor(cursor))
    rows = session.scalars(query.limit(limit + 1)).all()
    refs = bundle_refs(session, rows[:limit], public_url=public_url)
    more = len(rows) > limit and rows[limit - 1].completed_at
    return BundleList(items=tuple(refs), next_cursor=cursor_after(more, rows[limit - 1].id) if more else None)


def bundle_page(session: Session, bundle_id: str, *, public_url: str) -> BundlePage:
    """Everything about one bundle.

    Raises:
        AppError: ``bundle_not_found``.
    """
    bundle = find_bundle(session, bundle_id)
    home = None
    if bundle.repository_id is not None and bundle.pull_number is not None:
        home = session.execute(
            select(Pull, Repository)
            .join(Repository)
            .where(Pull.repository_id == bundle.repository_id, Pull.number == bundle.pull_number)
        ).one_or_none()
    kept = tombstone(session, bundle_id)
    shown = bundle.validation_state in _JUDGED and kept is None
    manifest = parse_manifest(bundle.manifest) if shown else None
    stand = stands_of(session, [bundle_id]).get(bundle_id)
    record = session.scalar(select(AssessmentRow.record).where(AssessmentRow.bundle_id == bundle_id))
    return BundlePage(
        bundle=bundle_refs(session, [bundle], public_url=public_url)[0],
        pull=pull_ref(home[0], home[1], public_url=public_url) if home else None,
        stale=home is not None and _stale(bundle.head_sha, home[0], stand),
        lifetime=stand.lifetime if stand else None,
        placement=stand.placement if stand else None,
        tombstone=kept,
        manifest=manifest,
        assessment=readable(Assessment, record),
        files=tuple(
            FileDownload(sha256=sha256, url=f"/api/v1/blobs/{sha256}")
            for sha256 in dict.fromkeys(entry.sha256 for entry in manifest.files)
        )
        if manifest
        else (),
    )


def find_bundle(session: Session, bundle_id: str) -> Bundle:
    """A bundle with its manifest and envelope.

    Raises:
        AppError: ``bundle_not_found``.
    """
    bundle = session.get(Bundle, bundle_id, options=[undefer(Bundle.manifest), undefer(Bundle.envelope)])
    if bundle is None:
        raise AppError("bundle_not_found", f"There is no bundle {bundle_id}.")
    return bundle


def require_shown(session: Session, bundle: Bundle) -> None:
    """Let only contents pass that are still here, and were searched for secrets and found clean.

    Raises:
        AppError: ``bundle_retracted``, ``bundle_quarantined``, ``bundle_not_validated``.
    """
    require_kept(session, bundle.id)
    if bundle.validation_state == "quarantined":
        raise AppError("bundle_quarantined", "A person has to look at this bundle first.")
    if bundle.validation_state not in _JUDGED:
        raise AppError("bundle_not_validated", f"Validation is {bundle.validation_state}.")


def blob_is_shown(session: Session, sha256: str) -> bool:
    """Whether a blob belongs to a bundle whose contents are shown, and to none in quarantine."""
    states = set(
        session.scalars(
            select(Bundle.validation_state)
            .join(BundleBlob, BundleBlob.bundle_id == Bundle.id)
            .join(Blob, Blob.sha256 == BundleBlob.sha256)
            .where(Blob.sha256 == sha256, Blob.stored_at.is_not(None))
        )
    )
    return bool(states & set(_JUDGED)) and "quarantined" not in states


def bundle_refs(session: Session, bundles: Sequence[Bundle], *, public_url: str) -> list[BundleRef]:
    """Bundles in short, with what is known of them in two queries for all."""
    ids = [bundle.id for bundle in bundles]
    counts = {
        row.bundle_id: FindingCounts(error=row.errors, warning=row.warnings, info=row.notes)
        for row in session.scalars(select(AssessmentRow).where(AssessmentRow.bundle_id.in_(ids)))
    }
    keys = {bundle.node_key_id for bundle in bundles}
    owners = dict(session.execute(select(Node.key_id, Node.owner).where(Node.key_id.in_(keys))).all())
    rulings = rulings_of(session, ids)
    standings = dict(
        session.execute(select(EvidenceRow.bundle_id, EvidenceRow.standing).where(EvidenceRow.bundle_id.in_(ids))).all()
    )
    found = [_bundle_ref(bundle, counts, owners, public_url=public_url) for bundle in bundles]
    return [
        ref.model_copy(update={"standing": standings.get(ref.bundle_id), "rulings": rulings.get(ref.bundle_id, ())})
        for ref in found
    ]


def check_state(session: Session, pull_id: int) -> CheckState | None:
    """The newest check of a pull request."""
    return check_states(session, [pull_id]).get(pull_id)


def check_states(session: Session, pull_ids: Sequence[int]) -> Mapping[int, CheckState]:
    """The newest check of each pull request that has one."""
    newest = (
        select(func.max(Post.id))
        .where(Post.pull_id.in_(pull_ids), Post.state != "superseded")
        .group_by(Post.pull_id)
        .scalar_subquery()
    )
    posts = session.scalars(select(Post).where(Post.id.in_(newest)).options(defer(Post.payload)))
    return {
        post.pull_id: CheckState(
            state=post.state,
            conclusion=post.conclusion,
            title=post.title,
            head_sha=post.head_sha,
            attempts=post.attempts,
            detail=post.detail,
            url=post.url or None,
            created_at=post.created_at,
            sent_at=post.sent_at,
        )
        for post in posts
    }


def _bundle_ref(
    bundle: Bundle, counts: Mapping[str, FindingCounts], owners: Mapping[str, str], *, public_url: str
) -> BundleRef:
    trust = None
    if bundle.trust_level is not None:
        trust = TrustLevel(level=bundle.trust_level, name=NAMES[bundle.trust_level], reason=bundle.trust_reason)
    return BundleRef(
        bundle_id=bundle.id,
        origin=bundle.origin,
        repository_id=bundle.repository_id,
        repository=bundle.repository,
        pull_number=bundle.pull_number,
        head_sha=bundle.head_sha,
        suite=bundle.suite,
        size_bytes=bundle.size_bytes,
        signature=bundle.signature,
        node_key_id=bundle.node_key_id,
        node_owner=owners.get(bundle.node_key_id) if bundle.node_key_id else None,
        upload_state=bundle.upload_state,
        validation_state=bundle.validation_state,
        validation_detail=bundle.validation_detail,
        trust=trust,
        standing=None,
        rulings=(),
        findings=counts.get(bundle.id),
        created_at=bundle.created_at,
        completed_at=bundle.completed_at,
        validated_at=bundle.validated_at,
        url=f"{public_url}/bundles/{bundle.id}",
    )


def _stale(head_sha: str | None, pull: Pull, stand: Stand | None) -> bool:
    return head_sha != pull.head_sha if stand is None else stand.stale(head_sha, now=pull.head_sha)


def _bundles_of(pull: Pull) -> Select[Bundle]:
    return select(Bundle).where(
        Bundle.repository_id == pull.repository_id,
        Bundle.pull_number == pull.number,
        Bundle.upload_state == "complete",
    )


def _outcomes(session: Session, pull_ids: Sequence[int]) -> Mapping[int, tuple[OutcomeCount, ...]]:
    """How many claims of each pull request came out how."""
    rows = session.execute(
        select(VerdictRow.pull_id, VerdictRow.outcome, func.count())
        .where(VerdictRow.pull_id.in_(pull_ids))
        .group_by(VerdictRow.pull_id, VerdictRow.outcome)
    ).all()
    found = {(pull_id, outcome): count for pull_id, outcome, count in rows}
    ordered: Iterable[Outcome] = get_args(Outcome)
    return {
        pull_id: tuple(
            OutcomeCount(outcome=one, count=found[pull_id, one]) for one in ordered if (pull_id, one) in found
        )
        for pull_id in {row.pull_id for row in rows}
    }


def _bundle_counts(session: Session, pull_ids: Sequence[int]) -> Mapping[int, int]:
    """How many complete bundles each pull request has; none: it is left out."""
    about = and_(Bundle.repository_id == Pull.repository_id, Bundle.pull_number == Pull.number)
    rows = session.execute(
        select(Pull.id, func.count())
        .join(Bundle, about)
        .where(Pull.id.in_(pull_ids), Bundle.upload_state == "complete")
        .group_by(Pull.id)
    ).all()
    return {row[0]: row[1] for row in rows}
