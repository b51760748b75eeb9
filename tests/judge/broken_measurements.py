"""A way to break the specimen for every rule about measurement, accuracy, binding and content (M, A, C, X)."""

from collections.abc import Callable
from typing import Any

from judge.evidence import Context

Break = Callable[[Any], None]

FAILING: dict[str, Break] = {}
"""By rule: what to do to the valid specimen so that this rule, at least, must speak."""

CONTEXTS: dict[str, Callable[[Context], Context]] = {}
"""By rule: what to do to the context, where that is what breaks it."""

OTHER = "9" * 64
GITHUB_TOKEN = "ghp_" + "a1B2" * 9


def breaks(rule_id: str, *, context: Callable[[Context], Context] | None = None) -> Callable[[Break], Break]:
    """Register the function below for a rule."""

    def register(function: Break) -> Break:
        assert rule_id not in FAILING
        FAILING[rule_id] = function
        if context is not None:
            CONTEXTS[rule_id] = context
        return function

    return register


# ------------------------------------------------------------------ M
@breaks("M-001")
def _(s: Any) -> None:
    times = s.of("requests", "serving")[7]["token_times_s"]
    times[3], times[9] = times[9], times[3]


@breaks("M-002")
def _(s: Any) -> None:
    s.of("requests", "serving")[7]["token_times_s"] = []


@breaks("M-003")
def _(s: Any) -> None:
    for row in s.of("requests", "serving", arm="baseline"):
        row["end_s"] += 0.5


@breaks("M-004")
def _(s: Any) -> None:
    s.eval("serving")["cells"][0]["batch"] = 4


@breaks("M-005")
def _(s: Any) -> None:
    _one_at_a_time(s, "candidate")


@breaks("M-006")
def _(s: Any) -> None:
    row = s.of("requests", "serving")[7]
    row.update(output_tokens=8, token_times_s=row["token_times_s"][:8], end_s=row["token_times_s"][7])


@breaks("M-007")
def _(s: Any) -> None:
    for row in s.of("requests", "serving", arm="candidate"):
        row.update(output_tokens=12, requested_output_tokens=12, token_times_s=row["token_times_s"][:12])


@breaks("M-008")
def _(s: Any) -> None:
    s.of("requests", "serving")[7]["error"] = "status 500"


@breaks("M-009")
def _(s: Any) -> None:
    row = {"cell": "serving.c2", "arm": "candidate", "metric": "ttft_ms", "statistic": "median", "value": 20.0}
    s.rows[("summary", "serving")] = [row]


@breaks("M-010")
def _(s: Any) -> None:
    for row in s.of("requests", "serving", arm="candidate")[:4]:
        row["finish_reason"] = "stop"


@breaks("M-011")
def _(s: Any) -> None:
    s.of("requests", "serving", arm="candidate")[0]["prompt_sha256"] = OTHER


@breaks("M-012")
def _(s: Any) -> None:
    for arm in ("baseline", "candidate"):
        rows = s.of("requests", "serving", arm=arm)
        rows[1]["prompt_sha256"] = rows[0]["prompt_sha256"]


@breaks("M-013")
def _(s: Any) -> None:
    s.of("counters", "serving")[0]["value"] = 5.0
    s.of("counters", "serving")[1]["value"] = 4.0


@breaks("M-014")
def _(s: Any) -> None:
    s.of("numerics", "numerics", arm="candidate")[0]["max_rel_error"] = 0.5


@breaks("M-015")
def _(s: Any) -> None:
    s.of("numerics", "numerics", arm="candidate")[0]["bitwise_repeatable"] = False


@breaks("M-016")
def _(s: Any) -> None:
    for row in s.of("counters", "serving", arm="candidate"):
        row["name"] = "vllm:prefix_cache_hits_total"


def _speculate(s: Any, *, drafts: int = 3, accepted: dict[str, float], count: float = 40.0) -> None:
    """Let serving verify drafts, with the counters of a server that accepted that many tokens for each of ``count``."""
    for cell in s.eval("serving")["cells"]:
        cell["speculation"] = {"kind": "synthetic", "method": "mtp", "drafts": drafts, "acceptance_length": 3.0}
    for arm in ("baseline", "candidate"):
        for bucket in s.ledger(arm, "serving")["buckets"]:
            bucket.update(speculation=drafts, tokens_per_request=drafts + 1, rows=(drafts + 1) * bucket["rows"])
    for row in list(s.of("counters", "serving")):
        after = row["moment"] == "after"
        for name, value in (("drafts", count), ("accepted_tokens", count * accepted[row["arm"]])):
            counter = f"vllm:spec_decode_num_{name}_total"
            s.rows[("counters", "serving")].append({**row, "name": counter, "value": value if after else 0.0})


@breaks("M-017")
def _(s: Any) -> None:
    _speculate(s, accepted={"baseline": 1.0, "candidate": 1.0}, count=60.0)


@breaks("M-018")
def _(s: Any) -> None:
    _speculate(s, accepted={"baseline": 2.0, "candidate": 2.4})


@breaks("M-019")
def _(s: Any) -> None:
    _speculate(s, accepted={"baseline": 2.0, "candidate": 2.0}, count=50.0)


@breaks("M-020")
def _(s: Any) -> None:
    s.rows[("kernel_times", "decode-step")] = [
        {"cell": cell["id"], "arm": arm, "block": block, "kernel": kernel, "launches": launches, "times_us": times}
        for cell in s.eval("decode-step")["cells"]
        for arm, block in (("baseline", 16), ("candidate", 14))
        for kernel, launches, times in (("mla", 2, [2.0, 2.1, 2.2, 2.3]), (None, 1, [9.0, 10.0]))
    ]
    s.drop("kernel_times", "decode-step", cell="decode-step.b4.c64", arm="candidate", kernel=None)
    s.rows[("kernel_times", "decode-step")] += [
        {
            "cell": "decode-step.b4.c64",
            "arm": "candidate",
            "block": 14,
            "kernel": "kda",
            "launches": 1,
            "times_us": [9.0],
        }
    ]


# ------------------------------------------------------------------ A
@breaks("A-001")
def _(s: Any) -> None:
    s.results["candidate"]["config"]["limit"] = 24.0


@breaks("A-002")
def _(s: Any) -> None:
    s.results["candidate"]["n-samples"]["byogpu_copy"]["original"] = 200


@breaks("A-003")
def _(s: Any) -> None:
    s.results["candidate"]["results"]["byogpu_copy"]["exact_match,none"] = 0.99


@breaks("A-004")
def _(s: Any) -> None:
    s.samples[("candidate", "byogpu_copy")][0]["target_hash"] = OTHER


@breaks("A-005")
def _(s: Any) -> None:
    s.results["candidate"]["versions"]["byogpu_copy"] = 2.0


@breaks("A-006")
def _(s: Any) -> None:
    s.samples[("candidate", "byogpu_copy")][0]["prompt_hash"] = OTHER
    s.hash_samples()


@breaks("A-007")
def _(s: Any) -> None:
    s.results["candidate"]["config"]["use_cache"] = "answers.db"


@breaks("A-008")
def _(s: Any) -> None:
    rows = s.samples[("candidate", "byogpu_copy")]
    rows[0] = dict(rows[1])
    s.hash_samples()


@breaks("A-009")
def _(s: Any) -> None:
    del s.samples[("candidate", "byogpu_copy")]


@breaks("A-010")
def _(s: Any) -> None:
    for arm in ("baseline", "candidate"):
        del s.samples[(arm, "byogpu_copy")][20:]
    s.hash_samples()


@breaks("A-011")
def _(s: Any) -> None:
    for row in s.samples[("candidate", "byogpu_copy")]:
        row["resps"] = [[" 7"]]


@breaks("A-012")
def _(s: Any) -> None:
    acceptance = {"kind": "synthetic", "method": "mtp", "drafts": 7, "acceptance_length": 6.0}
    s.eval("accuracy")["cells"][0]["speculation"] = acceptance


@breaks("A-013")
def _(s: Any) -> None:
    at = s.of("streams", "accuracy", arm="candidate")[0]["tokens"][5]
    at.update(token="far", logprob=-0.2, top=[{"token": "far", "logprob": -0.2}])


@breaks("A-014")
def _(s: Any) -> None:
    for row in s.of("streams", "accuracy", arm="candidate"):
        if row["mode"] == "sampled":
            row["tokens"][0]["token"] = "other"


@breaks("A-015")
def _(s: Any) -> None:
    for arm in ("baseline", "candidate"):
        s.of("streams", "accuracy", arm=arm)[0]["tokens"][7].update(token="far", logprob=-4.0)


@breaks("A-016")
def _(s: Any) -> None:
    s.drop("streams", "accuracy", arm="baseline", mode="greedy")


# ------------------------------------------------------------------ C
@breaks("C-001")
def _(s: Any) -> None:
    s.manifest["challenge"] = None


@breaks("C-002", context=lambda context: context.model_copy(update={"challenge": None}))
def _(s: Any) -> None:
    """The server never issued it."""


@breaks("C-003")
def _(s: Any) -> None:
    s.manifest["challenge"]["nonce"] = "m" * 43


@breaks("C-004")
def _(s: Any) -> None:
    s.manifest["subject"]["repository_id"] = 77


@breaks("C-005", context=lambda context: _challenge(context, used_by=OTHER))
def _(s: Any) -> None:
    """Another bundle was first."""


@breaks("C-006")
def _(s: Any) -> None:
    attempt = {"number": 1, "started_at": "2026-01-01T11:00:00Z", "outcome": "abandoned", "detail": "stopped by hand"}
    s.manifest["attempts"].append(attempt)


@breaks("C-007", context=lambda context: context.model_copy(update={"signature": "invalid", "node_key_id": None}))
def _(s: Any) -> None:
    """The envelope is about other bytes."""


@breaks("C-008", context=lambda context: context.model_copy(update={"signature": "absent", "node_key_id": None}))
def _(s: Any) -> None:
    """Nobody signed."""


@breaks("C-009")
def _(s: Any) -> None:
    s.manifest["producer"]["node_key_id"] = OTHER


@breaks("C-010")
def _(s: Any) -> None:
    s.manifest["challenge"]["plan_digest"] = OTHER


@breaks("C-011")
def _(s: Any) -> None:
    for arm in ("baseline", "candidate"):
        s.of("requests", "serving", arm=arm)[3]["prompt_sha256"] = OTHER


@breaks("C-012", context=lambda context: _challenge(context, closed="expired"))
def _(s: Any) -> None:
    """It came too late."""


@breaks("C-013", context=lambda context: context.model_copy(update={"answers": context.answers and tuple(
    one.model_copy(update={"output_sha256": OTHER}) for one in context.answers)}))  # fmt: skip
def _(s: Any) -> None:
    """The answers are those of another model."""


# ------------------------------------------------------------------ X
@breaks("X-001")
def _(s: Any) -> None:
    s.extra.append(("server.log", "log", "serving", "candidate", f"token {GITHUB_TOKEN}\n".encode()))


@breaks("X-002")
def _(s: Any) -> None:
    s.arm("candidate")["model"] = "k3 <img src=x onerror=alert(1)>"


@breaks("X-003")
def _(s: Any) -> None:
    s.arm("candidate")["model"] = "k3\u202etiny"


@breaks("X-004")
def _(s: Any) -> None:
    s.arm("candidate")["engine_config"].append({"name": "engine.cache", "value": "/home/somebody/cache"})


def _challenge(context: Context, **update: Any) -> Context:
    assert context.challenge is not None
    return context.model_copy(update={"challenge": context.challenge.model_copy(update=update)})


def _one_at_a_time(s: Any, arm: str) -> None:
    """Keep every request's own times and let each block of an arm run its requests one after the other."""
    by_block: dict[int, list[Any]] = {}
    for row in s.of("requests", "serving", arm=arm):
        by_block.setdefault(row["block"], []).append(row)
    for rows in by_block.values():
        now_s = rows[0]["start_s"]
        for row in rows:
            shift = now_s - row["start_s"]
            for name in ("start_s", "end_s"):
                row[name] += shift
            row["token_times_s"] = [time + shift for time in row["token_times_s"]]
            now_s = row["end_s"] + 0.001
