"""Jobs under faults: agents crash, pause, repeat and reorder their messages, clocks jump, people change their minds.

Whatever happens: no job is lost, none is finished twice, none gets stuck; at most one lease of a job holds; tokens
grow; the limits hold.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import func, select, text

from server import orders
from server.auth import _OPERATOR
from server.db import Database
from server.errors import AppError
from server.jobs import endings, leases
from server.jobs.schemas import ClaimPost, FailPost, FinishPost, Grant, HeartbeatPost, ProgressPost
from server.models import Job, JobState, Lease
from server.waiting import job_refs
from worker.bundle.job import EvalDone

if TYPE_CHECKING:
    from server.services import Services
    from tests.conftest import Clock

NODES = {f"{n:064x}": f"owner-{n % 2}" for n in range(1, 5)}
EVALS = ("numerics", "decode-step", "serving", "accuracy")
LIMITS = {"jobs_per_owner": 1, "jobs_per_address": 2, "jobs_per_pull": 2, "orders_per_pull": 4}
FINAL: tuple[JobState, ...] = ("done", "cancelled", "stale", "quarantined", "dead")
EXAMPLES = int(os.environ.get("BYOGPU_TEST_JOB_EXAMPLES", "40"))
"""A longer campaign sets more."""
ROUNDS = 120
"""In so many rounds of well-behaved nodes every approved job has ended; each waits for a few back-offs at most."""


@dataclass(frozen=True)
class Held:
    """A lease as some process of an agent remembers it; nothing makes it forget."""

    node: str
    job_id: str
    token: int


class JobsUnderFaults(RuleBasedStateMachine):
    """The service's real functions on a real database; the model remembers only what must never change."""

    make: Callable[[], tuple[Services, Clock, Any, Any]]

    @initialize()
    def begin(self) -> None:
        self.services, self.clock, self.rows, self.offer = self.make()
        self.heads = {self.rows.know_pull(number): "a" * 40 for number in (1, 2)}
        self.numbers = dict(zip(self.heads, (1, 2), strict=True))
        for node, owner in NODES.items():
            self.rows.know_node(node, owner=owner)
        self.known: list[str] = []
        self.held: list[Held] = []
        self.bundles: dict[Held, str] = {}
        self.tokens: dict[str, int] = {}
        self.ended: dict[str, tuple[JobState, str | None]] = {}
        self.latest: datetime = self.clock.now
        for priority in (0, 1):  # hypothesis leaves rules out at random; without a job there is little to break
            self.order(priority, True, priority, 0)

    # ------------------------------------------------------------------ people

    @rule(
        pull=st.integers(0, 1),
        approved=st.sampled_from([True, True, True, False]),
        priority=st.integers(-2, 2),
        gpus=st.integers(0, 1),
    )
    def order(self, pull: int, approved: bool, priority: int, gpus: int) -> None:
        pull_id = list(self.heads)[pull]
        with self.refusing("orders_of_pull_exhausted"), self.services.database.write() as session:
            job = orders.place(
                session, self.services.settings, pull_id=pull_id, head_sha=self.heads[pull_id], suite="smoke",
                requested_by="octocat", approved_by="maintainer" if approved else None, now=self.clock(),
                priority=priority, needs=orders.Needs(gpu_count=gpus),
            )  # fmt: skip
        if job.id not in self.known:
            self.known.append(job.id)

    @precondition(lambda self: self.known)
    @rule(data=st.data(), cancel=st.sampled_from([False, False, False, True]))
    def approve_or_cancel(self, data: st.DataObject, cancel: bool) -> None:
        job = self.job(data)
        if cancel:
            with self.refusing("job_ended"), self.services.database.write() as session:
                orders.cancel(session, job.id, by="maintainer", now=self.clock())
            return
        codes = ("job_not_waiting", "job_head_moved")
        with self.refusing(*codes), self.services.database.write() as session:
            orders.approve(
                session, self.services.settings, job.id, head_sha=job.head_sha, approved_by="maintainer",
                now=self.clock(),
            )  # fmt: skip

    @precondition(lambda self: any(state in ("dead", "quarantined") for state, _ in self.ended.values()))
    @rule(data=st.data())
    def order_again(self, data: st.DataObject) -> None:
        given_up = [key for key in self.known if self.ended.get(key, ("",))[0] in ("dead", "quarantined")]
        job_id = given_up[data.draw(st.integers(0, len(given_up) - 1))]
        with self.refusing("job_head_moved"), self.services.database.write() as session:
            orders.again(session, self.services.settings, job_id, by="maintainer", now=self.clock())
            del self.ended[job_id]

    @rule(pull=st.integers(0, 1), sha=st.sampled_from("aaaabc"))
    def push(self, pull: int, sha: str) -> None:
        pull_id = list(self.heads)[pull]
        self.heads[pull_id] = sha * 40
        self.rows.know_pull(self.numbers[pull_id], head_sha=sha * 40)

    # ------------------------------------------------------------------ nodes, and whatever is left of their processes

    @precondition(lambda self: self.known)
    @rule(node=st.sampled_from(sorted(NODES)), gpus=st.integers(0, 1))
    def claim(self, node: str, gpus: int) -> None:
        self.granted(node, gpus)

    def granted(self, node: str, gpus: int) -> Grant | None:
        posted = ClaimPost(node_key_id=node, offer=self.offer(gpus), sent_at=self.clock())
        granted = leases.claim(self.services, posted, by=_OPERATOR, address=f"address-{NODES[node]}").job
        if granted is not None:
            assert granted.token > self.tokens.get(granted.job_id, 0)
            self.tokens[granted.job_id] = granted.token
            self.held.append(Held(node, granted.job_id, granted.token))
            job = self.row(granted.job_id)
            assert job.approved_by is not None
            assert job.head_sha == self.heads[job.pull_id], "a commit was given out that is not the head"
        return granted

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def heartbeat(self, data: st.DataObject) -> None:
        held = self.any_held(data)
        posted = HeartbeatPost(node_key_id=held.node, token=held.token, sent_at=self.clock())
        with self.refusing_if_stale(held):
            said = leases.heartbeat(self.services, held.job_id, posted, by=_OPERATOR)
            assert said.cancel == (self.row(held.job_id).cancelled_by is not None)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), evals=st.integers(1, len(EVALS)))
    def progress(self, data: st.DataObject, evals: int) -> None:
        held = self.any_held(data)
        done = tuple(EvalDone(eval_id=name, outcome="completed", duration_s=1.0) for name in EVALS[:evals])
        with self.refusing_if_stale(held):
            noted = leases.progress(
                self.services, held.job_id, ProgressPost(node_key_id=held.node, token=held.token, done=done),
                by=_OPERATOR,
            )  # fmt: skip
            assert {one.eval_id for one in noted} >= {one.eval_id for one in done}

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def submit(self, data: st.DataObject) -> None:
        held = self.any_held(data)
        self.bundles.setdefault(held, self.rows.submit(held.job_id, held.token))

    @precondition(lambda self: self.bundles)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        self.deliver(list(self.bundles)[self.mostly_newest(data, len(self.bundles))])

    @precondition(lambda self: self.held)
    @rule(data=st.data(), cause=st.sampled_from(["job", "job", "node", "drained", "cancelled"]))
    def fail(self, data: st.DataObject, cause: Any) -> None:
        held = self.any_held(data)
        posted = FailPost(node_key_id=held.node, token=held.token, cause=cause, detail="it broke")
        with self.refusing_if_stale(held):
            leases.fail(self.services, held.job_id, posted, by=_OPERATOR)

    # ------------------------------------------------------------------ time

    @rule(seconds=st.sampled_from([1, 20, 61, 400, 7200, 90_000, -1, -61, -7200]))
    def time_passes_or_jumps(self, seconds: int) -> None:
        self.clock.advance(seconds)
        self.latest = max(self.latest, self.clock.now)

    @rule()
    def reap(self) -> None:
        endings.reap(self.services, "all")

    # ------------------------------------------------------------------ what must hold

    @invariant()
    def nothing_is_lost_or_finished_twice(self) -> None:
        if not hasattr(self, "services"):
            return
        with self.services.database.read() as session:
            jobs = {job.id: job for job in session.scalars(select(Job))}
            finished = dict(
                session.execute(
                    select(Lease.job_id, func.count()).where(Lease.outcome == "finished").group_by(Lease.job_id)
                ).all()
            )
            shown = job_refs(session, self.services.settings, list(jobs.values()), now=self.clock())
        assert jobs.keys() == set(self.known)
        assert all(count == 1 for count in finished.values())
        assert all(ref.reason for ref in shown), "a job does not say why it stands where it stands"
        for job in jobs.values():
            assert job.token == self.tokens.get(job.id, 0)
            assert (job.state == "done") == (job.bundle_id is not None) == (job.id in finished)
            assert job.failures <= self.services.settings.job_failures
            assert job.interruptions <= self.services.settings.job_interruptions
            if job.id in self.ended:
                assert (job.state, job.bundle_id) == self.ended[job.id], "an ended job changed"
            elif job.state in FINAL:
                self.ended[job.id] = (job.state, job.bundle_id)

    @invariant()
    def leases_are_few(self) -> None:
        if not hasattr(self, "services"):
            return
        with self.services.database.read() as session:
            holding = session.scalars(select(Lease).where(Lease.ended_at.is_(None))).all()
            leased = session.scalars(select(Job).where(Job.state == "leased")).all()
            idle = session.scalars(select(Job).where(Job.state != "leased")).all()
        assert {(one.job_id, one.token, one.node_key_id) for one in holding} == {
            (job.id, job.token, job.node_key_id) for job in leased
        }
        assert all(job.node_key_id is None and job.lease_until is None for job in idle)
        for key, limit in (
            (lambda one: one.owner, LIMITS["jobs_per_owner"]),
            (lambda one: one.address, LIMITS["jobs_per_address"]),
            (lambda one: one.node_key_id, 1),
            (lambda one: {job.id: job.pull_id for job in leased}[one.job_id], LIMITS["jobs_per_pull"]),
        ):
            counted = [key(one) for one in holding]
            assert all(counted.count(one) <= limit for one in counted)

    def teardown(self) -> None:
        """The faults stop: nodes work as they should, and everything that may be run comes to its end."""
        if not hasattr(self, "services"):
            return
        self.clock.now = self.latest
        for _ in range(ROUNDS):
            if not self.open_jobs():
                break
            self.clock.advance(self.services.settings.job_resume_s + 30)
            endings.reap(self.services, "all")
            for node in sorted(NODES):
                granted = self.granted(node, 1)
                if granted is None:
                    continue
                held = Held(node, granted.job_id, granted.token)
                self.bundles[held] = self.rows.submit(held.job_id, held.token)
                self.deliver(held)
            self.nothing_is_lost_or_finished_twice()
            self.leases_are_few()
        assert not self.open_jobs(), "stuck"

    # ------------------------------------------------------------------ helpers

    def open_jobs(self) -> list[str]:
        """Jobs that have to come to an end by themselves; one that nobody approved waits for somebody."""
        with self.services.database.read() as session:
            return list(session.scalars(select(Job.id).where(Job.state.in_(("queued", "leased")))))

    def deliver(self, held: Held) -> None:
        bundle_id = self.bundles[held]
        posted = FinishPost(node_key_id=held.node, token=held.token, bundle_id=bundle_id)
        before = self.row(held.job_id)
        with self.refusing("lease_lost", "job_bundle_unbound"):
            leases.finish(self.services, held.job_id, posted, by=_OPERATOR)
            after = self.row(held.job_id)
            assert (after.state, after.bundle_id) == ("done", bundle_id)
            assert before.state == "done" or before.token == held.token

    def job(self, data: st.DataObject) -> Job:
        return self.row(self.known[data.draw(st.integers(0, len(self.known) - 1))])

    def row(self, job_id: str) -> Job:
        with self.services.database.read() as session:
            return session.get_one(Job, job_id)

    def any_held(self, data: st.DataObject) -> Held:
        """Any lease that any process ever held: late, repeated and reordered messages are all alike."""
        return self.held[self.mostly_newest(data, len(self.held))]

    def mostly_newest(self, data: st.DataObject, count: int) -> int:
        return count - 1 - data.draw(st.just(0) | st.integers(0, count - 1))

    @contextmanager
    def refusing(self, *codes: str) -> Iterator[None]:
        try:
            yield
        except AppError as error:
            if error.code not in codes:
                raise

    @contextmanager
    def refusing_if_stale(self, held: Held) -> Iterator[None]:
        """The message goes through if and only if its lease is the one that holds."""
        job = self.row(held.job_id)
        holds = (job.state, job.token, job.node_key_id) == ("leased", held.token, held.node)
        refused = False
        try:
            yield
        except AppError as error:
            if error.code != "lease_lost":
                raise
            refused = True
        assert refused != holds


@pytest.fixture
def machine(make_service: Callable[..., Any], make_rows: Any, make_offer: Any, make_gpu: Any) -> Any:
    """Make the state machine's class for a database: ``fresh`` returns the address of an empty one each time."""

    def of(fresh: Callable[[], str]) -> type[JobsUnderFaults]:
        base = make_service(job_images={"smoke": f"registry.example/eval@sha256:{'1' * 64}"}, **LIMITS)
        opened: list[Database] = []

        def make() -> tuple[Any, Any, Any, Any]:
            while opened:
                opened.pop().close()
            opened.append(Database(fresh()))
            clock = replace(base.clock, now=datetime.fromisoformat("2026-01-01T00:00:00+00:00"))
            services = replace(base.services, database=opened[0], clock=clock)
            return services, clock, make_rows(services), lambda gpus: make_offer(*map(make_gpu, range(gpus)))

        return type("Machine", (JobsUnderFaults,), {"make": staticmethod(make)})

    return of


def campaign(examples: int, steps: int) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=True,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip


def test_jobs_survive_every_fault_on_sqlite(machine: Any, empty_database: Path, tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite3"

    def fresh() -> str:
        for old in tmp_path.glob("jobs.sqlite3*"):
            old.unlink()
        shutil.copy(empty_database, path)
        return f"sqlite:///{path}"

    run_state_machine_as_test(machine(fresh), settings=campaign(EXAMPLES, 50))


@pytest.mark.postgres
def test_jobs_survive_every_fault_on_postgres(machine: Any, new_postgres: Callable[[], str]) -> None:
    import migrations

    url = new_postgres()
    migrations.upgrade(url)
    emptied = Database(url)

    def fresh() -> str:
        with emptied.write() as session:
            session.execute(text("TRUNCATE repository, node, bundle, audit, task CASCADE"))
        return url

    try:
        run_state_machine_as_test(machine(fresh), settings=campaign(EXAMPLES // 5, 40))
    finally:
        emptied.close()


def test_the_model_can_fail(machine: Any, empty_database: Path, tmp_path: Path) -> None:
    """A service that forgets a job is found out: the model does not only watch itself."""
    path = tmp_path / "jobs.sqlite3"
    shutil.copy(empty_database, path)
    one = machine(lambda: f"sqlite:///{path}")()
    one.begin()
    one.order(0, True, 0, 0)
    one.nothing_is_lost_or_finished_twice()
    with one.services.database.write() as session:
        session.execute(text("DELETE FROM job"))
    with pytest.raises(AssertionError):
        one.nothing_is_lost_or_finished_twice()
    one.services.database.close()
