"""How much there is of everything, and for how long it has waited, read from the database: alike for all processes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.contact import contact_of
from server.models import Bundle, Command, Job, NodeStatus, Post, Task

_LATELY = timedelta(minutes=10)


@dataclass(frozen=True)
class GitHubFigures:
    """How GitHub answers.

    Attributes:
        failing_s: Seconds for which it has given no answer; 0: it answers.
        quiet_s: Seconds for which it asked not to be called; 0: it may be called.
        rate_limit: Calls that it lets us make in an hour; None: not told yet.
        rate_remaining: How many of them are left.
    """

    failing_s: float = 0.0
    quiet_s: float = 0.0
    rate_limit: int | None = None
    rate_remaining: int | None = None


@dataclass(frozen=True)
class Figures:
    """Everything at one moment.

    Attributes:
        tasks: By kind and state.
        task_oldest_s: Of each kind, how long its oldest due task has waited.
        tasks_due: Tasks that could run now: the queue's depth.
        uploads: Bundles by state of their upload.
        posts: Checks for GitHub by state.
        post_oldest_s: How long the oldest check has waited for GitHub; 0: none waits.
        commands: Commands by state.
        command_oldest_s: How long the oldest command has waited for its answer; 0: none waits.
        jobs: By state.
        job_oldest_s: How long the oldest approved job has waited for a node; 0: none waits.
        nodes: Nodes that asked for work within ten minutes.
        github: How GitHub answers.
    """

    tasks: Mapping[tuple[str, str], int]
    task_oldest_s: Mapping[str, float]
    tasks_due: int
    uploads: Mapping[str, int]
    posts: Mapping[str, int]
    post_oldest_s: float
    commands: Mapping[str, int]
    command_oldest_s: float
    jobs: Mapping[str, int]
    job_oldest_s: float
    nodes: int
    github: GitHubFigures = field(default_factory=GitHubFigures)

    def dead_tasks(self) -> int:
        """Tasks that were given up."""
        return sum(count for (_, state), count in self.tasks.items() if state == "dead")


def read(session: Session, *, now: datetime) -> Figures:
    """Count everything.

    Args:
        session: A read session.
        now: Now.
    """
    tasks = session.execute(select(Task.kind, Task.state, func.count()).group_by(Task.kind, Task.state)).all()
    due = session.execute(
        select(Task.kind, func.min(Task.run_after), func.count())
        .where(Task.state == "queued", Task.run_after <= now)
        .group_by(Task.kind)
    ).all()
    uploads = select(Bundle.upload_state, func.count()).group_by(Bundle.upload_state)
    posts = select(Post.state, func.count()).group_by(Post.state)
    commands = select(Command.state, func.count()).group_by(Command.state)
    jobs = select(Job.state, func.count()).group_by(Job.state)
    return Figures(
        tasks={(kind, state): count for kind, state, count in tasks},
        task_oldest_s={kind: _age(since, now) for kind, since, _ in due},
        tasks_due=sum(count for _, _, count in due),
        uploads=dict(session.execute(uploads).all()),
        posts=dict(session.execute(posts).all()),
        post_oldest_s=_age(session.scalar(select(func.min(Post.created_at)).where(Post.state == "pending")), now),
        commands=dict(session.execute(commands).all()),
        command_oldest_s=_age(
            session.scalar(select(func.min(Command.heard_at)).where(Command.state.in_(("heard", "decided")))), now
        ),
        jobs=dict(session.execute(jobs).all()),
        job_oldest_s=_age(session.scalar(select(func.min(Job.approved_at)).where(Job.state == "queued")), now),
        nodes=session.scalar(select(func.count()).where(NodeStatus.seen_at > now - _LATELY)) or 0,
        github=_github(session, now),
    )


def _github(session: Session, now: datetime) -> GitHubFigures:
    contact = contact_of(session)
    if contact is None:
        return GitHubFigures()
    quiet = contact.quiet_until
    return GitHubFigures(
        failing_s=_age(contact.failing_since, now),
        quiet_s=max(0.0, (quiet - now).total_seconds()) if quiet is not None else 0.0,
        rate_limit=contact.rate_limit,
        rate_remaining=contact.rate_remaining,
    )


def _age(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())
