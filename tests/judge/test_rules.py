"""Every rule finds what it is for, and nothing in a bundle that is as it should be."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from judge.evidence import OFFLINE, Context
from judge.rules import EFFECTS, FAMILIES, RULES, check
from judge.rules.registry import MAX_FINDINGS_PER_RULE

Break = Callable[[Any], None]

FAILING: dict[str, Break] = {}
CONTEXTS: dict[str, Callable[[Context], Context]] = {}
OTHER = "9" * 64
GITHUB_TOKEN = "ghp_" + "a1B2" * 9


def breaks(rule_id: str, *, context: Callable[[Context], Context] | None = None) -> Callable[[Break], Break]:
    """Register a way to break the valid specimen so that this rule, at least, must speak."""

    def register(function: Break) -> Break:
        assert rule_id not in FAILING
        FAILING[rule_id] = function
        if context is not None:
            CONTEXTS[rule_id] = context
        return function

    return register


# ------------------------------------------------------------------ B
@breaks("B-001")
def _(s: Any) -> None:
    s.damaged["decode-step.steps.jsonl"] = b"something else"


@breaks("B-002")
def _(s: Any) -> None:
    s.of("steps", "decode-step")[3]["latency_us"] = "fast"


@breaks("B-003")
def _(s: Any) -> None:
    rows = b"".join(json.dumps(row).encode() + b"\n" for row in s.rows[("steps", "decode-step")])
    s.extra += [(name, "steps", "decode-step", arm, rows) for name, arm in (("a", "baseline"), ("b", "candidate"))]


@breaks("B-004")
def _(s: Any) -> None:
    s.eval("serving")["cells"].append(s.eval("decode-step")["cells"][0] | {"metric": "e2e_ms"})


@breaks("B-005")
def _(s: Any) -> None:
    s.of("requests", "serving")[0]["cell"] = "serving.c99"


@breaks("B-006")
def _(s: Any) -> None:
    s.extra.append(("odd", "numerics", "serving", None, b""))


@breaks("B-007")
def _(s: Any) -> None:
    s.drop("requests", "serving", arm="baseline")


@breaks("B-008")
def _(s: Any) -> None:
    s.rows[("steps", "decode-step")].append(dict(s.of("steps", "decode-step")[0]))


@breaks("B-009")
def _(s: Any) -> None:
    s.of("steps", "decode-step", arm="candidate")[0]["block"] = 0


@breaks("B-010")
def _(s: Any) -> None:
    s.manifest["origin"] = {"kind": "imported", "tool": "vllm-bench", "tool_version": "0.33.0"}
    s.drop("requests", "serving", arm="baseline")


# ------------------------------------------------------------------ S
@breaks("S-001")
def _(s: Any) -> None:
    s.manifest["subject"]["suite"]["digest"] = OTHER


@breaks("S-002")
def _(s: Any) -> None:
    s.manifest["subject"]["suite"]["id"] = "full"


@breaks("S-003")
def _(s: Any) -> None:
    s.manifest["evals"] = [record for record in s.manifest["evals"] if record["id"] != "numerics"]
    del s.rows[("numerics", "numerics")]


@breaks("S-004")
def _(s: Any) -> None:
    s.eval("accuracy")["outcome"] = {"outcome": "timed_out", "limit_s": 120.0}


@breaks("S-005")
def _(s: Any) -> None:
    s.eval("decode-step")["cells"].pop()
    s.drop("steps", "decode-step", cell="decode-step.b4.c64")


@breaks("S-006")
def _(s: Any) -> None:
    swap = {"baseline": "candidate", "candidate": "baseline"}
    for row in [*s.of("steps", "decode-step"), *s.eval("decode-step")["blocks"]]:
        if row.get("block", row.get("index")) in (0, 1):
            row["arm"] = swap[row["arm"]]


@breaks("S-007")
def _(s: Any) -> None:
    s.drop("steps", "decode-step", block=2, step=7)


@breaks("S-008")
def _(s: Any) -> None:
    kept = s.of("requests", "serving", arm="candidate")[:12]
    s.rows[("requests", "serving")] = [*s.of("requests", "serving", arm="baseline"), *kept]


@breaks("S-009")
def _(s: Any) -> None:
    s.manifest["evals"].append({**s.eval("numerics"), "id": "numerics-too", "cells": []})


# ------------------------------------------------------------------ E
@breaks("E-001")
def _(s: Any) -> None:
    s.manifest["environment"] = "unknown"


@breaks("E-002")
def _(s: Any) -> None:
    s.manifest["environment"]["gpus"] = []


@breaks("E-003")
def _(s: Any) -> None:
    s.rows[("telemetry", "serving")][4]["throttle_reasons"] = ["sw_thermal_slowdown"]


@breaks("E-004")
def _(s: Any) -> None:
    s.manifest["environment"]["gpu_processes"] = [{"gpu_index": 0, "kind": "compute", "memory_bytes": 10**9}]


@breaks("E-005")
def _(s: Any) -> None:
    s.manifest["environment"]["gpus"][0]["mig"] = "on"


@breaks("E-006")
def _(s: Any) -> None:
    s.manifest["environment"]["gpus"].append(
        {**s.manifest["environment"]["gpus"][0], "index": 1, "name": "NVIDIA B200"}
    )


@breaks("E-007")
def _(s: Any) -> None:
    del s.rows[("telemetry", "decode-step")]


@breaks("E-008")
def _(s: Any) -> None:
    rows = s.of("steps", "decode-step")
    rows[5]["start_ns"] = rows[4]["start_ns"]


@breaks("E-009")
def _(s: Any) -> None:
    s.of("steps", "decode-step")[5]["latency_us"] *= 3


@breaks("E-010")
def _(s: Any) -> None:
    s.of("steps", "decode-step")[5]["latency_us"] = 0.5


@breaks("E-011")
def _(s: Any) -> None:
    for row in s.of("steps", "decode-step", arm="candidate"):
        row["latency_us"] = 200.0


@breaks("E-012")
def _(s: Any) -> None:
    first = s.of("requests", "serving", arm="baseline")[0]["start_s"]
    shift = min(row["start_s"] for row in s.of("requests", "serving", arm="candidate")) - first - 0.01
    for row in s.of("requests", "serving", arm="candidate"):
        row["start_s"] -= shift
        row["end_s"] -= shift
        row["token_times_s"] = [time - shift for time in row["token_times_s"]]


@breaks("E-013")
def _(s: Any) -> None:
    s.manifest["producer"]["ended_at"] = "2026-01-02T12:02:00Z"


@breaks("E-014")
def _(s: Any) -> None:
    s.manifest["environment"]["variables"].append({"name": "LD_PRELOAD", "value": "libfast.so"})


@breaks("E-015")
def _(s: Any) -> None:
    s.arm("candidate")["code"]["dirty"] = True


# ------------------------------------------------------------------ P
@breaks("P-001")
def _(s: Any) -> None:
    s.arm("baseline")["ledgers"] = "unknown"


@breaks("P-002")
def _(s: Any) -> None:
    bucket = s.ledger("candidate", "decode-step")["buckets"][1]
    bucket.update(specialized_steps=94, stock_steps=2, reasons=[{"reason": "rows outside 1..64", "steps": 2}])


@breaks("P-003")
def _(s: Any) -> None:
    bucket = s.ledger("baseline", "serving")["buckets"][0]
    bucket.update(specialized_steps=1, stock_steps=bucket["stock_steps"] - 1)


@breaks("P-004")
def _(s: Any) -> None:
    s.ledger("baseline", "serving")["buckets"][0]["reasons"] = []


@breaks("P-005")
def _(s: Any) -> None:
    s.ledger("candidate", "serving")["kernel_digests"] = []


@breaks("P-006")
def _(s: Any) -> None:
    s.ledger("candidate", "decode-step")["buckets"][0]["specialized_steps"] -= 1


@breaks("P-007")
def _(s: Any) -> None:
    s.manifest["origin"] = {"kind": "imported", "tool": "lm-eval", "tool_version": "0.4.13"}


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


# ------------------------------------------------------------------ the tests
def test_every_rule_has_a_failing_specimen() -> None:
    assert sorted(FAILING) == sorted(rule.id for rule in RULES)


@pytest.mark.parametrize("place", ["offline", "server"])
def test_a_valid_bundle_has_no_findings(
    place: str, specimen: Any, collected: Callable[..., Any], server_context: Callable[..., Context]
) -> None:
    context = server_context(specimen) if place == "server" else OFFLINE
    assert check(collected(specimen, context=context)) == ()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_finds_what_it_is_for(
    rule: Any, specimen: Any, collected: Callable[..., Any], server_context: Callable[..., Context]
) -> None:
    FAILING[rule.id](specimen)
    context = CONTEXTS.get(rule.id, lambda same: same)(server_context(specimen))
    found = [finding for finding in check(collected(specimen, context=context)) if finding.rule_id == rule.id]
    assert found
    assert {(one.severity, one.effect, one.title, one.hint) for one in found} == {
        (rule.severity, rule.effect, rule.title, rule.hint)
    }
    assert all(one.detail for one in found)


def test_ids_are_unique_and_say_the_family() -> None:
    ids = [rule.id for rule in RULES]
    assert len(ids) == len(set(ids))
    assert {rule.family for rule in RULES} == set(FAMILIES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_explains_itself(rule: Any) -> None:
    assert (rule.severity == "error") == (rule.effect != "notes")
    assert rule.effect in EFFECTS
    for text in (rule.title, rule.why, rule.hint):
        assert text.strip() == text
        assert len(text) > 10
        # Ours, and shown as Markdown in tables: nothing in it may form structure.
        assert not set(text) & set("|<>@#[]")
    assert rule.why.endswith(".")
    assert rule.hint.endswith(".")


def test_findings_are_the_same_bytes_every_time(specimen: Any, collected: Callable[..., Any]) -> None:
    for rule_id in ("E-008", "A-003", "X-002", "M-001"):
        FAILING[rule_id](specimen)
    first, second = (check(collected(specimen)) for _ in range(2))
    assert [one.model_dump_json() for one in first] == [one.model_dump_json() for one in second]
    order = [("BSEPMACX".index(one.rule_id[0]), one.rule_id) for one in first]
    assert order == sorted(order)


def test_a_rule_that_finds_very_much_is_cut_and_says_so(specimen: Any, collected: Callable[..., Any]) -> None:
    specimen.manifest["environment"]["variables"] = [
        {"name": f"V{index}", "value": "<script>"} for index in range(MAX_FINDINGS_PER_RULE + 15)
    ]
    found = [finding for finding in check(collected(specimen)) if finding.rule_id == "X-002"]
    assert len(found) == MAX_FINDINGS_PER_RULE
    assert "(and 15 more places)" in found[-1].detail


def test_a_secret_is_never_repeated(specimen: Any, collected: Callable[..., Any]) -> None:
    FAILING["X-001"](specimen)
    specimen.of("requests", "serving")[0]["error"] = f"refused {GITHUB_TOKEN}"
    specimen.manifest["environment"]["variables"].append({"name": "TOKEN", "value": GITHUB_TOKEN})
    found = check(collected(specimen))
    assert {one.where.split("/")[0] for one in found if one.rule_id == "X-001"} == {"files", "manifest"}
    assert GITHUB_TOKEN not in "".join(one.model_dump_json() for one in found)
