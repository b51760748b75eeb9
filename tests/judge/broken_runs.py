"""A way to break the specimen for every rule about form, suite, environment and path (B, S, E, P)."""

import json
from collections.abc import Callable
from typing import Any

from judge.evidence import Context

Break = Callable[[Any], None]

FAILING: dict[str, Break] = {}
"""By rule: what to do to the valid specimen so that this rule, at least, must speak."""

CONTEXTS: dict[str, Callable[[Context], Context]] = {}
"""By rule: what to do to the context, where that is what breaks it."""

OTHER = "9" * 64


def breaks(rule_id: str, *, context: Callable[[Context], Context] | None = None) -> Callable[[Break], Break]:
    """Register the function below for a rule."""

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
    s.eval("serving")["blocks"].append(s.eval("serving")["blocks"][0])
    s.manifest["evals"].append(s.eval("numerics") | {"cells": []})
    s.manifest["arms"].append(s.arm("candidate"))


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
    s.rows[("requests", "serving")].append(dict(s.of("requests", "serving")[0]))


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
    s.drop("steps", "decode-step", cell="decode-step.b1.c64", arm="candidate")


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


@breaks("S-010")
def _(s: Any) -> None:
    s.drop("kernel_times", "decode-step", cell="decode-step.b1.c64", arm="candidate")
    for row in s.of("kernel_times", "decode-step", arm="baseline"):
        row["block"] = 15


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


@breaks("E-016")
def _(s: Any) -> None:
    s.arm("candidate")["model"] = "k3-mini-r8"


@breaks("E-017")
def _(s: Any) -> None:
    now_ns = 10**9
    for row in s.of("steps", "decode-step"):
        row["latency_us"] *= 1.4 if row["arm"] == "baseline" and row["step"] < 6 else 1.0
        row["start_ns"] = now_ns
        now_ns += int(row["latency_us"] * 1e3) + 20_000


@breaks("E-019")
def _(s: Any) -> None:
    for row in s.of("steps", "decode-step", arm="candidate"):
        row["latency_us"] /= 4


@breaks("E-018")
def _(s: Any) -> None:
    s.manifest["environment"]["gpus"][0].update(multiprocessors=114, memory_bytes=85_520_809_984)


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


@breaks("P-008")
def _(s: Any) -> None:
    for cell in s.eval("decode-step")["cells"]:
        cell["speculation"] = {"kind": "natural", "method": "mtp", "drafts": 7}
    s.arm("baseline")["engine_config"].append({"name": "speculative.acceptance", "value": "synthetic"})


@breaks("P-007")
def _(s: Any) -> None:
    s.manifest["origin"] = {"kind": "imported", "tool": "lm-eval", "tool_version": "0.4.13"}
