"""What there is for a pull request: its bundles as the judge takes them, and where each one stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, undefer

from judge.assess import Assessment
from judge.lifetime import Counted, Item, Lifetime, Withdrawal, counted, facts, lifetimes
from judge.policy import Provenance
from judge.trust import Placement, Run, place
from server import audit
from server.issued import challenges_of, unanswered
from server.models import AssessmentRow, Bundle, EvidenceRow, Node, Pull
from server.rulings import rulings_of
from server.services import Services
from server.stored import readable
from worker.bundle import parse_manifest


@dataclass(frozen=True)
class Gathered:
    """The bundles of a pull request, oldest first, and who stands behind each."""

    items: tuple[Item, ...]
    provenance: Mapping[str, Provenance]
    lots: Mapping[str, float]
    """What was drawn for each, for audits."""


@dataclass(frozen=True)
class Weighed:
    """The same, each in its place.

    Attributes:
        items: With the trust they have among one another.
        standings: One for each item.
        placements: Of those that may count, by bundle id.
        counted: What verdicts are made from.
    """

    items: tuple[Item, ...]
    standings: tuple[Lifetime, ...]
    placements: Mapping[str, Placement]
    counted: tuple[Counted, ...]


def gather(session: Session, pull: Pull, *, now: datetime) -> Gathered:
    """Read every bundle that was judged for a pull request, and every retracted one."""
    rows = session.execute(
        select(Bundle, AssessmentRow.record, AssessmentRow.lot)
        .outerjoin(AssessmentRow, AssessmentRow.bundle_id == Bundle.id)
        .where(
            Bundle.repository_id == pull.repository_id,
            Bundle.pull_number == pull.number,
            Bundle.upload_state == "complete",
        )
        .order_by(Bundle.completed_at, Bundle.id)
        .options(undefer(Bundle.manifest))
    ).all()
    rulings = rulings_of(session, [bundle.id for bundle, _, _ in rows])
    challenges = session.scalars(challenges_of(pull.id)).all()
    keys = {bundle.node_key_id for bundle, _, _ in rows} | {one.node_key_id for one in challenges}
    nodes = {node.key_id: node for node in session.scalars(select(Node).where(Node.key_id.in_(keys)))}
    owners = {key: node.owner for key, node in nodes.items()}
    items, provenance = [], {}
    for bundle, record, _ in rows:
        withdrawn: Withdrawal | None = None
        reason = ""
        for ruling in rulings.get(bundle.id, ()):
            match ruling.kind:
                case "retracted" | "invalidated" if ruling.undone is None and withdrawn != "retracted":
                    withdrawn, reason = ruling.kind, ruling.reason
        assessment = None if withdrawn == "retracted" else readable(Assessment, record)
        if assessment is None and withdrawn != "retracted":
            continue  # not judged yet
        known = facts(parse_manifest(bundle.manifest)) if assessment is not None else None
        suite = known.suite_digest if known is not None else None
        unused = 0 if suite is None else unanswered(challenges, owners, bundle, suite, now=now)
        items.append(Item(bundle.id, assessment, known, bundle.node_key_id, withdrawn, reason, unused))
        node = nodes.get(bundle.node_key_id or "")
        provenance[bundle.id] = Provenance(owner=node.owner if node else None, project=bool(node and node.project))
    return Gathered(tuple(items), provenance, {bundle.id: lot for bundle, _, lot in rows if lot is not None})


def weigh(gathered: Gathered, *, head_sha: str) -> Weighed:
    """Say where each bundle stands for the present head, and how far each is to be trusted among the others."""
    standings = lifetimes(gathered.items, head_sha=head_sha)
    alive = {one.bundle_id for one in standings if one.standing in ("current", "inherited", "stale")}
    runs = [_run(item, gathered.provenance[item.bundle_id]) for item in gathered.items if item.usable]
    placements = {one.bundle_id: one for one in place([run for run in runs if run.bundle_id in alive])}
    items = tuple(_trusted(item, placements.get(item.bundle_id)) for item in gathered.items)
    return Weighed(items, standings, placements, counted(items, standings, head_sha=head_sha))


def keep(session: Session, services: Services, pull: Pull, weighed: Weighed) -> None:
    """Store where each bundle stands, and its trust where others changed it."""
    session.execute(delete(EvidenceRow).where(EvidenceRow.pull_id == pull.id))
    for standing in weighed.standings:
        placement = weighed.placements.get(standing.bundle_id)
        session.add(
            EvidenceRow(
                bundle_id=standing.bundle_id,
                pull_id=pull.id,
                standing=standing.standing,
                record=standing.model_dump_json(),
                placement=placement.model_dump_json() if placement else None,
            )
        )
    _raise_trust(session, services, list(weighed.placements.values()))


def _raise_trust(session: Session, services: Services, placements: Sequence[Placement]) -> None:
    known = {one.bundle_id: one.trust for one in placements}
    for bundle in session.scalars(select(Bundle).where(Bundle.id.in_(known)).with_for_update()):
        trust = known[bundle.id]
        if bundle.validation_state != "valid" or (bundle.trust_level, bundle.trust_reason) == (
            trust.level,
            trust.reason,
        ):
            continue
        if bundle.trust_level != trust.level:
            audit.record(
                session,
                at=services.clock(),
                actor="service",
                action="bundle.trust_changed",
                target=bundle.id,
                detail=f"{bundle.trust_level} to {trust.level}: {trust.reason}",
            )
        bundle.trust_level, bundle.trust_reason = trust.level, trust.reason


def _run(item: Item, behind: Provenance) -> Run:
    assert item.assessment is not None
    assert item.facts is not None
    head, suite = item.assessment.head_sha, item.facts.suite_digest
    return Run(
        bundle_id=item.bundle_id,
        own=item.assessment.trust,
        findings=item.assessment.findings,
        cells=item.assessment.cells,
        binding=(head, suite) if head != "unknown" and suite is not None else None,
        owner=behind.owner,
        project=behind.project,
        gpus=item.facts.gpus,
        unused=item.unused,
    )


def _trusted(item: Item, placement: Placement | None) -> Item:
    if item.assessment is None or placement is None:
        return item
    return replace(item, assessment=item.assessment.model_copy(update={"trust": placement.trust}))
