"""``byogpu admin`` on a database of its own, beside a service that may be running."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
from sqlalchemy import text

from byogpu import cli
from server.models import Account, Task

if TYPE_CHECKING:
    from tests.conftest import Service

Admin = Callable[..., tuple[int, Any]]


@pytest.fixture
def admin(service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Admin:
    """Run ``byogpu admin ... --json`` on the service's database; its exit code and document."""
    monkeypatch.setenv("BYOGPU_DATA_DIR", str(service.services.settings.data_dir))
    service.clock.now = datetime.now(UTC) + timedelta(hours=1)  # the command reads the real time

    def run(*arguments: str | Path) -> tuple[int, Any]:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["byogpu", "admin", *map(str, arguments)])
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        out = capsys.readouterr().out
        return int(code or 0), json.loads(out) if out.lstrip().startswith(("{", "[")) else out

    return run


def operator_rows(service: Service) -> list[tuple[str, str]]:
    return [(row["action"], row["target"]) for row in service.rows("audit") if row["actor"] == "operator"]


def dead_task(service: Service, kind: str, key: str) -> int:
    with service.services.database.write() as session:
        at = service.clock.now
        task = Task(kind=kind, key=key, state="dead", wanted=1, attempts=60, run_after=at, detail="GitHub answered 503")
        session.add(task)
        session.flush()
        return task.id


def test_every_command_says_what_it_does() -> None:
    root = typer.main.get_command(cli.app)
    group = root.commands["admin"]  # type: ignore[attr-defined]
    leaves = []

    def walk(command: Any, path: tuple[str, ...]) -> None:
        if hasattr(command, "commands"):
            for name, inner in command.commands.items():
                walk(inner, (*path, name))
        else:
            leaves.append(" ".join(path))
            assert command.help, path
            if path[0] != "policy":
                assert any("--json" in option.opts for option in command.params), path

    walk(group, ())
    assert set(leaves) >= {
        "status", "keys issue", "keys list", "keys revoke", "bundle quarantine", "bundle release", "bundle retract",
        "bundle invalidate", "bundle reinstate", "bundle revalidate", "tasks list", "tasks requeue", "migrate up",
        "migrate down", "migrate current", "backup", "restore", "verify", "policy get", "policy set",
    }  # fmt: skip


def test_keys_are_issued_listed_and_revoked(service: Service, admin: Admin) -> None:
    with service.services.database.write() as session:
        at = service.clock.now
        session.add(Account(id=7, login="Marta", role="maintainer", created_at=at, seen_at=at))
    code, receipt = admin("keys", "issue", "marta", "--scope", "jobs:request", "--days", "5", "--json")
    assert code == 0
    shown = service.client.get("/api/v1/session", headers={"Authorization": f"Bearer {receipt['token']}"})
    assert shown.json()["account"]["login"] == "Marta"
    _, listed = admin("keys", "list", "marta", "--json")
    assert [(one["login"], one["id"]) for one in listed] == [("Marta", receipt["id"])]
    assert receipt["token"] not in json.dumps(listed)
    assert admin("keys", "revoke", receipt["id"], "--json")[0] == 0
    refused = service.client.get("/api/v1/tokens", headers={"Authorization": f"Bearer {receipt['token']}"})
    assert refused.status_code == 401
    assert operator_rows(service) == [("token.issued", receipt["id"]), ("token.revoked", receipt["id"])]
    code, refusal = admin("keys", "issue", "nobody", "--scope", "jobs:request", "--json")
    assert (code, refusal["error"]["code"]) == (2, "operation_refused")
    assert "account_not_found" in refusal["error"]["detail"]
    assert admin("keys", "issue", "marta", "--scope", "admin", "--json")[0] == 2, "more than the role allows"
    assert admin("keys", "issue", "marta", "--scope", "nonsense", "--json")[0] == 2


def test_a_bundle_is_quarantined_and_released(service: Service, admin: Admin, make_bundle: Any) -> None:
    bundle = make_bundle()
    before = service.upload(bundle)["validation_state"]
    page = f"/api/v1/bundles/{bundle.id}"
    assert admin("bundle", "quarantine", bundle.id, "--reason", "copied from elsewhere", "--json")[0] == 0
    assert service.client.get(f"{page}/manifest").json()["code"] == "bundle_quarantined"
    with service.services.database.write() as session:
        session.execute(text("UPDATE assessment SET edition = 'older'"))
    assert admin("bundle", "revalidate", "--json") == (0, {"asked": 0}), "no change of rules releases it"
    service.work()
    assert service.client.get(f"{page}/manifest").status_code == 403
    assert admin("bundle", "release", bundle.id, "--reason", "it is theirs", "--json")[0] == 0
    service.work()
    assert service.client.get(f"{page}/status").json()["validation_state"] == before
    assert service.client.get(f"{page}/manifest").status_code == 200
    assert [action for action, _ in operator_rows(service)] == [
        "bundle.quarantined", "revalidation.asked", "bundle.released",
    ]  # fmt: skip


def test_a_bundle_is_invalidated_reinstated_and_retracted(service: Service, admin: Admin, make_bundle: Any) -> None:
    bundle = make_bundle()
    service.upload(bundle)
    assert admin("bundle", "invalidate", bundle.id, "--reason", "wrong clocks")[0] == 0
    assert admin("bundle", "reinstate", bundle.id, "--reason", "right after all")[0] == 0
    code, refusal = admin("bundle", "retract", bundle.id, "--reason", "asked for", "--json")
    assert (code, refusal["error"]["code"]) == (2, "not_confirmed")
    assert service.client.get(f"/api/v1/bundles/{bundle.id}/manifest").status_code == 200
    assert admin("bundle", "retract", bundle.id, "--reason", "asked for", "--yes", "--json")[0] == 0
    assert service.client.get(f"/api/v1/bundles/{bundle.id}/manifest").status_code == 410
    for command in ("quarantine", "revalidate"):
        reason = ("--reason", "why") if command == "quarantine" else ()
        assert "bundle_retracted" in admin("bundle", command, bundle.id, *reason, "--json")[1]["error"]["detail"]
    assert (
        "bundle_not_found"
        in admin("bundle", "retract", "0" * 64, "--reason", "why", "--yes", "--json")[1]["error"]["detail"]
    )


def test_one_bundle_is_judged_again(service: Service, admin: Admin, make_bundle: Any) -> None:
    bundle = make_bundle()
    before = service.upload(bundle)["validation_state"]
    with service.services.database.write() as session:
        session.execute(text("UPDATE bundle SET validation_state = 'error', validation_detail = 'disk full'"))
    assert admin("bundle", "revalidate", bundle.id, "--json") == (0, {"asked": 1})
    service.work()
    assert service.client.get(f"/api/v1/bundles/{bundle.id}/status").json()["validation_state"] == before


def test_dead_tasks_are_listed_and_put_back_with_what_died_with_them(
    service: Service, admin: Admin, make_bundle: Any
) -> None:
    bundle = make_bundle()
    service.upload(bundle)
    with service.services.database.write() as session:
        session.execute(text("UPDATE bundle SET validation_state = 'error'"))
        session.execute(text("DELETE FROM task"))
    task_id = dead_task(service, "validate", bundle.id)
    other = dead_task(service, "refresh", "1")
    _, listed = admin("tasks", "list", "--state", "dead", "--json")
    assert {(one["id"], one["kind"], one["detail"]) for one in listed} == {
        (task_id, "validate", "GitHub answered 503"), (other, "refresh", "GitHub answered 503"),
    }  # fmt: skip
    code, back = admin("tasks", "requeue", task_id, "--json")
    assert (code, [one["state"] for one in back]) == (0, ["queued"])
    service.work()
    assert service.client.get(f"/api/v1/bundles/{bundle.id}/status").json()["validation_state"] != "error"
    assert admin("tasks", "requeue", "--kind", "publish", "--json") == (0, [])
    assert len(admin("tasks", "requeue", "--json")[1]) == 1
    assert "task_not_dead" in admin("tasks", "requeue", task_id, "--json")[1]["error"]["detail"]
    assert admin("tasks", "list", "--state", "sleeping", "--json")[0] == 2
    assert admin("tasks", "requeue", "--kind", "nap", "--json")[0] == 2


def test_dead_posts_and_commands_come_back_with_their_task(service: Service, admin: Admin) -> None:
    from server.models import Command, Post
    from server.seen import Seen, note

    with service.services.database.write() as session:
        now = service.clock.now
        seen = Seen(
            repository_id=1, repository="octo/kernels", number=7, title="t", body="", state="open",
            head_sha="a" * 40, base_sha="b" * 40,
        )  # fmt: skip
        pull_id = note(session, seen, actor="github", now=now)
        for title in ("older", "newer"):
            session.add(
                Post(pull_id=pull_id, head_sha="a" * 40, digest=title, payload="{}", conclusion="neutral", title=title,
                     state="dead", attempts=60, detail="503", url="", created_at=now)
            )  # fmt: skip
        for key, answer in (("comment:1", None), ("comment:2", "{}")):
            session.add(
                Command(key=key, repository_id=1, repository="octo/kernels", pull_number=7, comment_id=1, head_sha=None,
                        login="marta", words="/byogpu help", asked_at=now, heard_at=now, state="dead", answer=answer,
                        attempts=60, detail="503", url="")
            )  # fmt: skip
    dead_task(service, "publish", str(pull_id))
    dead_task(service, "obey", "1:7")
    assert len(admin("tasks", "requeue", "--json")[1]) == 2
    assert [(row["title"], row["state"]) for row in service.rows("post")] == [("older", "dead"), ("newer", "pending")]
    assert [row["state"] for row in service.rows("command")] == ["heard", "decided"]


def test_the_databases_revision_goes_up_and_down(service: Service, admin: Admin) -> None:
    newest = admin("migrate", "current", "--json")[1]["revision"]
    code, refusal = admin("migrate", "down", "0001", "--json")
    assert (code, refusal["error"]["code"]) == (2, "not_confirmed")
    assert admin("migrate", "down", "0001", "--yes", "--json")[1] == {"revision": "0001"}
    assert admin("tasks", "list", "--json")[0] == 0, "tables of the first revision are there"
    code, refusal = admin("keys", "list", "--json")
    assert (code, refusal["error"]["code"]) == (4, "database_unusable")
    assert admin("migrate", "up", "--json")[1] == {"revision": newest}
    assert "operation_refused" in json.dumps(admin("migrate", "down", "9999", "--yes", "--json")[1])


def test_a_backup_is_saved_restored_and_verified(
    service: Service, admin: Admin, make_bundle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = make_bundle()
    service.upload(bundle)
    code, summary = admin("backup", tmp_path / "saved", "--json")
    assert (code, summary["blobs"]) == (0, len(bundle.manifest.files))
    assert admin("verify", "--json")[1]["damages"] == []
    monkeypatch.setenv("BYOGPU_DATA_DIR", str(tmp_path / "elsewhere"))
    assert admin("restore", tmp_path / "saved", "--json")[0] == 2
    code, restored = admin("restore", tmp_path / "saved", "--yes", "--json")
    assert (code, restored["blobs"]) == (0, summary["blobs"])
    assert admin("verify", "--json")[1]["bundles"] == 1
    code, refusal = admin("restore", tmp_path / "saved", "--yes", "--json")
    assert (code, refusal["error"]["code"]) == (1, "backup_unusable")
    shutil.rmtree(tmp_path / "elsewhere" / "blobs")
    (tmp_path / "elsewhere" / "blobs").mkdir()
    code, damaged = admin("verify", "--json")
    assert (code, [one["bundle_id"] for one in damaged["damages"]]) == (1, [bundle.id])


def test_a_policy_is_read_and_set(service: Service, admin: Admin, tmp_path: Path) -> None:
    from server.seen import Seen, note

    with service.services.database.write() as session:
        seen = Seen(
            repository_id=1, repository="octo/kernels", number=7, title="t", body="", state="open",
            head_sha="a" * 40, base_sha="b" * 40,
        )  # fmt: skip
        note(session, seen, actor="github", now=service.clock.now)
    code, policy = admin("policy", "get", "octo/kernels")
    assert code == 0
    (tmp_path / "policy.json").write_text(json.dumps(policy | {"holes": 0}))
    assert admin("policy", "set", "octo/kernels", tmp_path / "policy.json")[1]["holes"] == 0
    (tmp_path / "policy.json").write_text('{"version": 9}')
    assert admin("policy", "set", "octo/kernels", tmp_path / "policy.json")[0] == 2
    assert admin("policy", "get", "octo/unknown")[0] == 2


def test_status_says_what_is_missing(service: Service, admin: Admin) -> None:
    assert admin("status", "--json") == (0, {"troubles": []})
    dead_task(service, "refresh", "1")
    assert [trouble["code"] for trouble in admin("status", "--json")[1]["troubles"]] == ["tasks_dead"]
    assert "Work was given up" in admin("status")[1]
