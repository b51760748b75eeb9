"""Buttons of the check, installations, lost webhooks: what else GitHub tells, and what follows."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from server.heard import usual_suite
from server.runner import sweep
from standin.acts import Edit, NewPull, Press
from standin.faults import Fault

if TYPE_CHECKING:
    from tests.server.conversation.conftest import World

REPOSITORY = "octo/hello"


def test_a_button_orders_for_the_commit_of_its_check(world: World) -> None:
    (run,) = world.runs()
    assert [(one.label, one.identifier) for one in run.actions] == [
        (f"Run {usual_suite()}", "run.0"), ("Run again", "again.0"), ("Explain", "explain.0"),
    ]  # fmt: skip
    world.press(run.id, "run")
    world.work()
    assert [job["head_sha"] for job in world.jobs()] == [world.pull.head_sha]
    assert len(world.answers()) == 1
    world.push()
    world.press(run.id, "run")
    world.work()
    assert "you approved commit" in world.answers()[-1]
    assert len(world.jobs()) == 1
    newest = world.runs()[-1].id
    world.press(newest, "again", author="rita")
    world.work()
    world.press(newest, "explain", author="rita")
    world.work()
    assert "needs write permission" in world.answers()[-2]
    assert "No rule has found anything" in world.answers()[-1]


def test_a_press_that_is_sent_again_under_another_delivery_id_orders_nothing(world: World) -> None:
    (run,) = world.runs()
    world.press(run.id, "run")
    pressed = world.forge.hooks.deliveries()[-1]
    world.work()
    world.ask("/byogpu cancel")
    assert world.forge.hooks._target is not None
    world.forge.hooks._attempt("another-id", pressed.event, pressed.action, pressed.body, world.forge.hooks._target)
    world.work()
    assert [job["state"] for job in world.jobs()] == ["cancelled"]
    world.press(run.id, "run")
    world.work()
    assert [job["state"] for job in world.jobs()].count("queued") == 1, "the button that is shown now is good"


def test_a_command_that_was_forgotten_is_not_obeyed_again(world: World) -> None:
    world.say("/byogpu run")
    said = world.forge.hooks.deliveries()[-1]
    world.work()
    world.ask("/byogpu cancel")
    target = world.forge.hooks._target
    assert target is not None
    for after_days, commands in ((0, 2), (89, 2), (2, 0)):
        world.service.clock.advance(after_days * 24 * 3600)
        world.forge.hooks._attempt(f"again-{after_days}", said.event, said.action, said.body, target)
        sweep(world.service.services)
        world.work()
        assert [job["state"] for job in world.jobs()] == ["cancelled"]
        assert len(world.commands()) == commands


def test_again_orders_what_was_run_before(world: World) -> None:
    (run,) = world.runs()
    world.press(run.id, "again")
    world.work()
    assert [job["suite"].partition("/")[0] for job in world.jobs()] == [usual_suite()]


def test_rerequested_says_the_check_once_more(world: World) -> None:
    (before,) = world.runs()
    world.forge.press(Press(check_run_id=before.id, author="marta"))
    world.work()
    assert [(row["state"], row["head_sha"]) for row in world.service.rows("post")] == [
        ("superseded", world.pull.head_sha),
        ("sent", world.pull.head_sha),
    ]
    assert [run.id for run in world.runs()] == [before.id]
    world.push()
    world.work()
    said = len(world.service.rows("post"))
    world.forge.press(Press(check_run_id=before.id, author="marta"))
    world.work()
    assert len(world.service.rows("post")) == said, "the check of an older commit stays as it is"


def test_a_check_that_is_not_ours_is_ignored(world: World) -> None:
    (run,) = world.runs()
    another_pulls = run.external_id.replace(f":{world.pull.repository_id}:", ":999:")
    for changes in ({"app_id": 5}, {"external_id": another_pulls}, {"external_id": "x"}):
        with world.forge.store.changing() as state:
            state.check_runs[run.id] = run.model_copy(update=changes)
        world.press(run.id, "run")
    world.work()
    assert world.commands() == world.jobs() == []


def test_while_the_app_is_not_installed_posts_wait_and_afterwards_everything_is_caught_up_with(world: World) -> None:
    world.forge.uninstall(REPOSITORY)
    world.work()
    assert [row["covered"] for row in world.service.rows("repository")] == [0]
    world.forge.edit(Edit(repository=REPOSITORY, number=1, body="```byogpu-claims\n[]\n```"))
    head = world.push_unheard()
    world.forge.install(REPOSITORY)
    world.work()
    assert {row["state"] for row in world.service.rows("post")} <= {"sent", "superseded", "dead"}
    assert world.service.rows("pull")[0]["head_sha"] == head
    assert head in {run.head_sha for run in world.runs()}


@pytest.mark.parametrize("how", ["suspended", "withdrawn"])
def test_a_suspended_installation_or_a_withdrawn_repository_waits_too(world: World, how: str) -> None:
    if how == "suspended":
        world.forge.suspend(REPOSITORY)
    else:
        world.forge.withdraw(REPOSITORY)
    world.work()
    assert [row["covered"] for row in world.service.rows("repository")] == [0]
    if how == "suspended":
        world.forge.suspend(REPOSITORY, lift=True)
    else:
        world.forge.install(REPOSITORY)
    world.work()
    assert [row["covered"] for row in world.service.rows("repository")] == [1]


def test_installation_events_in_the_wrong_order_end_in_what_github_says(world: World) -> None:
    world.forge.uninstall(REPOSITORY)
    world.forge.install(REPOSITORY)
    gone = next(one for one in world.forge.hooks.deliveries() if one.action == "deleted")
    world.forge.hooks._attempt("late", gone.event, gone.action, gone.body, world.forge.hooks._target)  # type: ignore[arg-type]
    world.work()
    assert [row["covered"] for row in world.service.rows("repository")] == [1]


def test_a_command_is_obeyed_though_github_was_away_for_hours(world: World) -> None:
    asked = world.say("/byogpu run")
    world.forge.faults.plan(Fault(kind="unavailable", times=1000))
    for _ in range(20):
        world.work()
        world.service.clock.advance(600)
    world.forge.faults.clear()
    world.service.clock.advance(600)
    world.work()
    assert world.reactions(asked) == ["rocket"]
    assert world.service.clock.now - asked.created_at > timedelta(hours=3)


def test_lost_webhooks_are_made_up_for(world: World) -> None:
    told, world.forge.hooks._target = world.forge.hooks._target, None
    head = world.push()
    claims = "```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: '>= 1.2x baseline'\n```"
    for body in (claims, "no claims"):
        world.forge.open_pull(NewPull(repository=REPOSITORY, title="new", body=body, author="kim", files={"n": body}))
    closed = world.forge.open_pull(
        NewPull(repository=REPOSITORY, title="c", body=claims, author="kim", files={"c": "1"})
    )
    world.forge.hooks._target = told
    sweep(world.service.services)
    world.work()
    assert {row["number"]: row["state"] for row in world.service.rows("pull")} == {1: "open", 2: "open", 4: "open"}
    assert world.service.rows("pull")[0]["head_sha"] == head
    world.forge.hooks._target = None
    world.forge.edit(Edit(repository=REPOSITORY, number=closed.number, state="closed"))
    world.forge.hooks._target = told
    calls = world.forge.calls
    sweep(world.service.services)
    world.work()
    assert world.forge.calls == calls, "not before its time"
    world.service.clock.advance(world.service.services.settings.reconcile_interval_s + 1)
    sweep(world.service.services)
    world.work()
    assert {row["number"]: row["state"] for row in world.service.rows("pull")} == {1: "open", 2: "open", 4: "closed"}


def test_an_installation_whose_webhooks_were_lost_is_noticed(world: World) -> None:
    def later() -> list[int]:
        world.service.clock.advance(world.service.services.settings.reconcile_interval_s + 1)
        sweep(world.service.services)
        world.work()
        assert {row["state"] for row in world.service.rows("task")} == {"done"}
        return [row["covered"] for row in world.service.rows("repository")]

    told, world.forge.hooks._target = world.forge.hooks._target, None
    world.forge.uninstall(REPOSITORY)
    assert later() == [0]
    head = world.push()
    world.forge.install(REPOSITORY)
    world.forge.hooks._target = told
    assert later() == [1]
    assert world.runs()[-1].head_sha == head


def test_a_pull_request_that_is_gone_is_closed_and_asked_for_no_more(world: World) -> None:
    world.ask("/byogpu run")
    with world.forge.store.changing() as state:
        del state.pulls[world.pull.id]
    world.service.clock.advance(world.service.services.settings.reconcile_interval_s + 1)
    sweep(world.service.services)
    world.work()
    assert [row["state"] for row in world.service.rows("pull")] == ["closed"]
    assert [row["state"] for row in world.jobs()] == ["stale"]
    assert [row["covered"] for row in world.service.rows("repository")] == [1]
    calls = world.forge.calls
    world.service.clock.advance(600)
    world.work()
    assert world.forge.calls == calls


@pytest.mark.parametrize("world", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_the_same_on_postgres(world: World) -> None:
    (run,) = world.runs()
    assert world.ask("/byogpu run").startswith("rocket")
    assert world.ask("/byogpu status").startswith("eyes")
    assert world.ask("/byogpu cancel").startswith("+1")
    world.press(run.id, "again")
    world.forge.press(Press(check_run_id=run.id, author="marta"))
    world.work()
    world.forge.withdraw(REPOSITORY)
    world.work()
    world.forge.install(REPOSITORY)
    world.push()
    sweep(world.service.services)
    world.work()
    assert world.commands() == ["answered"] * 4
    assert {row["state"] for row in world.service.rows("task")} == {"done"}
    assert world.service.client.get("/api/v1/status").json()["troubles"] == []
