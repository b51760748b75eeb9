"""What is missing or late, said aloud: a service that shows little must also show that it shows too little. Pure."""

from typing import Literal

from server.telemetry.figures import Figures
from worker.bundle.record import Amount, Count, Record

TroubleCode = Literal[
    "github_failing",
    "github_quiet",
    "tasks_dead",
    "tasks_late",
    "checks_dead",
    "checks_late",
    "commands_dead",
    "jobs_without_nodes",
    "jobs_given_up",
]
LATE_S = 300.0
"""Seconds after which waiting work is in trouble."""


class Trouble(Record):
    """Something that people rightly expect and do not get, or not yet."""

    code: TroubleCode
    sentence: str
    """For a person."""
    count: Count
    """Of how many things; 1: of the whole service."""
    since_s: Amount | None
    """For how long; null: it does not pass by waiting."""


def troubles(found: Figures) -> tuple[Trouble, ...]:
    """Everything that is missing or late, the widest first."""
    listed: list[Trouble] = []

    def note(code: TroubleCode, sentence: str, *, count: int = 1, since_s: float | None = None) -> None:
        listed.append(Trouble(code=code, sentence=sentence, count=count, since_s=since_s))

    if found.github.failing_s > 0 and not found.github.quiet_s:
        note("github_failing", "GitHub does not answer; checks and answers are late.", since_s=found.github.failing_s)
    if found.github.quiet_s > 0:
        note("github_quiet", "GitHub asked not to be called for a while; checks and answers are late.")
    if (dead := found.dead_tasks()) > 0:
        note("tasks_dead", "Work was given up and waits for an operator.", count=dead)
    if (oldest := max(found.task_oldest_s.values(), default=0.0)) > LATE_S:
        note("tasks_late", "Work waits longer than it should.", count=found.tasks_due, since_s=oldest)
    if (dead := found.posts.get("dead", 0)) > 0:
        note("checks_dead", "Checks could not be put on GitHub.", count=dead)
    if found.post_oldest_s > LATE_S:
        late = found.posts.get("pending", 0)
        note("checks_late", "Checks are not on GitHub yet.", count=late, since_s=found.post_oldest_s)
    if (dead := found.commands.get("dead", 0)) > 0:
        note("commands_dead", "Commands from pull requests could not be answered.", count=dead)
    if (waiting := found.jobs.get("queued", 0)) > 0 and found.nodes == 0:
        note("jobs_without_nodes", "Orders wait, and no node asks for work.", count=waiting, since_s=found.job_oldest_s)
    if (dead := found.jobs.get("dead", 0) + found.jobs.get("quarantined", 0)) > 0:
        note("jobs_given_up", "Orders were given up and wait for somebody to look.", count=dead)
    return tuple(listed)
