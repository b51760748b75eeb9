"""Commands in comments: who may, about which commit, and exactly one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.conversation.obedience import COMMANDS_PER_HOUR
from server.heard import usual_suite
from server.runner import sweep
from standin.acts import CommentEdit, Edit, NewComment, NewPull, NewRepository
from standin.faults import Fault

if TYPE_CHECKING:
    from tests.server.conversation.conftest import World

REPOSITORY = "octo/hello"


@pytest.mark.parametrize("author", ["mina", "marta"])
def test_who_may_write_may_order(world: World, author: str) -> None:
    said = world.ask("/byogpu run", author=author)
    assert said.startswith("rocket: <!-- byogpu:answer:1 -->\nOrdered for ")
    (job,) = world.jobs()
    assert (job["head_sha"], job["requested_by"], job["approved_by"]) == (world.pull.head_sha, author, author)
    assert (job["suite"].partition("/")[0], job["state"]) == (usual_suite(), "queued")
    assert f"`{world.pull.head_sha}`" in said
    assert job["id"] in said


def test_who_may_not_write_may_neither_order_nor_cancel(world: World) -> None:
    world.ask("/byogpu run")
    before = world.jobs()
    for author, command in (("tom", "run"), ("rita", "again"), ("kim", "cancel"), ("passer-by", "run")):
        said = world.ask(f"/byogpu {command}", author=author)
        assert said.startswith("-1: ")
        assert "Not done: this needs write permission" in said
    assert world.jobs() == before


def test_permission_is_asked_when_it_is_used(world: World) -> None:
    world.say("/byogpu run")
    with world.forge.store.changing() as state:
        state.repositories[world.pull.repository_id].collaborators["marta"] = "read"
    world.work()
    assert world.jobs() == []
    assert "write permission" in world.answers()[-1]
    world.forge.create_repository(NewRepository(repository=REPOSITORY, collaborators={"rita": "write"}))
    assert world.ask("/byogpu run", author="rita").startswith("rocket")


@pytest.mark.parametrize("happens", ["push is heard of", "push is not heard of"])
def test_a_push_after_the_comment_is_not_approved_by_it(world: World, happens: str) -> None:
    world.say("/byogpu run")
    evil = world.push() if happens == "push is heard of" else world.push_unheard()
    world.work()
    assert world.jobs() == []
    assert evil in world.answers()[-1]
    assert "it cannot be told that this is the commit you looked at" in world.answers()[-1]
    assert world.ask("/byogpu run").startswith("rocket"), "asked again, the head has been looked at"
    assert [job["head_sha"] for job in world.jobs()] == [evil]


def test_a_push_whose_webhook_overtakes_the_comments_is_not_approved_either(world: World) -> None:
    told, world.forge.hooks._target = world.forge.hooks._target, None
    world.say("/byogpu run")
    world.forge.hooks._target = told
    world.push()
    world.work()
    with world.forge.store.reading() as state:
        late = next(one for one in state.comments.values() if not one.by_app)
    # GitHub delivers the comment only now; it still carries the time at which it was written.
    world.forge.edit_comment(CommentEdit(comment_id=late.id, author="marta", body=late.body))
    deliver_created(world, late.id)
    world.work()
    assert world.commands() == ["answered"]
    assert world.jobs() == []


def deliver_created(world: World, comment_id: int) -> None:
    from standin.events import comment_event

    with world.forge.store.reading() as state:
        one = state.comments[comment_id]
        event = comment_event(
            state, state.pulls[world.pull.id], one, "created", sender=one.author, app=None, at=world.forge.addresses
        )
    world.forge.hooks.send("issue_comment", event)


def test_a_named_commit_is_the_one_that_is_approved(world: World) -> None:
    old = world.pull.head_sha
    new = world.push()
    world.work()
    assert f"you approved commit {old}" in world.ask(f"/byogpu run at {old}")
    assert world.jobs() == []
    assert world.ask(f"/byogpu run {usual_suite()} at {new}").startswith("rocket")
    newest = world.push("three\n")
    world.work()
    assert [(job["head_sha"], job["state"]) for job in world.jobs()] == [(new, "stale")]
    world.say(f"/byogpu run at {newest}")
    world.push("four\n")
    world.work()
    assert len(world.jobs()) == 1, "the commit that was named is not the head any more"


def test_a_head_that_was_not_known_before_the_comment_has_to_be_named(world: World) -> None:
    told, world.forge.hooks._target = world.forge.hooks._target, None
    fresh = world.forge.open_pull(NewPull(repository=REPOSITORY, title="t", author="kim", files={"b.py": "1\n"}))
    world.forge.hooks._target = told
    world.pull = fresh
    assert fresh.head_sha in world.ask("/byogpu run")
    assert world.jobs() == []
    assert world.ask(f"/byogpu run at {fresh.head_sha}").startswith("rocket")


def test_the_same_order_twice_is_one_job_and_each_question_has_its_answer(world: World) -> None:
    world.ask("/byogpu run")
    world.ask("/byogpu run", author="mina")
    assert len(world.jobs()) == 1
    assert len(world.answers()) == 2


def test_a_delivery_that_comes_again_is_answered_once(world: World) -> None:
    asked = world.say("/byogpu run")
    world.work()
    delivery = world.forge.hooks.deliveries()[-1]
    world.forge.hooks.redeliver(delivery.id)
    deliver_created(world, asked.id)  # another webhook of the same repository: another delivery of the same comment
    world.work()
    assert len(world.jobs()) == len(world.answers()) == len(world.reactions(asked)) == 1


@pytest.mark.parametrize(("method", "path"), [("POST", "/reactions"), ("POST", "/comments"), ("GET", "/permission")])
def test_a_lost_answer_of_github_doubles_nothing(world: World, method: str, path: str) -> None:
    asked = world.say("/byogpu run")
    world.forge.faults.plan(Fault(kind="lost_answer", method=method, path_contains=path))  # type: ignore[arg-type]
    world.work()
    assert world.commands() != ["answered"]
    world.service.clock.advance(10)
    world.work()
    assert world.commands() == ["answered"]
    assert len(world.jobs()) == len(world.answers()) == len(world.reactions(asked)) == 1


def test_an_edited_comment_commands_nothing(world: World) -> None:
    harmless = world.say("hello", author="passer-by")
    world.forge.edit_comment(CommentEdit(comment_id=harmless.id, author="marta", body="/byogpu run"))
    mine = world.say("hello")
    world.forge.edit_comment(CommentEdit(comment_id=mine.id, author="marta", body="/byogpu run"))
    world.work()
    assert world.commands() == world.jobs() == world.answers() == []


def test_apps_and_our_own_comments_command_nothing(world: World) -> None:
    with world.forge.store.changing() as state:
        state.users["byogpu[bot]"] = state.users["marta"].model_copy(update={"login": "byogpu[bot]", "type": "Bot"})
    asked = world.say("/byogpu help")
    with world.forge.store.changing() as state:
        bot = state.comments[asked.id].model_copy(update={"id": asked.id + 900, "author": "byogpu[bot]"})
        in_marthas_name = state.comments[asked.id].model_copy(update={"id": asked.id + 901, "by_app": True})
        state.comments |= {bot.id: bot, in_marthas_name.id: in_marthas_name}
    from standin.events import comment_event

    for one in (bot, in_marthas_name):
        with world.forge.store.changing() as state:
            app = world.forge.app_json(state) if one.by_app else None
            event = comment_event(
                state, state.pulls[world.pull.id], one, "created", sender=one.author, app=app, at=world.forge.addresses
            )
        world.forge.hooks.send("issue_comment", event)
    world.work()
    assert world.commands() == ["answered"]


def test_a_flood_is_not_answered(world: World) -> None:
    for _ in range(COMMANDS_PER_HOUR + 3):
        world.say("/byogpu help", author="passer-by")
    world.work()
    assert world.commands().count("answered") == COMMANDS_PER_HOUR
    assert world.commands().count("ignored") == 3
    assert world.ask("/byogpu help").startswith("eyes"), "others are answered"
    world.service.clock.advance(3600)
    assert world.ask("/byogpu help", author="passer-by").startswith("eyes")


def test_orders_can_be_cancelled_one_by_one_or_all(world: World) -> None:
    world.ask("/byogpu run")
    (job,) = world.jobs()
    assert "no order j-0000000000000000" in world.ask("/byogpu cancel j-0000000000000000")
    assert job["id"] in world.ask(f"/byogpu cancel {job['id']}")
    assert [one["state"] for one in world.jobs()] == ["cancelled"]
    assert "There is no open order." in world.ask("/byogpu cancel")
    world.ask("/byogpu run")
    assert world.ask("/byogpu cancel").startswith("+1: ")
    assert {one["state"] for one in world.jobs()} == {"cancelled"}


def test_an_order_of_another_pull_request_is_not_cancelled_from_here(world: World) -> None:
    world.ask("/byogpu run")
    (job,) = world.jobs()
    world.pull = world.forge.open_pull(
        NewPull(repository=REPOSITORY, title="Other", author="kim", files={"c.py": "1\n"}, head_ref="other")
    )
    assert world.ask(f"/byogpu cancel {job['id']}").startswith("-1")
    assert world.jobs()[0]["state"] == "queued"


def test_status_shows_verdicts_and_why_orders_wait(world: World) -> None:
    assert "Nothing was ordered." in world.ask("/byogpu status", author="passer-by")
    world.ask("/byogpu run")
    said = world.ask("/byogpu status", author="passer-by")
    assert world.pull.head_sha in said
    assert "| `speed` | no evidence |" in said
    assert world.jobs()[0]["id"] in said
    assert "queued: " in said


def test_a_rule_is_explained(world: World) -> None:
    said = world.ask("/byogpu explain P-001", author="passer-by")
    assert said.startswith("eyes: ")
    assert "**P-001: " in said
    assert "It has found nothing" in said
    assert "https://byogpu.example/rules#P-001" in said
    assert "there is no rule P-999" in world.ask("/byogpu explain P-999")
    assert "No rule has found anything" in world.ask("/byogpu explain")


def test_help_lists_every_command(world: World) -> None:
    said = world.ask("/byogpu", author="passer-by")
    for word in ("run", "again", "status", "cancel", "explain", "help"):
        assert f"/byogpu {word}" in said


def test_what_is_not_understood_is_answered_without_repeating_it(world: World) -> None:
    said = world.ask("/byogpu <img src=x> @octo/team [a](http://evil.example)", author="passer-by")
    assert said.startswith("confused: ")
    for piece in ("<img", "@octo", "evil.example"):
        assert piece not in said


def test_untrusted_words_in_answers_are_defused(world: World) -> None:
    evil = '- {id: speed, metric: step_latency_us, relation: ">= 1.2x baseline", oops: "@octo/all <b> | x"}'
    world.forge.edit(Edit(repository=REPOSITORY, number=1, body=f"```byogpu-claims\n{evil}\n```"))
    world.work()
    said = world.ask("/byogpu status")
    assert "@octo" not in said
    assert "<b>" not in said
    assert "`nosuch`" not in (refused := world.ask("/byogpu run nosuch"))
    assert "There is no suite nosuch" in refused


def test_on_a_closed_pull_request_nothing_is_ordered_and_what_waited_ends(world: World) -> None:
    world.ask("/byogpu run")
    world.forge.edit(Edit(repository=REPOSITORY, number=1, state="closed"))
    world.work()
    assert [job["state"] for job in world.jobs()] == ["stale"]
    assert "is closed" in world.ask("/byogpu run")


def test_a_name_that_came_to_mean_another_repository_is_not_answered(world: World) -> None:
    world.say("/byogpu run")
    with world.forge.store.changing() as state:
        old = state.repositories.pop(world.pull.repository_id)
        new = old.model_copy(update={"id": old.id + 5000})
        state.repositories[new.id] = new
        for one in state.pulls.values():
            one.repository_id = one.head_repository_id = new.id
        for installation in state.installations.values():
            installation.repository_ids = [new.id]
        for commit in state.commits.values():
            commit.repository_ids = [new.id]
    world.forge.credentials.revoke()
    world.work()
    assert world.commands() == ["dead"]
    assert "another repository" in world.service.rows("command")[0]["detail"]
    assert world.jobs() == world.answers() == []


def test_everything_that_was_commanded_is_in_the_audit_log(world: World) -> None:
    world.ask("/byogpu run")
    world.ask("/byogpu run", author="passer-by")
    rows = [row for row in world.service.rows("audit") if row["action"].startswith("command.")]
    assert [(row["actor"], row["detail"]) for row in rows] == [
        ("github:marta", "write: /byogpu run"),
        ("github:passer-by", "none: /byogpu run"),
    ]


def test_a_command_whose_task_was_lost_is_found_by_the_sweep(world: World) -> None:
    from sqlalchemy import text

    world.say("/byogpu help")
    with world.service.services.database.write() as session:
        session.execute(text("DELETE FROM task"))
    sweep(world.service.services)
    world.work()
    assert world.commands() == ["answered"]


def test_a_plain_issues_comment_commands_nothing(world: World) -> None:
    deliveries = len(world.forge.hooks.deliveries())
    asked = world.forge.comment(NewComment(repository=REPOSITORY, number=1, author="marta", body="no command"))
    from standin.events import comment_event

    with world.forge.store.reading() as state:
        event = comment_event(
            state, state.pulls[world.pull.id], asked.model_copy(update={"body": "/byogpu run"}), "created",
            sender="marta", app=None, at=world.forge.addresses,
        )  # fmt: skip
    del event["issue"]["pull_request"]  # type: ignore[attr-defined]
    world.forge.hooks.send("issue_comment", event)
    assert len(world.forge.hooks.deliveries()) == deliveries + 2
    world.work()
    assert world.commands() == []
