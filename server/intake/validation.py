"""Validation: every rule applied, every number recomputed, trust placed. Runs as a task."""

import secrets
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session, undefer

from judge.assess import Assessment, assess, edition
from judge.evidence import Context, KnownAnswer, PullState, collect
from judge.trust import project_trust
from server import audit
from server.db import inserter
from server.intake import binding, hidden_slice, signatures
from server.models import AssessmentRow, Bundle, Node, Pull, ValidationState
from server.queue import enqueue
from server.rulings import released_rules
from server.services import Services
from server.stored import stored
from worker.bundle import parse_manifest


def validate(services: Services, bundle_id: str) -> None:
    """Judge a bundle by itself and store the result. A bundle that was judged already stays as it is.

    Raises:
        OSError: A blob cannot be read: the infrastructure's fault, worth another attempt, never the bundle's.
    """
    with services.database.write() as session:
        if not _begin(session, services, bundle_id):
            return
        case = read(session, bundle_id)
    judgement = judge(services, case)
    with services.database.write() as session:
        if not _end(session, services, judgement):
            return
        keep(session, services, judgement)
    services.bell.ring()


@dataclass(frozen=True)
class Case:
    """A bundle, and what the service knows about it at one moment."""

    bundle: Bundle
    context: Context
    released: tuple[str, ...]
    """Rules whose suspicion a person lifted."""
    project: bool
    """Whether one of the project's nodes signed it."""


@dataclass(frozen=True)
class Judgement:
    """A bundle, judged.

    Attributes:
        case: What was judged.
        assessment: What came of it.
        state: The validation state that follows.
        detail: Why it is quarantined; else empty.
        answers: What it teaches about the hidden slice; nothing unless the project ran it.
    """

    case: Case
    assessment: Assessment
    state: ValidationState
    detail: str
    answers: tuple[KnownAnswer, ...] = ()

    @property
    def columns(self) -> dict[str, object]:
        """What a bundle's row says after it."""
        trust = project_trust(self.assessment.trust, project=self.case.project)
        return {
            "validation_state": self.state,
            "validation_detail": self.detail,
            "signature": self.case.context.signature,
            "node_key_id": self.case.context.node_key_id,
            "trust_level": trust.level,
            "trust_reason": trust.reason,
        }


def read(session: Session, bundle_id: str) -> Case:
    """Read what a bundle is judged by."""
    bundle = session.get_one(Bundle, bundle_id, options=[undefer(Bundle.manifest), undefer(Bundle.envelope)])
    submitted_at = bundle.completed_at or bundle.progress_at
    signed = signatures.check(session, bundle.envelope, bundle.manifest, at=submitted_at)
    node = session.get(Node, signed.key_id) if signed.key_id is not None else None
    context = Context(
        place="server",
        signature=signed.state,
        node_key_id=signed.key_id,
        challenge=binding.issued(session, bundle),
        pull=_state(_pull_of(session, bundle), bundle),
        answers=hidden_slice.known(session, parse_manifest(bundle.manifest)),
    )
    return Case(bundle, context, released_rules(session, bundle_id), node is not None and node.project)


def judge(services: Services, case: Case) -> Judgement:
    """Apply every rule to a bundle, recompute its cells, place its trust.

    Raises:
        OSError: A blob cannot be read.
    """
    evidence = collect(stored(services, case.bundle), context=case.context)
    assessment = assess(evidence, released=case.released)
    weighing = [one for one in assessment.findings if one.rule_id not in case.released]
    doubts = dict.fromkeys(one.title for one in weighing if one.effect == "quarantines")
    state: ValidationState = "quarantined" if doubts else assessment.validity  # also when invalid: it stays unseen
    answers = hidden_slice.taught(evidence, assessment) if case.project else ()
    return Judgement(case, assessment, state, "; ".join(doubts)[:500], answers)


def keep(session: Session, services: Services, judgement: Judgement) -> None:
    """Store an assessment and ask for the verdicts that rest on it."""
    severities = [finding.severity for finding in judgement.assessment.findings]
    values = {
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "notes": severities.count("info"),
        "edition": edition(),
        "record": judgement.assessment.model_dump_json(),
    }
    bundle = judgement.case.bundle
    lot = secrets.randbelow(1_000_000) / 1_000_000  # drawn once: judging again does not draw again
    row = inserter(session)(AssessmentRow).values(bundle_id=bundle.id, lot=lot, **values)
    session.execute(row.on_conflict_do_update(index_elements=["bundle_id"], set_=values))
    hidden_slice.learn(session, judgement.answers, bundle_id=bundle.id)
    if (pull := _pull_of(session, bundle)) is not None:
        enqueue(session, "refresh", str(pull.id), now=services.clock())


def give_up(session: Session, services: Services, bundle_id: str, detail: str) -> None:
    """Record that validation itself failed: an error of ours says nothing about the bundle."""
    session.execute(
        update(Bundle)
        .where(Bundle.id == bundle_id, Bundle.validation_state.in_(("pending", "running")))
        .values(validation_state="error", validation_detail="Validation failed on our side; an operator has to look.")
    )
    audit.record(session, at=services.clock(), actor="service", action="bundle.error", target=bundle_id, detail=detail)


def revive(session: Session, bundle_id: str) -> None:
    """Let a bundle whose validation failed on our side be validated once more."""
    session.execute(
        update(Bundle)
        .where(Bundle.id == bundle_id, Bundle.validation_state == "error")
        .values(validation_state="pending", validation_detail="")
    )


def _begin(session: Session, services: Services, bundle_id: str) -> bool:
    """Move to ``running``; a runner that died in there left it so."""
    moved = session.execute(
        update(Bundle)
        .where(Bundle.id == bundle_id, Bundle.validation_state == "pending", Bundle.upload_state == "complete")
        .values(validation_state="running")
        .returning(Bundle.id)
    ).one_or_none()
    if moved is not None:
        audit.record(session, at=services.clock(), actor="service", action="bundle.running", target=bundle_id)
        return True
    return session.scalar(select(Bundle.validation_state).where(Bundle.id == bundle_id)) == "running"


def _end(session: Session, services: Services, judgement: Judgement) -> bool:
    bundle_id = judgement.case.bundle.id
    moved = session.execute(
        update(Bundle)
        .where(Bundle.id == bundle_id, Bundle.validation_state == "running")
        .values(validated_at=services.clock(), **judgement.columns)
        .returning(Bundle.id)
    ).one_or_none()
    if moved is None:
        return False
    audit.record(
        session,
        at=services.clock(),
        actor="service",
        action=f"bundle.{judgement.state}",
        target=bundle_id,
        detail=f"{len(judgement.assessment.findings)} findings, trust {judgement.assessment.trust.level}",
    )
    return True


def _pull_of(session: Session, bundle: Bundle) -> Pull | None:
    return session.scalar(
        select(Pull).where(Pull.repository_id == bundle.repository_id, Pull.number == bundle.pull_number)
    )


def _state(pull: Pull | None, bundle: Bundle) -> PullState | None:
    """The pull request, at the commit that the bundle is about.

    Whether that is its head changes with every push, so it is no property of a bundle and is asked for each verdict.
    """
    if pull is None:
        return None
    return PullState(repository_id=pull.repository_id, number=pull.number, head_sha=bundle.head_sha or pull.head_sha)
