"""An order is checked as if nobody had checked it before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from worker.agent.api import Grant
from worker.agent.errand import ErrandError, check_order
from worker.agent.policy import Policy
from worker.bundle.dsse import NodeKey, generate_key, seal
from worker.bundle.job import JobSpec, Source
from worker.bundle.order import sign_job
from worker.bundle.schema import Challenge, Subject
from worker.suites import load
from worker.suites.plan import plan_run

NODE = "b" * 64
SMOKE = load("smoke")
NONCE = "n" * 43
HEAD, BASE = "1" * 40, "2" * 40


@pytest.fixture
def key(tmp_path: Path) -> NodeKey:
    return generate_key(tmp_path / "service.pem")


def policy(key: NodeKey, **changes: Any) -> Policy:
    allowed = dict.fromkeys(("suites", "images", "repositories", "authors"), ("*",))
    return Policy.model_validate({"service_key": key.public_key, **allowed, **changes})


def spec(**changes: Any) -> JobSpec:
    now = datetime.now(UTC)
    subject = Subject(
        repository_id=1, repository="octo/kernels", pull_number=1, head_sha=HEAD, base_sha=BASE,
        suite=SMOKE.reference, claim_ids=(),
    )  # fmt: skip
    usual = JobSpec(
        format="byogpu.job/1", service="https://byogpu.example", job_id="j-0123456789abcdef", token=2, node_key_id=NODE,
        image=f"registry.example/eval-smoke@sha256:{'3' * 64}", subject=subject,
        source=Source(clone_url="https://github.com/octo/kernels", head_sha=HEAD, base_sha=BASE),
        challenge=Challenge(id="c-1", nonce=NONCE, plan_digest=plan_run(SMOKE, NONCE).digest), author="octocat",
        approved_by="maintainer", time_limit_s=1410, issued_at=now, expires_at=now + timedelta(hours=1),
    )  # fmt: skip
    return usual.model_copy(update=changes)


def granted(envelope: bytes, **changes: Any) -> Grant:
    usual = {"job_id": "j-0123456789abcdef", "token": 2, "envelope": envelope.decode(), "heartbeat_s": 15.0, "done": ()}
    return Grant.model_validate({**usual, **changes})


def test_a_good_order_is_taken(key: NodeKey) -> None:
    ordered = spec()
    assert check_order(granted(sign_job(ordered, key)), policy(key), NODE) == ordered


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"node_key_id": "c" * 64}, "another job, lease or node"),
        ({"token": 1}, "another job, lease or node"),
        ({"job_id": "j-fedcba9876543210"}, "another job, lease or node"),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "time is over"),
        ({"challenge": Challenge(id="c-1", nonce=NONCE, plan_digest="4" * 64)}, "plans the suite otherwise"),
        ({"source": Source(clone_url="https://github.com/a/b", head_sha=BASE, base_sha=BASE)}, "contradicts itself"),
    ],
)
def test_an_order_for_somebody_or_something_else_is_refused(key: NodeKey, changes: dict, words: str) -> None:
    with pytest.raises(ErrandError, match=words) as caught:
        check_order(granted(sign_job(spec(**changes), key)), policy(key), NODE)
    assert caught.value.cause == "node"


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        ({"repositories": ("octo/other",)}, "does not allow octo/kernels"),
        ({"authors": ("friend",)}, "changes by octocat"),
        ({"suites": ("standard",)}, "suite smoke/1"),
        ({"images": ("registry.example/other",)}, "does not allow image"),
        ({"longest_minutes": 1}, "allows 60 s"),
    ],
)
def test_the_owners_policy_is_asked_again(key: NodeKey, allowed: dict, words: str) -> None:
    with pytest.raises(ErrandError, match=words):
        check_order(granted(sign_job(spec(), key)), policy(key, **allowed), NODE)


def test_what_another_key_signed_or_signed_as_something_else_is_refused(key: NodeKey, tmp_path: Path) -> None:
    other = generate_key(tmp_path / "other.pem")
    signed = sign_job(spec(), key)
    forged = signed.replace(b'"payload":"', b'"payload":"AAAA', 1)
    as_something_else = seal(b"{}", "application/vnd.in-toto+json", key)
    for envelope in (sign_job(spec(), other), forged, as_something_else, b"{}"):
        with pytest.raises(ErrandError, match="not signed by the service"):
            check_order(granted(envelope), policy(key), NODE)
