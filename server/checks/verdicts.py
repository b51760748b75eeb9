"""From claims and evidence to verdicts, and from verdicts to the check that shall stand on GitHub. Runs as a task."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from judge.assess import Assessment
from judge.claim import ClaimSet
from judge.policy import MergePolicy, Provenance, Shortfall, shortfalls
from judge.report import BundleUrl, CheckReport, PullRef, ReportUrls, render
from judge.rerun import RerunPlan, rerun_plan
from judge.scope import ScopeMap, scope_map
from judge.selection import missing, selected
from judge.verdict import Verdict, judge
from judge.waiver import Waiver
from server import audit, waivers
from server.checks import evidence, remarks
from server.checks.evidence import Weighed
from server.claimed import claims_of
from server.github import CheckPayload
from server.heard import buttons_pressed
from server.models import Challenge, Outlook, Post, Pull, Repository, VerdictRow
from server.queue import enqueue
from server.services import Services
from server.stored import SHORTFALLS, policy_of
from worker.bundle import digest


@dataclass(frozen=True)
class _Case:
    """What a pull request claims and what there is for it, at one moment."""

    pull: Pull
    repository: Repository
    claimed: ClaimSet
    evidence: Weighed
    provenance: Mapping[str, Provenance]
    policy: MergePolicy
    scope: ScopeMap | None
    lots: Mapping[str, float]
    presses: int
    waivers: tuple[Waiver, ...]

    @property
    def bundles(self) -> tuple[Assessment, ...]:
        """Bundles that verdicts look at."""
        return tuple(one.assessment for one in self.evidence.counted)

    @property
    def silent(self) -> bool:
        """Whether there is nothing to speak of: no claims block, and no evidence for the present head."""
        current = any(one.standing == "current" for one in self.evidence.standings)
        return not (self.claimed.claims or self.claimed.errors or current)

    @property
    def inherited(self) -> dict[str, str]:
        """Commits at which inherited evidence was measured, by bundle id."""
        found = self.evidence.counted
        return {one.assessment.bundle_id: one.inherited_from for one in found if one.inherited_from is not None}

    @property
    def holes(self) -> tuple[str, ...]:
        """Holes of the declared scope; without one, values that claims list and no evidence for this head has."""
        if self.scope is not None:
            return self.scope.holes
        now = [one for one in self.bundles if one.head_sha == self.pull.head_sha and one.validity == "valid"]
        return tuple(
            f"{hole} of {claim.id}"
            for claim in self.claimed.claims
            for hole in missing(claim, [cell for bundle in now for cell in selected(claim, bundle)])
        )


@dataclass(frozen=True)
class _Judged:
    """What was made of it."""

    verdicts: tuple[Verdict, ...]
    shortfalls: tuple[Shortfall, ...]
    rerun: RerunPlan


def refresh(services: Services, key: str) -> None:
    """Judge a pull request's claims again, and ask for a post if there is something new to say.

    Args:
        services: The service.
        key: The pull request's row id.
    """
    case = _read(services, int(key))
    judged = _judge(case)
    payload = _payload(case, _report(case, judged, services.settings.public_url), services.settings.public_url)
    with services.database.write() as session:
        pull = session.get_one(Pull, case.pull.id, with_for_update=True)
        seen = case.pull
        if (pull.head_sha, pull.body, pull.stated_claims) != (seen.head_sha, seen.body, seen.stated_claims):
            return  # it changed meanwhile, which also asked for this task again
        evidence.keep(session, services, pull, case.evidence)
        _store_outlook(session, pull, judged, case.scope)
        _store_verdicts(session, services, pull, judged.verdicts)
        if pull.state == "open" and _is_news(session, pull, payload, silent=case.silent):
            _write_post(session, services, pull, payload)
    services.bell.ring()


def overtaken(session: Session, *, now: datetime) -> Sequence[int]:
    """Open pull requests of which a challenge has expired since they were judged: it counts as a try now."""
    return session.scalars(
        select(Pull.id)
        .join(Challenge, Challenge.pull_id == Pull.id)
        .where(
            Pull.state == "open",
            Challenge.used_by.is_(None),
            Challenge.expires_at <= now,
            Challenge.expires_at > Pull.judged_at,
        )
        .distinct()
    ).all()


def _read(services: Services, pull_id: int) -> _Case:
    with services.database.read() as session:
        pull = session.get_one(Pull, pull_id)
        gathered = evidence.gather(session, pull, now=services.clock())
        repository = session.get_one(Repository, pull.repository_id)
        policy = policy_of(session, pull.repository_id)
        presses = buttons_pressed(session, pull.repository_id, pull.number)
        waived = waivers.holding(session, pull)
    weighed, claimed, scope = evidence.weigh(gathered, head_sha=pull.head_sha), claims_of(pull), None
    if claimed.scope is not None:
        bundles = [one.assessment for one in weighed.counted]
        scope = scope_map(claimed.scope, bundles, head_sha=pull.head_sha)
    return _Case(pull, repository, claimed, weighed, gathered.provenance, policy, scope, gathered.lots, presses, waived)


def _judge(case: _Case) -> _Judged:
    claims = case.claimed.claims
    verdicts = judge(claims, case.bundles, head_sha=case.pull.head_sha, inherited=case.inherited, waivers=case.waivers)
    short = shortfalls(
        case.policy,
        verdicts,
        holes=case.holes,
        provenance=case.provenance,
        author=case.pull.author,
        lots=case.lots,
    )
    return _Judged(verdicts, short, rerun_plan(case.evidence.items, case.evidence.standings, claims=claims))


def _store_outlook(session: Session, pull: Pull, judged: _Judged, scope: ScopeMap | None) -> None:
    found = session.get(Outlook, pull.id) or Outlook(pull_id=pull.id)
    found.rerun = judged.rerun.model_dump_json()
    found.shortfalls = SHORTFALLS.dump_json(judged.shortfalls).decode()
    found.scope = None if scope is None else scope.model_dump_json()
    session.add(found)


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


def _report(case: _Case, judged: _Judged, public_url: str) -> CheckReport:
    pull = PullRef(repository=case.repository.name, number=case.pull.number, head_sha=case.pull.head_sha)
    urls = ReportUrls(
        pull=_page(case, public_url),
        bundles=tuple(
            BundleUrl(bundle_id=bundle.bundle_id, url=f"{public_url}/bundles/{bundle.bundle_id}")
            for bundle in case.bundles
        ),
    )
    return render(
        pull,
        case.claimed,
        judged.verdicts,
        case.bundles,
        urls,
        shortfalls=judged.shortfalls,
        scope=case.scope,
        waivers=case.waivers,
    )


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
        annotations=remarks.annotations(case.bundles),
        actions=remarks.buttons(case.presses),
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
