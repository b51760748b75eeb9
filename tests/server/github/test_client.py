"""What the client does when things go wrong, and what it does not do twice."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr, ValidationError

from server.github import (
    AppCredentials,
    CheckAnnotation,
    CheckPayload,
    GitHubClient,
    GitHubPermanentError,
    GitHubRetryableError,
    GitHubSettings,
    TokenCredentials,
)
from standin import free_port
from standin.acts import Edit, NewComment, NewPull, Push
from standin.credentials import Credentials
from standin.faults import Fault


def remark(number, message="slower"):
    return CheckAnnotation(
        path="a.py", start_line=number, end_line=number, level="failure", title="M1", message=message
    )


def kept(standin, kind):
    with standin.forge.store.reading() as state:
        return [one.model_copy(deep=True) for one in getattr(state, kind).values()]


@pytest.mark.parametrize(
    ("fault", "code", "status", "retry_after_s"),
    [
        (Fault(kind="server_error"), "github_unavailable", 500, None),
        (Fault(kind="unavailable", retry_after_s=30), "github_unavailable", 503, 30),
        (Fault(kind="garbage"), "github_unavailable", 502, None),
        (Fault(kind="too_many_requests", retry_after_s=11), "github_rate_limited", 429, 11),
        (Fault(kind="too_many_requests"), "github_rate_limited", 429, 60),
        (Fault(kind="secondary_limit", retry_after_s=90), "github_rate_limited", 403, 90),
        (Fault(kind="secondary_limit"), "github_rate_limited", 403, 60),
    ],
)
def test_a_fault_is_retryable_and_says_when(client, standin, pull, payload, fault, code, status, retry_after_s):
    standin.forge.faults.plan(fault)
    with pytest.raises(GitHubRetryableError) as failed:
        client.publish(payload)
    assert (failed.value.code, failed.value.status, failed.value.retry_after_s) == (code, status, retry_after_s)
    assert kept(standin, "check_runs") == []
    assert client.publish(payload).kind == "check_run"


def test_a_used_up_limit_waits_for_its_reset(client, standin, pull):
    standin.forge.faults.plan(Fault(kind="primary_limit"))
    with pytest.raises(GitHubRetryableError) as failed:
        client.fetch_pull("octo/hello", pull.number)
    assert failed.value.code == "github_rate_limited"
    assert 60 < failed.value.retry_after_s <= 121  # the fault's reset lies 120 s ahead


def test_no_connection_is_retryable():
    nowhere = GitHubSettings(
        credentials=TokenCredentials(token=SecretStr("t")), base_url=f"http://127.0.0.1:{free_port()}"
    )
    with GitHubClient(nowhere) as client, pytest.raises(GitHubRetryableError) as failed:
        client.fetch_pull("octo/hello", 1)
    assert (failed.value.code, failed.value.status) == ("github_unreachable", None)


def test_what_is_not_there_is_permanent(client, pull):
    with pytest.raises(GitHubPermanentError) as failed:
        client.fetch_pull("octo/hello", 99)
    assert (failed.value.code, failed.value.status) == ("github_not_found", 404)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_lost_answer_does_not_double_the_check(client, standin, pull, payload, method):
    if method == "PATCH":
        client.publish(payload.model_copy(update={"status": "queued", "conclusion": None}))
    standin.forge.faults.plan(Fault(kind="lost_answer", method=method, path_contains="/check-runs"))
    with pytest.raises(GitHubRetryableError):
        client.publish(payload)
    [before] = kept(standin, "check_runs")
    published = client.publish(payload)
    [after] = kept(standin, "check_runs")
    assert published.id == before.id
    assert before == after
    assert after.conclusion == "failure"


@pytest.mark.parametrize("crash_at", [1, 2, 3])
def test_annotations_continue_where_a_crash_stopped_them(client, standin, pull, payload, crash_at):
    many = payload.model_copy(update={"annotations": tuple(remark(n, f"finding {n}") for n in range(1, 131))})
    calls = ["POST", "PATCH", "PATCH"]
    lost = Fault(kind="lost_answer", method=calls[crash_at - 1], path_contains="/check-runs")
    if crash_at == 3:
        standin.forge.faults.plan(Fault(kind="unavailable", method="PATCH", path_contains="/check-runs"))
        with pytest.raises(GitHubRetryableError):
            client.publish(many)
    standin.forge.faults.plan(lost)
    with pytest.raises(GitHubRetryableError):
        client.publish(many)
    client.publish(many)
    client.publish(many)
    [run] = kept(standin, "check_runs")
    assert [one.message for one in run.annotations] == [f"finding {n}" for n in range(1, 131)]


def test_a_lost_answer_does_not_double_the_comment(token_client, standin, pull, payload):
    standin.forge.faults.plan(Fault(kind="lost_answer", method="POST", path_contains="/comments"))
    with pytest.raises(GitHubRetryableError):
        token_client.publish(payload)
    token_client.publish(payload)
    assert len(kept(standin, "comments")) == len(kept(standin, "statuses")) == 1


def test_nothing_is_sent_when_nothing_changed(client, token_client, standin, pull, payload):
    for one in (client, token_client):
        one.publish(payload)
        # Any further write would meet this fault and fail.
        standin.forge.faults.plan(Fault(kind="server_error", method="POST", path_contains=f"{pull.head_sha}"))
        standin.forge.faults.plan(Fault(kind="server_error", method="POST", path_contains="/check-runs"))
        standin.forge.faults.plan(Fault(kind="server_error", method="POST", path_contains="/comments"))
        standin.forge.faults.plan(Fault(kind="server_error", method="PATCH"))
        one.publish(payload)
        standin.forge.faults.clear()


def test_other_findings_make_a_new_run_because_github_cannot_take_annotations_back(client, standin, pull, payload):
    first = client.publish(payload.model_copy(update={"annotations": (remark(1),)}))
    second = client.publish(payload.model_copy(update={"annotations": (remark(2),)}))
    assert first.id != second.id
    runs = kept(standin, "check_runs")
    assert [[one.start_line for one in run.annotations] for run in runs] == [[1], [2]]


def test_another_apps_run_under_our_id_is_not_touched(client, standin, pull, payload):
    client.publish(payload)
    with standin.forge.store.changing() as state:
        [run] = state.check_runs.values()
        run.app_id = 5
    client.publish(payload.model_copy(update={"title": "ours"}))
    assert [(run.app_id, run.title) for run in kept(standin, "check_runs")] == [(5, payload.title), (77, "ours")]


def test_a_copied_mark_in_a_strangers_comment_is_left_alone(token_client, standin, pull, payload):
    spoof = NewComment(repository="octo/hello", number=1, author="eve", body="<!-- byogpu:check:byogpu -->\nAll good!")
    standin.forge.comment(spoof)
    token_client.publish(payload)
    assert [(one.author, "All good!" in one.body) for one in kept(standin, "comments")] == [
        ("eve", True),
        ("marta", False),
    ]


def test_a_payload_for_an_old_head_does_not_overwrite_the_comment(token_client, standin, pull, payload):
    pushed = standin.forge.push(Push(repository="octo/hello", number=1, files={"a.py": "two\n"}))
    current = payload.model_copy(update={"head_sha": pushed.head_sha, "title": "for the new head"})
    token_client.publish(current)
    late = token_client.publish(payload)
    [comment] = kept(standin, "comments")
    assert "for the new head" in comment.body
    assert late.url.endswith("/octo/hello/pull/1")
    assert {one.sha for one in kept(standin, "statuses")} == {payload.head_sha, pushed.head_sha}


def test_an_inconclusive_check_is_never_a_green_status(token_client, standin, pull, payload):
    token_client.publish(payload.model_copy(update={"conclusion": "neutral"}))
    assert [one.state for one in kept(standin, "statuses")] == ["pending"]


def test_a_revoked_token_is_renewed_once(client, standin, pull):
    client.fetch_pull("octo/hello", 1)
    standin.forge.credentials.revoke()
    assert client.fetch_pull("octo/hello", 1).number == 1


def test_an_installations_repositories_share_one_token(client, standin, pull):
    other = standin.forge.open_pull(NewPull(repository="octo/other", title="b", author="kim", files={"b": "1"}))
    for _ in range(3):
        client.fetch_pull("octo/hello", pull.number)
        client.fetch_pull("octo/other", other.number)
    assert standin.forge.credentials.issued_count == 1


def test_a_token_is_renewed_before_it_expires(client, standin, pull):
    standin.forge.credentials = Credentials(replace(standin.forge.settings, token_lifetime=timedelta(seconds=15)))
    for _ in range(3):
        client.fetch_pull("octo/hello", pull.number)
    assert standin.forge.credentials.issued_count == 3  # each had less than the margin of 20 s to live
    standin.forge.credentials = Credentials(replace(standin.forge.settings, token_lifetime=timedelta(hours=1)))
    for _ in range(3):
        client.fetch_pull("octo/hello", pull.number)
    assert standin.forge.credentials.issued_count == 1


def test_a_new_installation_is_found_though_the_old_ones_token_ran_out(client, standin, pull, payload):
    standin.forge.credentials = Credentials(replace(standin.forge.settings, token_lifetime=timedelta(seconds=15)))
    client.fetch_pull("octo/hello", pull.number)
    standin.forge.uninstall("octo/hello")
    standin.forge.install("octo/hello")
    assert client.publish(payload).kind == "check_run"


def test_an_uninstalled_app_is_permanent_and_recovers_when_installed_again(client, standin, pull, payload):
    client.publish(payload)
    standin.forge.uninstall("octo/hello")
    with pytest.raises(GitHubPermanentError) as failed:
        client.publish(payload)
    assert failed.value.code == "github_not_found"
    standin.forge.install("octo/hello")
    assert client.publish(payload).kind == "check_run"


def test_a_wrong_key_is_permanent(connect, pull):
    stranger = AppCredentials(app_id=77, private_key_pem=SecretStr(_other_key()))
    with pytest.raises(GitHubPermanentError) as failed:
        connect(stranger).fetch_pull("octo/hello", 1)
    assert (failed.value.code, failed.value.status) == ("github_bad_credentials", 401)


def test_too_long_texts_are_cut_visibly(client, standin, pull, payload):
    long = payload.model_copy(
        update={
            "title": "t" * 400,
            "summary": "line of summary\n" * 6000,
            "text": "é" * 70_000,
            "annotations": (remark(1, "m" * 100_000),),
        }
    )
    client.publish(long)
    client.publish(long)
    [run] = kept(standin, "check_runs")
    assert len(run.title) == 255
    assert run.title.endswith("…")
    assert len(run.summary.encode()) <= 65_535
    assert len(run.text.encode()) <= 65_535
    assert "Cut here" in run.summary.rpartition("\n")[2]
    assert "140,000" in run.text
    assert len(run.annotations[0].message) == 16_000


def test_threads_may_share_a_client(client, pull, payload):
    published = []
    threads = [threading.Thread(target=lambda: published.append(client.publish(payload))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(published) == 6
    assert len({one.id for one in published}) == 1


def test_a_closed_pull_request_can_still_be_answered(client, standin, pull, payload):
    standin.forge.edit(Edit(repository="octo/hello", number=1, state="closed"))
    assert client.publish(payload).kind == "check_run"


def test_open_pull_requests_are_listed_newest_first(client, standin, pull):
    standin.forge.open_pull(NewPull(repository="octo/hello", title="b", author="kim", files={"b": "1"}, draft=True))
    assert [(one.number, one.draft) for one in client.fetch_open_pulls("octo/hello")] == [(2, True), (1, False)]


@pytest.mark.parametrize(
    "change",
    [
        {"status": "completed", "conclusion": None},
        {"status": "queued"},
        {"repository": "octo/.."},
        {"repository": "octo/hello/../other"},
        {"head_sha": "main"},
        {"external_id": "a#b"},
        {"details_url": "javascript:alert(1)"},
        {
            "annotations": [
                {"path": "a", "start_line": 2, "end_line": 1, "level": "notice", "title": "", "message": "m"}
            ]
        },
        {"actions": [{"label": "l", "description": "d", "identifier": str(n)} for n in range(4)]},
        {"unknown": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_payload_that_github_would_refuse_cannot_be_made(payload, change):
    with pytest.raises(ValidationError):
        CheckPayload.model_validate(payload.model_dump() | change)


def test_a_payload_survives_the_outbox(payload):
    full = payload.model_copy(update={"annotations": (remark(1),)})
    assert CheckPayload.model_validate_json(full.model_dump_json()) == full


def test_secrets_do_not_show():
    settings = GitHubSettings(credentials=AppCredentials(app_id=1, private_key_pem=SecretStr("very secret")))
    assert "very secret" not in f"{settings!r} {settings.model_dump_json()}"


def _other_key():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
