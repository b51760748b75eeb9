"""Which operation of the API follows on which: OpenAPI links, by which a client (and schemathesis) walks whole tasks.

Uploading, running a job, following a challenge, keeping credentials, reading lists page by page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from server.jobs import examples
from worker.suites import load


@dataclass(frozen=True)
class Link:
    """An operation that follows on an answer.

    Attributes:
        target: Its name.
        parameters: Its parameters: words of OpenAPI's runtime expressions, or values.
        body: Its body, made of the same; None: it has none, or whatever fits.
    """

    target: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None

    def described(self) -> dict[str, Any]:
        """The link as OpenAPI shows it."""
        shown: dict[str, Any] = {"operationId": self.target, "parameters": dict(self.parameters)}
        return shown if self.body is None else {**shown, "requestBody": dict(self.body)}


def _said(pointer: str) -> str:
    """What the answer says there."""
    return f"$response.body#/{pointer}"


def _sent(pointer: str) -> str:
    """What the request's body said there."""
    return f"$request.body#/{pointer}"


def _follow(*targets: str, body: Mapping[str, Any] | None = None, **parameters: Any) -> tuple[Link, ...]:
    return tuple(Link(target, parameters, body) for target in targets)


def _more(target: str) -> tuple[Link, ...]:
    return _follow(target, cursor=_said("next_cursor"))


_READS_OF_A_BUNDLE = ("get_status", "get_bundle", "get_manifest")
"""Not the envelope: a bundle need not have one."""
_SUITE = "smoke"
_WHY = {"reason": "Asked for by its author."}
_FIRST_MISSING = {"sha256": _said("missing/0/sha256"), "size_bytes": _said("missing/0/size_bytes"), "number": 1}
_LEASE = {"node_key_id": _sent("node_key_id"), "token": _said("job/token")}
_NOW = examples.HEARTBEAT.model_dump(mode="json")["sent_at"]
_CLAIM = examples.CLAIM.model_dump(mode="json")
_DONE = examples.PROGRESS.model_dump(mode="json")["done"]
_OF_PULL = {"repository": "repository", "pull_number": "number"}
"""What challenges and orders are for, and where a pull request says it."""
_PULL: dict[str, Any] = {"owner": "$request.path.owner", "name": "$request.path.name", "number": "$request.path.number"}
_REPOSITORY: dict[str, Any] = {"owner": "$request.path.owner", "name": "$request.path.name"}


def _of_pull(where: str) -> tuple[Link, ...]:
    """What is asked for about a pull request that an answer shows there."""
    named = {name: _said(f"{where}{there}") for name, there in _OF_PULL.items()}
    return (
        *_follow("post_challenge", body={**named, "suite_digest": load(_SUITE).digest, "node_key_id": None}),
        *_follow("order_job", body={**named, "head_sha": _said(f"{where}head_sha"), "suite": _SUITE}),
    )


LINKS: Mapping[tuple[str, str], tuple[Link, ...]] = {
    ("post_bundle", "201"): (
        *_follow("announce_parts", sha256=_said("missing/0/sha256"), body={"parts": [_FIRST_MISSING]}),
        *_follow("put_part", sha256=_said("missing/0/sha256"), number=1),
        *_follow("submit_bundle", "get_status", bundle_id=_said("bundle_id")),
    ),
    ("post_bundle", "200"): _follow("submit_bundle", *_READS_OF_A_BUNDLE, bundle_id=_said("bundle_id")),
    ("put_part", "200"): _follow("get_blob", sha256=_said("sha256")),
    ("submit_bundle", "202"): (
        *_follow(*_READS_OF_A_BUNDLE, bundle_id=_said("bundle_id")),
        *_follow("invalidate_bundle", "retract_bundle", bundle_id=_said("bundle_id"), body=_WHY),
    ),
    ("get_bundle", "200"): (
        *_follow("get_blob", sha256=_said("manifest/files/0/sha256")),
        *_follow("compare_bundles", a=_said("bundle/bundle_id"), b=_said("bundle/bundle_id")),
    ),
    ("invalidate_bundle", "200"): (
        *_follow("get_bundle", bundle_id="$request.path.bundle_id"),
        *_follow("reinstate_bundle", bundle_id="$request.path.bundle_id", body=_WHY),
    ),
    ("retract_bundle", "200"): _follow("get_bundle", "get_manifest", bundle_id="$request.path.bundle_id"),
    ("list_bundles", "200"): (
        *_follow(*_READS_OF_A_BUNDLE, bundle_id=_said("items/0/bundle_id")),
        *_more("list_bundles"),
    ),
    ("post_challenge", "201"): (
        *_follow("get_challenge", challenge_id=_said("id")),
        *_follow("abandon_challenge", challenge_id=_said("id"), body={"nonce": _said("nonce")}),
    ),
    ("abandon_challenge", "200"): _follow("get_challenge", challenge_id=_said("id")),
    ("list_challenges", "200"): (
        *_follow("get_challenge", challenge_id=_said("items/0/id")),
        *_more("list_challenges"),
    ),
    ("order_job", "200"): (
        *_follow("get_job", "cancel_job", "repeat_job", job_id=_said("id")),
        *_follow("approve_job", job_id=_said("id"), body={"head_sha": _said("head_sha")}),
    ),
    ("cancel_job", "200"): _follow("get_job", "repeat_job", job_id=_said("id")),
    ("claim_job", "200"): (
        *_follow("get_job", job_id=_said("job/job_id")),
        *_follow("post_heartbeat", job_id=_said("job/job_id"), body={**_LEASE, "sent_at": _NOW}),
        *_follow("post_progress", job_id=_said("job/job_id"), body={**_LEASE, "done": _DONE}),
        *_follow("finish_job", job_id=_said("job/job_id"), body={**_LEASE, "bundle_id": "0" * 64}),
        *_follow("fail_job", job_id=_said("job/job_id"), body={**_LEASE, "cause": "drained", "detail": "enough"}),
    ),
    ("post_progress", "200"): _follow(
        "fail_job",
        job_id=_said("job/id"),
        body={"node_key_id": _sent("node_key_id"), "token": _sent("token"), "cause": "job", "detail": "it broke"},
    ),
    ("fail_job", "200"): _follow("get_job", job_id=_said("job/id")),
    ("list_jobs", "200"): (*_follow("get_job", "cancel_job", job_id=_said("items/0/id")), *_more("list_jobs")),
    ("post_node", "201"): (
        *_follow("claim_job", body={**_CLAIM, "node_key_id": _said("key_id")}),
        *_follow("revoke_node", key_id=_said("key_id")),
    ),
    ("list_own_nodes", "200"): (*_follow("revoke_node", key_id=_said("items/0/key_id")), *_more("list_own_nodes")),
    ("list_offers", "200"): _more("list_offers"),
    ("post_token", "201"): _follow("revoke_token", token_id=_said("id")),
    ("list_tokens", "200"): (*_follow("revoke_token", token_id=_said("items/0/id")), *_more("list_tokens")),
    ("post_pull_key", "201"): (*_follow("revoke_pull_key", key_id=_said("id")), *_follow("list_pull_keys", **_PULL)),
    ("list_pull_keys", "200"): (
        *_follow("revoke_pull_key", key_id=_said("items/0/id")),
        *_follow("list_pull_keys", cursor=_said("next_cursor"), **_PULL),
    ),
    ("list_keys", "200"): (*_follow("revoke_pull_key", key_id=_said("items/0/id")), *_more("list_keys")),
    ("post_device", "201"): _follow(
        "post_device_token", body={"device_code": _said("device_code"), "name": "a device"}
    ),
    ("list_accounts", "200"): (*_follow("put_role", account_id=_said("items/0/id")), *_more("list_accounts")),
    ("list_pulls", "200"): (*_follow("get_pull", number=_said("items/0/pull/number")), *_more("list_pulls")),
    ("sync_pull", "200"): (*_follow("get_pull", **_PULL), *_of_pull("")),
    ("get_pull", "200"): (
        *_follow("sync_pull", "list_pull_keys", "post_pull_key", **_PULL),
        *_of_pull("pull/"),
    ),
    ("put_policy", "200"): _follow("get_policy", **_REPOSITORY),
    ("list_revalidations", "200"): _more("list_revalidations"),
    ("post_revalidations", "202"): _follow("list_revalidations"),
}
"""By the name of an operation and the status of its answer."""
