"""What each command does, in one write session, and the answer that says so."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from judge.assess import Assessment
from judge.rerun import RerunPlan
from judge.rules import RULES
from judge.verdict import Verdict
from judge.waiver import WAIVABLE
from server import orders, waivers
from server.conversation import replies
from server.conversation.grammar import Again, Cancel, Explain, Help, Request, Run, Status, Unknown, Unwaive, Waive
from server.conversation.replies import Found, Reply
from server.errors import AppError
from server.github import Permission
from server.heard import usual_suite
from server.models import AssessmentRow, Bundle, Command, Job, Outlook, Pull, Repository, VerdictRow
from server.orders import OPEN
from server.services import Services
from server.stored import readable
from server.waiting import job_refs

MAY_ORDER: frozenset[Permission] = frozenset({"admin", "maintain", "write"})
_LATEST_BUNDLES = 20


@dataclass(frozen=True)
class Seen:
    """What is known when a command is obeyed.

    Attributes:
        command: What was asked.
        permission: What its author may do, as GitHub says now.
        head_seen: The head that was known here when the question was asked; None: none was, or it has changed since.
        head_sha: The head, as GitHub says now.
    """

    command: Command
    permission: Permission
    head_seen: str | None
    head_sha: str


def do(session: Session, services: Services, pull: Pull, seen: Seen, request: Request) -> Reply:
    """Do what is asked, and answer.

    Args:
        session: A write session; what is done and the answer are kept together.
        services: The service.
        pull: The pull request, as GitHub says now.
        seen: What is known.
        request: What is asked.
    """
    match request:
        case Unknown(reason):
            return replies.not_understood(reason)
        case Help():
            return replies.commands()
        case Status():
            return _status(session, services, pull)
        case Explain(rule_id):
            return _explain(session, services, pull, rule_id)
        case Run(suite, head_sha):
            wanted = (suite or usual_suite(),)
            return _authorised(seen, lambda: _order(session, services, pull, seen, wanted, named=head_sha))
        case Again():
            return _authorised(
                seen, lambda: _order(session, services, pull, seen, _suites_before(session, pull), named=None)
            )
        case Cancel(job_id):
            return _authorised(seen, lambda: _cancel(session, services, pull, seen, job_id))
        case Waive():
            return _authorised(seen, lambda: _waive(session, services, pull, seen, request))
        case Unwaive():
            return _authorised(seen, lambda: _unwaive(session, services, pull, seen, request.rule_id))


def needs_permission(request: Request) -> bool:
    """Whether it matters who asks."""
    return isinstance(request, Run | Again | Cancel | Waive | Unwaive)


def _authorised(seen: Seen, deed: Callable[[], Reply]) -> Reply:
    if seen.permission not in MAY_ORDER:
        return replies.refused(f"this needs write permission, and {seen.command.login} has {seen.permission}.")
    try:
        return deed()
    except AppError as error:
        return replies.refused(error.detail)


def _order(
    session: Session, services: Services, pull: Pull, seen: Seen, suites: Sequence[str], *, named: str | None
) -> Reply:
    approved = named or seen.command.head_sha or seen.head_seen
    if approved is None:
        return replies.refused(
            f"the head is {seen.head_sha}, and it cannot be told that this is the commit you looked at. "
            f"Look at it and ask again, or name it: run {suites[0]} at {seen.head_sha}"
        )
    if approved != seen.head_sha:
        return replies.refused(f"you approved commit {approved}, and the head is {seen.head_sha} now.")
    now = services.clock()
    with session.begin_nested():  # all of them or none
        jobs = [
            orders.place(
                session,
                services.settings,
                pull_id=pull.id,
                head_sha=approved,
                suite=suite,
                requested_by=seen.command.login,
                approved_by=seen.command.login,
                now=now,
            )
            for suite in suites
        ]
    return replies.ordered(
        job_refs(session, services.settings, jobs, now=now), approved, _page(session, services, pull)
    )


def _cancel(session: Session, services: Services, pull: Pull, seen: Seen, job_id: str | None) -> Reply:
    query = select(Job.id).where(Job.pull_id == pull.id)
    wanted = query.where(Job.state.in_(OPEN)) if job_id is None else query.where(Job.id == job_id)
    found = session.scalars(wanted.order_by(Job.requested_at, Job.id)).all()
    if job_id is not None and not found:
        return replies.refused(f"this pull request has no order {job_id}.")
    for one in found:
        orders.cancel(session, one, by=seen.command.login, now=services.clock())
    return replies.cancelled(found)


def _waive(session: Session, services: Services, pull: Pull, seen: Seen, asked: Waive) -> Reply:
    rule = next((one for one in RULES if one.id == asked.rule_id), None)
    if rule is None:
        return replies.refused(f"there is no rule {asked.rule_id}.")
    if rule.effect not in WAIVABLE:
        return replies.refused(f"what {rule.id} finds {rule.effect}: only what blocks or limits claims can be waived.")
    if seen.head_seen != seen.head_sha:
        return replies.refused(
            f"the head is {seen.head_sha}, and it cannot be told that this is the commit you looked at. "
            "Look at it and ask again."
        )
    granted = waivers.grant(session, pull, rule, reason=asked.reason, login=seen.command.login, now=services.clock())
    return replies.waived(granted)


def _unwaive(session: Session, services: Services, pull: Pull, seen: Seen, rule_id: str) -> Reply:
    numbers = waivers.withdraw(session, pull, rule_id, login=seen.command.login, now=services.clock())
    return replies.unwaived(rule_id, numbers)


def _status(session: Session, services: Services, pull: Pull) -> Reply:
    records = session.scalars(
        select(VerdictRow.record).where(VerdictRow.pull_id == pull.id).order_by(VerdictRow.position)
    )
    verdicts = [verdict for record in records if (verdict := readable(Verdict, record)) is not None]
    return replies.status(
        head_sha=pull.head_sha,
        judged=pull.judged_head_sha == pull.head_sha,
        verdicts=verdicts,
        jobs=orders.of_pull(session, services.settings, pull.id, now=services.clock()),
        url=_page(session, services, pull),
    )


def _explain(session: Session, services: Services, pull: Pull, rule_id: str | None) -> Reply:
    found = [one for one in _found(session, services, pull) if rule_id in (None, one.finding.rule_id)]
    if rule_id is None:
        return replies.explained_all(found)
    rule = next((one for one in RULES if one.id == rule_id), None)
    if rule is None:
        return replies.refused(f"there is no rule {rule_id}.")
    return replies.explained(rule, found, f"{services.settings.public_url}/rules#{rule.id}")


def _found(session: Session, services: Services, pull: Pull) -> list[Found]:
    """What rules found in the latest bundles that may be shown, the gravest first."""
    records = session.scalars(
        select(AssessmentRow.record)
        .join(Bundle, Bundle.id == AssessmentRow.bundle_id)
        .where(
            Bundle.repository_id == pull.repository_id,
            Bundle.pull_number == pull.number,
            Bundle.validation_state.in_(("valid", "invalid")),
        )
        .order_by(Bundle.completed_at.desc(), Bundle.id)
        .limit(_LATEST_BUNDLES)
    )
    weights = {"error": 0, "warning": 1, "info": 2}
    found = [
        Found(finding, assessment.bundle_id, f"{services.settings.public_url}/bundles/{assessment.bundle_id}")
        for record in records
        if (assessment := readable(Assessment, record)) is not None
        for finding in assessment.findings
    ]
    return sorted(found, key=lambda one: weights[one.finding.severity])


def _suites_before(session: Session, pull: Pull) -> tuple[str, ...]:
    """Suites to run again: of what has become stale, else of every bundle, else the usual one."""
    outlook = session.get(Outlook, pull.id)
    plan = readable(RerunPlan, outlook.rerun) if outlook is not None else None
    stale = [run.suite for run in plan.runs if run.suite is not None] if plan is not None else []
    bundles = select(Bundle.suite).where(
        Bundle.repository_id == pull.repository_id,
        Bundle.pull_number == pull.number,
        Bundle.upload_state == "complete",
        Bundle.suite.is_not(None),
    )
    before = stale or [suite.partition("/")[0] for suite in session.scalars(bundles.order_by(Bundle.id)) if suite]
    return tuple(dict.fromkeys(before)) or (usual_suite(),)


def _page(session: Session, services: Services, pull: Pull) -> str:
    repository = session.get_one(Repository, pull.repository_id)
    return f"{services.settings.public_url}/pulls/{repository.name}/{pull.number}"
