"""From claims and evidence to verdicts, and from verdicts to the check that shall stand on GitHub. Runs as a task."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from judge.assess import Assessment
from judge.claim import ClaimSet
from judge.claims import parse_claims
from judge.report import BundleUrl, CheckReport, PullRef, ReportUrls, render
from judge.verdict import Verdict, judge
from server import audit
from server.github import CheckPayload
from server.models import AssessmentRow, Bundle, Post, Pull, Repository, VerdictRow
from server.queue import enqueue
from server.services import Services
from worker.bundle import digest


@dataclass(frozen=True)
class _Case:
    """What a pull request claims and what there is for it, at one moment."""

    pull: Pull
    repository: Repository
    claimed: ClaimSet
    bundles: tuple[Assessment, ...]

    @property
    def silent(self) -> bool:
        """Whether there is nothing to speak of: no claims block, and no evidence for the present head."""
        current = any(bundle.head_sha == self.pull.head_sha for bundle in self.bundles)
        return not (self.claimed.claims or self.claimed.errors or current)


def refresh(services: Services, key: str) -> None:
    """Judge a pull request's claims again, and ask for a post if there is something new to say.

    Args:
        services: The service.
        key: The pull request's row id.
    """
    case = _read(services, int(key))
    verdicts = judge(case.claimed.claims, case.bundles, head_sha=case.pull.head_sha)
    payload = _payload(case, _report(case, verdicts, services.settings.public_url), services.settings.public_url)
    with services.database.write() as session:
        pull = session.get_one(Pull, case.pull.id, with_for_update=True)
        if (pull.head_sha, pull.body) != (case.pull.head_sha, case.pull.body):
            return  # it changed meanwhile, which also asked for this task again
        _store_verdicts(session, services, pull, verdicts)
        if pull.state == "open" and _is_news(session, pull, payload, silent=case.silent):
            _write_post(session, services, pull, payload)
    services.bell.ring()


def _read(services: Services, pull_id: int) -> _Case:
    with services.database.read() as session:
        pull = session.get_one(Pull, pull_id)
        records = session.scalars(
            select(AssessmentRow.record)
            .join(Bundle, Bundle.id == AssessmentRow.bundle_id)
            .where(Bundle.repository_id == pull.repository_id, Bundle.pull_number == pull.number)
            .order_by(Bundle.completed_at, Bundle.id)
        ).all()
        repository = session.get_one(Repository, pull.repository_id)
    bundles = tuple(Assessment.model_validate_json(record) for record in records)
    return _Case(pull, repository, parse_claims(pull.body), bundles)


def _store_verdicts(session: Session, services: Services, pull: Pull, verdicts: Sequence[Verdict]) -> None:
    before = Counter(session.scalars(select(VerdictRow.outcome).where(VerdictRow.pull_id == pull.id)))
    after = Counter(verdict.outcome for verdict in verdicts)
    session.execute(delete(VerdictRow).where(VerdictRow.pull_id == pull.id))
    session.add_all(
        VerdictRow(pull_id=pull.id, position=position, outcome=verdict.outcome, record=verdict.model_dump_json())
        for position, verdict in enumerate(verdicts)
    )
    if before != after or pull.judged_head_sha != pull.head_sha:
        audit.record(
            session,
            at=services.clock(),
            actor="service",
            action="verdicts.changed",
            target=f"pull {pull.id}",
            detail=", ".join(f"{outcome} {count}" for outcome, count in sorted(after.items())) or "no claims",
        )
    pull.judged_at, pull.judged_head_sha = services.clock(), pull.head_sha


def _report(case: _Case, verdicts: Sequence[Verdict], public_url: str) -> CheckReport:
    pull = PullRef(repository=case.repository.name, number=case.pull.number, head_sha=case.pull.head_sha)
    urls = ReportUrls(
        pull=_page(case, public_url),
        bundles=tuple(
            BundleUrl(bundle_id=bundle.bundle_id, url=f"{public_url}/bundles/{bundle.bundle_id}")
            for bundle in case.bundles
        ),
    )
    return render(pull, case.claimed, verdicts, case.bundles, urls)


def _payload(case: _Case, report: CheckReport, public_url: str) -> CheckPayload:
    pull, repository = case.pull, case.repository
    return CheckPayload(
        repository=repository.name,
        repository_id=repository.id,
        pull_number=pull.number,
        head_sha=pull.head_sha,
        external_id=f"byogpu:{repository.id}:{pull.number}:{pull.head_sha}",
        name="byogpu",
        status="completed",
        conclusion=report.conclusion,
        title=report.title,
        summary=report.summary,
        text=report.text,
        details_url=_page(case, public_url),
    )


def _page(case: _Case, public_url: str) -> str:
    return f"{public_url}/pulls/{case.repository.name}/{case.pull.number}"


def _is_news(session: Session, pull: Pull, payload: CheckPayload, *, silent: bool) -> bool:
    """Whether GitHub has not been told exactly this about this commit, and there is something to tell."""
    told = session.scalar(
        select(Post.digest)
        .where(Post.pull_id == pull.id, Post.head_sha == pull.head_sha, Post.state.in_(("pending", "sent")))
        .order_by(Post.id.desc())
        .limit(1)
    )
    return not silent if told is None else told != _digest(payload)


def _write_post(session: Session, services: Services, pull: Pull, payload: CheckPayload) -> None:
    now = services.clock()
    session.add(
        Post(
            pull_id=pull.id,
            head_sha=pull.head_sha,
            digest=_digest(payload),
            payload=payload.model_dump_json(),
            conclusion=payload.conclusion,
            title=payload.title,
            state="pending",
            attempts=0,
            detail="",
            url="",
            created_at=now,
        )
    )
    if services.github is not None:
        enqueue(session, "publish", str(pull.id), now=now)


def _digest(payload: CheckPayload) -> str:
    return digest(payload.model_dump_json().encode())
