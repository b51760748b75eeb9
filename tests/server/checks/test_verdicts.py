"""Pull requests, their verdicts, and what is put into the outbox."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from sqlalchemy.orm import Session

from server.checks import pulls, verdicts
from server.db import Database
from server.github import GitHubPermanentError, GitHubRetryableError, Pull
from worker.bundle import Bundle

if TYPE_CHECKING:
    from tests.conftest import Service

SECRET = "webhook-secret-for-tests"
CLAIMS = '```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: ">= 1.2x baseline"\n```'


@dataclass
class ReadableGitHub:
    """Knows one pull request; fails as told."""

    pull: Pull
    failures: list[Exception] = field(default_factory=list)
    reads: int = 0

    def fetch_pull(self, repository: str, number: int) -> Pull:
        self.reads += 1
        if self.failures:
            raise self.failures.pop(0)
        assert (repository, number) == (self.pull.repository, self.pull.number)
        return self.pull


def pull(**changes: Any) -> Pull:
    return Pull.model_validate(
        {
            "repository_id": 1001, "repository": "octo/kernels", "number": 1, "title": "Faster", "body": CLAIMS,
            "state": "open", "merged": False, "draft": False, "author": "kim", "author_id": 5, "head_sha": "a" * 40,
            "head_ref": "change", "head_repository_id": 1001, "base_sha": "b" * 40, "base_ref": "main",
            "url": "https://github.example/octo/kernels/pull/1", **changes,
        }
    )  # fmt: skip


def event(action: str = "edited", **changes: Any) -> dict[str, Any]:
    there = {"number": 1, "title": "Faster", "body": CLAIMS, "state": "open", "head": {"sha": "a" * 40},
             "base": {"sha": "b" * 40}, **changes}  # fmt: skip
    return {
        "action": action,
        "number": 1,
        "pull_request": there,
        "repository": {"id": 1001, "full_name": "octo/kernels"},
        "sender": {"login": "kim", "id": 5},
    }


def deliver(service: Service, body: dict[str, Any], delivery: str) -> dict[str, Any]:
    data = json.dumps(body).encode()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), data, hashlib.sha256).hexdigest(),
    }
    answer = service.client.post("/api/v1/github/webhooks", content=data, headers=headers)
    assert answer.status_code == 200, answer.text
    receipt: dict[str, Any] = answer.json()
    service.work()
    return receipt


def posts(service: Service) -> list[tuple[str, str]]:
    return [(row["conclusion"], row["state"]) for row in service.rows("post")]


def page(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = service.client.get("/api/v1/pulls/octo/kernels/1").json()
    return found


def test_a_webhook_makes_a_pull_request_known_without_credentials(service: Service) -> None:
    assert deliver(service, event("opened"), "d1")["action"] == "pull_updated"
    shown = page(service)
    assert shown["pull"]["author"] == "kim"
    assert shown["pull"]["github_url"] == "https://github.com/octo/kernels/pull/1"
    assert [one["outcome"] for one in shown["verdicts"]] == ["no_evidence"]
    assert posts(service) == [("action_required", "pending")]


def test_with_credentials_the_api_has_the_last_word(make_service: Callable[..., Service]) -> None:
    """An old delivery comes late: what the API says now counts."""
    github = ReadableGitHub(pull(head_sha="c" * 40, title="Now"))
    service = make_service(github=github)
    deliver(service, event(head={"sha": "a" * 40}, title="Then"), "d1")
    shown = page(service)
    assert (shown["pull"]["title"], shown["pull"]["head_sha"]) == ("Now", "c" * 40)
    assert shown["judged_head_sha"] == "c" * 40
    assert github.reads == 1


def test_a_read_that_fails_is_repeated(make_service: Callable[..., Service]) -> None:
    github = ReadableGitHub(pull(title="Now"))
    github.failures = [GitHubRetryableError("GitHub answered 503", code="github_unavailable", status=503)]
    service = make_service(github=github)
    deliver(service, event(title="Then"), "d1")
    assert page(service)["pull"]["title"] == "Then"
    service.clock.advance(10)
    service.work()
    assert page(service)["pull"]["title"] == "Now"


def test_a_name_that_moved_to_another_repository_changes_nothing(make_service: Callable[..., Service]) -> None:
    service = make_service(github=ReadableGitHub(pull(repository_id=2002, title="Theirs")))
    deliver(service, event(title="Ours"), "d1")
    assert [(row["repository_id"], row["title"]) for row in service.rows("pull")] == [(1001, "Ours")]


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (GitHubPermanentError("GitHub answered 404", code="github_not_found", status=404), 404, "github_not_found"),
        (GitHubPermanentError("GitHub answered 401", code="github_bad_credentials", status=401), 502, "github_failed"),
        (GitHubRetryableError("No answer", code="github_unreachable"), 502, "github_failed"),
    ],
)
def test_syncing_says_what_github_said(
    make_service: Callable[..., Service], failure: Exception, status: int, code: str
) -> None:
    service = make_service(github=ReadableGitHub(pull(), [failure]))
    answer = service.client.post("/api/v1/pulls/octo/kernels/1/sync", headers=service.admin)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert service.rows("pull") == []


def test_syncing_answers_with_the_pull_request(make_service: Callable[..., Service]) -> None:
    service = make_service(github=ReadableGitHub(pull()))
    answer = service.client.post("/api/v1/pulls/octo/kernels/1/sync", headers=service.admin)
    assert answer.json()["title"] == "Faster"
    assert [row["action"] for row in service.rows("audit")] == ["pull.seen"]


def test_the_same_words_are_not_queued_twice(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    deliver(service, event("opened"), "d1")
    deliver(service, event("edited", title="Even faster"), "d2")
    assert posts(service) == [("action_required", "pending")]
    service.upload(make_bundle())
    assert len(posts(service)) == 2, "now there is a bundle to speak of"


def test_a_closed_pull_request_is_judged_and_not_posted_about(service: Service) -> None:
    deliver(service, event("closed", state="closed"), "d1")
    assert page(service)["judged_at"] is not None
    assert posts(service) == []


def test_a_check_is_taken_back_when_the_claims_go(service: Service) -> None:
    deliver(service, event("opened"), "d1")
    deliver(service, event("edited", body="I claim nothing any more."), "d2")
    assert [conclusion for conclusion, _ in posts(service)] == ["action_required", "neutral"]
    assert page(service)["verdicts"] == []


def test_evidence_without_claims_is_spoken_of(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    deliver(service, event("opened", body=""), "d1")
    assert posts(service) == []
    service.upload(make_bundle())
    assert posts(service) == [("neutral", "pending")]


def test_a_bundle_that_came_before_its_pull_request_counts(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    bundle = make_bundle()
    service.upload(bundle)
    deliver(service, event("opened"), "d1")
    shown = page(service)
    assert [item["bundle"]["bundle_id"] for item in shown["evidence"]] == [bundle.id]
    assert shown["verdicts"][0]["bundle_ids"] == [bundle.id]


@dataclass
class MeddledDatabase:
    """A database in which something happens just before the next write."""

    database: Database
    meddle: Callable[[], object]

    def read(self) -> AbstractContextManager[Session]:
        return self.database.read()

    @contextmanager
    def write(self) -> Iterator[Session]:
        self.meddle()
        with self.database.write() as session:
            yield session


def test_a_change_while_judging_is_judged_again(service: Service) -> None:
    deliver(service, event("opened"), "d1")
    before = service.rows("verdict"), service.rows("post")
    seen = pulls.Seen(
        repository_id=1001, repository="octo/kernels", number=1, title="Faster", body="", state="open",
        head_sha="c" * 40, base_sha="b" * 40,
    )  # fmt: skip

    def push() -> None:
        with service.services.database.write() as session:
            pulls.store(session, service.services, seen, actor="github")

    database = cast(Database, MeddledDatabase(service.services.database, push))
    verdicts.refresh(replace(service.services, database=database), "1")
    assert (service.rows("verdict"), service.rows("post")) == before, "what was judged is about an old head"
    service.work()
    assert page(service)["judged_head_sha"] == "c" * 40


BLOCKS: dict[str, str] = {
    "not yaml": "- id: [",
    "alias bomb": "a: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]",
    "tag": "- !!python/object/apply:os.system [id]",
    "wrong type": "- id: 1\n  metric: 2",
    "unknown metric": '- id: a\n  metric: happiness\n  relation: ">= 1.2x baseline"',
    "unknown field": '- id: a\n  metric: step_latency_us\n  relation: ">= 1.2x baseline"\n  trust: 4',
    "same id twice": '- {id: a, metric: step_latency_us, relation: ">= 1.2x baseline"}\n' * 2,
    "infinite factor": '- {id: a, metric: step_latency_us, relation: ">= .infx baseline"}',
    "control characters": '- {id: "a\\0", metric: step_latency_us, relation: ">= 1.2x baseline"}',
    "markup": '- {id: "<script>@everyone", metric: step_latency_us, relation: ">= 1.2x baseline"}',
    "too many": '- {id: a, metric: step_latency_us, relation: ">= 1.2x baseline"}\n' * 500,
    "deep": "[" * 5000,
    "long line": "- id: " + "a" * 60_000,
}


@pytest.mark.parametrize("name", BLOCKS)
def test_hostile_claim_blocks_are_answered_with_what_is_wrong(service: Service, name: str) -> None:
    deliver(service, event("opened", body=f"Hello\n```byogpu-claims\n{BLOCKS[name]}\n```\n"), "d1")
    shown = page(service)
    assert shown["claims"] == shown["verdicts"] == []
    assert shown["claim_errors"]
    assert all(error["code"] and error["line"] >= 1 for error in shown["claim_errors"])
    assert posts(service) == [("action_required", "pending")]
    assert service.rows("verdict") == []
    payload = json.loads(service.rows("post")[0]["payload"])
    for text in (payload["title"], payload["summary"], payload["text"]):
        assert "<script" not in text
        assert "@everyone" not in text
