"""Examples of what the routes around jobs say and hear, for OpenAPI."""

from datetime import timedelta

from server.jobs.schemas import (
    ApprovalPost,
    ClaimAnswer,
    ClaimPost,
    FailPost,
    FinishPost,
    Grant,
    HeartbeatAnswer,
    HeartbeatPost,
    Hindrance,
    JobList,
    JobPage,
    LeaseItem,
    NodeItem,
    NodeList,
    OrderPost,
    ProgressPost,
    ServiceKey,
)
from server.waiting import EXAMPLE as JOB
from worker.bundle.environment import Gpu
from worker.bundle.job import Capabilities, Consent, EvalDone, Offer

_NODE = "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"
_BUNDLE = "3f0a6ce0c1b7e2a4c69a7e1b3a5b4d7cf2f0d8f6f3f4c2a1908f7e6d5c4b3a29"
_NOW = JOB.requested_at
_LEASE = timedelta(seconds=60)
_DONE = (EvalDone(eval_id="numerics", outcome="completed", duration_s=41.5),)
_GPU = Gpu(
    index=0,
    name="NVIDIA H200",
    uuid_hash="unknown",
    pci_bus_id="00000000:18:00.0",
    pci_device_id="0x233510DE",
    memory_bytes=150_754_820_096,
    multiprocessors=132,
    compute_capability="9.0",
    vbios="unknown",
    sm_clock_max_mhz=1980,
    memory_clock_max_mhz=3201,
    power_limit_w=700.0,
    ecc="on",
    mig="off",
    compute_mode="default",
)
_OFFER = Offer(
    capabilities=Capabilities(
        gpus=(_GPU,),
        links=(),
        driver_version="570.86.15",
        cuda_version="12.8",
        cpu_count=32,
        memory_bytes=270_000_000_000,
        runner="podman",
        runner_version="5.4.2",
        agent_version="0.1.0",
    ),
    consent=Consent(
        suites=("smoke", "standard"), images=("*",), repositories=(JOB.repository,), authors=("*",), longest_s=7200
    ),
)
_ENVELOPE = (
    '{"payload":"eyJmb3JtYXQiOiJieW9ncHUuam9iLzEifQ==","payloadType":"application/vnd.byogpu.job.v1+json",'
    f'"signatures":[{{"keyid":"{_NODE}","sig":"bm8gc2lnbmF0dXJl"}}]}}'
)

CLAIM = ClaimPost(node_key_id=_NODE, offer=_OFFER, sent_at=_NOW)
CLAIMED = ClaimAnswer(
    job=Grant(
        job_id=JOB.id,
        token=1,
        envelope=_ENVELOPE,
        lease_until=_NOW + _LEASE,
        heartbeat_s=15.0,
        done=(),
    ),
    hindrances=(),
    ask_again_s=0.0,
    server_time=_NOW,
)
NOT_CLAIMED = ClaimAnswer(
    job=None,
    hindrances=(Hindrance(code="gpu_count", jobs=3, detail="needs 8 H200 GPUs; has 1"),),
    ask_again_s=20.0,
    server_time=_NOW,
)
HEARTBEAT = HeartbeatPost(node_key_id=_NODE, token=1, sent_at=_NOW)
ALIVE = HeartbeatAnswer(cancel=False, lease_until=_NOW + _LEASE, server_time=_NOW)
PROGRESS = ProgressPost(node_key_id=_NODE, token=1, done=_DONE)
FINISH = FinishPost(node_key_id=_NODE, token=1, bundle_id=_BUNDLE)
FAIL = FailPost(node_key_id=_NODE, token=1, cause="node", detail="the image could not be fetched")
ORDER = OrderPost(repository=JOB.repository, pull_number=JOB.pull_number, head_sha=JOB.head_sha, suite="smoke")
APPROVAL = ApprovalPost(head_sha=JOB.head_sha)
LEASED = JOB.model_copy(
    update={"state": "leased", "reason": "A node runs it.", "tries": 1, "node_key_id": _NODE, "evals_done": _DONE}
)
DONE = LEASED.model_copy(
    update={"state": "done", "reason": "A node delivered a bundle.", "node_key_id": None, "bundle_id": _BUNDLE}
)
JOBS = JobList(items=(JOB,), next_cursor=None)
PAGE = JobPage(
    job=DONE,
    leases=(
        LeaseItem(
            token=1,
            node_key_id=_NODE,
            owner="octocat",
            image=JOB.image or "",
            began_at=_NOW,
            ended_at=_NOW + 10 * _LEASE,
            outcome="finished",
            detail="",
            bundle_id=_BUNDLE,
        ),
    ),
)
NODES = NodeList(
    items=(
        NodeItem(
            node_key_id=_NODE,
            owner="octocat",
            project=False,
            seen_at=_NOW,
            lately=True,
            skew_s=0.25,
            capabilities=_OFFER.capabilities,
            consent=_OFFER.consent,
            job_id=None,
        ),
    ),
    next_cursor=None,
)
KEY = ServiceKey(key_id=_NODE, public_key="d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
