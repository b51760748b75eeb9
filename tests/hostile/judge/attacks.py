"""Ways to cheat, each with the rules that must speak. Everything is done to a complete, valid bundle."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from judge.evidence import Context


@dataclass(frozen=True)
class Attack:
    """One way to cheat.

    Attributes:
        name: What is done.
        rules: Rules that must speak, at least.
        cheat: Does it to a specimen.
        speedup: Of the honest specimen it starts from.
        change: Does it to what the server knows.
    """

    name: str
    rules: tuple[str, ...]
    cheat: Callable[[Any], None]
    speedup: float = 1.0
    change: Callable[[Context], Context] = field(default=lambda same: same)


ATTACKS: list[Attack] = []


def attack(name: str, *rules: str, **more: Any) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Register the function below."""

    def register(cheat: Callable[[Any], None]) -> Callable[[Any], None]:
        ATTACKS.append(Attack(name, rules, cheat, **more))
        return cheat

    return register


def steps(s: Any, arm: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = s.of("steps", "decode-step", arm=arm)
    return found


# ------------------------------------------------------------------ numbers
@attack("forged aggregates", "M-009")
def _(s: Any) -> None:
    s.rows[("summary", "serving")] = [
        {"cell": "serving.c2", "arm": "candidate", "metric": "e2e_ms", "statistic": "median", "value": 1.0}
    ]


@attack("raw rows filled in with one number", "E-011")
def _(s: Any) -> None:
    for row in steps(s, "candidate"):
        row["latency_us"] = 150.0


@attack("raw rows copied", "B-008")
def _(s: Any) -> None:
    s.rows[("steps", "decode-step")] += [dict(row) for row in steps(s, "candidate")]


@attack("baseline rows made slower than the time between them", "E-009")
def _(s: Any) -> None:
    for row in steps(s, "baseline"):
        row["latency_us"] *= 1.6


@attack("steps in other units", "E-010")
def _(s: Any) -> None:
    for row in steps(s, "candidate"):
        row["latency_us"] /= 1000


@attack("faster than memory can read the model", "E-016")
def _(s: Any) -> None:
    for arm in ("baseline", "candidate"):
        s.arm(arm)["model"] = "k3-rank-tp8"


@attack("slow blocks left out", "S-006")
def _(s: Any) -> None:
    s.drop("steps", "decode-step", arm="candidate", block=1)


@attack("slow requests left out", "S-007", "M-011")
def _(s: Any) -> None:
    mine = s.of("requests", "serving", arm="candidate")
    slow = sorted(mine, key=lambda row: row["end_s"] - row["start_s"])[-20:]
    s.rows[("requests", "serving")] = [row for row in s.rows[("requests", "serving")] if row not in slow]


@attack("clock jumps back", "E-008")
def _(s: Any) -> None:
    for row in steps(s, "candidate")[10:]:
        row["start_ns"] = max(0, row["start_ns"] - 10**9)


@attack("clock of the wall set during the run", "E-013")
def _(s: Any) -> None:
    s.manifest["producer"]["ended_at"] = "2025-12-31T12:00:00Z"


@attack("tokens that arrive before they are asked for", "M-001")
def _(s: Any) -> None:
    for row in s.of("requests", "serving", arm="candidate"):
        row["token_times_s"] = [time - 1.0 for time in row["token_times_s"]]


# ------------------------------------------------------------------ arms
@attack("arms exchanged in the rows", "B-009", speedup=1 / 1.6)
def _(s: Any) -> None:
    for row in s.rows[("steps", "decode-step")]:
        row["arm"] = "candidate" if row["arm"] == "baseline" else "baseline"


@attack("arms exchanged everywhere but in the ledger", "P-003", "P-002", speedup=1 / 1.6)
def _(s: Any) -> None:
    baseline, candidate = s.arm("baseline"), s.arm("candidate")
    baseline["ledgers"], candidate["ledgers"] = candidate["ledgers"], baseline["ledgers"]


@attack("silent fallback to the stock path", "P-002", "P-004", speedup=1.6)
def _(s: Any) -> None:
    for one in s.arm("candidate")["ledgers"]:
        for bucket in one["buckets"]:
            total = bucket["specialized_steps"] + bucket["stock_steps"]
            bucket.update(specialized_steps=0, stock_steps=total, reasons=[])


@attack("the baseline is secretly optimized too", "P-003")
def _(s: Any) -> None:
    for bucket in s.ledger("baseline", "decode-step")["buckets"]:
        bucket.update(specialized_steps=bucket["stock_steps"], stock_steps=0, reasons=[])


@attack("the ledger counts less than was timed", "P-006", speedup=1.6)
def _(s: Any) -> None:
    for bucket in s.ledger("candidate", "decode-step")["buckets"]:
        bucket["specialized_steps"] //= 2


@attack("both arms at once", "E-012")
def _(s: Any) -> None:
    first = min(row["start_ns"] for row in steps(s, "baseline"))
    shift = min(row["start_ns"] for row in steps(s, "candidate")) - first - 1_000
    for row in steps(s, "candidate"):
        row["start_ns"] -= shift


@attack("the baseline is measured cold", "E-017")
def _(s: Any) -> None:
    now_ns = 10**9
    for row in s.rows[("steps", "decode-step")]:
        row["latency_us"] *= 1.8 if row["arm"] == "baseline" and row["step"] < 8 else 1.0
        row["start_ns"], now_ns = now_ns, now_ns + int(row["latency_us"] * 1e3) + 20_000


# ------------------------------------------------------------------ machine
@attack("two systems mixed", "E-006")
def _(s: Any) -> None:
    gpu = s.manifest["environment"]["gpus"][0]
    s.manifest["environment"]["gpus"].append({**gpu, "index": 1, "name": "NVIDIA B200", "compute_capability": "10.0",
                                              "multiprocessors": 148})  # fmt: skip


@attack("a mislabelled GPU", "E-018")
def _(s: Any) -> None:
    s.manifest["environment"]["gpus"][0].update(name="NVIDIA GB300")


@attack("one arm is throttled", "E-003")
def _(s: Any) -> None:
    spans = [(row["start_ns"] / 1e9, row["arm"]) for row in s.rows[("steps", "decode-step")]]
    for sample in s.rows[("telemetry", "decode-step")]:
        arm = min(spans, key=lambda span: abs(span[0] - sample["time_s"]))[1]
        sample["throttle_reasons"] = ["hw_thermal_slowdown"] if arm == "baseline" else []


@attack("a slice of a GPU", "E-005")
def _(s: Any) -> None:
    s.manifest["environment"]["gpus"][0]["mig"] = "on"


@attack("a library in front of the timer", "E-014")
def _(s: Any) -> None:
    s.manifest["environment"]["variables"].append({"name": "LD_PRELOAD", "value": "libclock.so"})


# ------------------------------------------------------------------ work
@attack("synthetic acceptance passed off as natural", "P-008")
def _(s: Any) -> None:
    for cell in s.eval("decode-step")["cells"]:
        cell["speculation"] = {"kind": "natural", "method": "mtp", "drafts": 7}
    for arm in ("baseline", "candidate"):
        s.arm(arm)["engine_config"].append({"name": "speculative.rejection_sample_method", "value": "synthetic"})
        for bucket in s.ledger(arm, "decode-step")["buckets"]:
            bucket.update(speculation=7, tokens_per_request=8, rows=8 * bucket["rows"])


@attack("drafts that no cell mentions", "P-008")
def _(s: Any) -> None:
    for bucket in s.ledger("candidate", "decode-step")["buckets"]:
        bucket.update(speculation=7, tokens_per_request=8, rows=8 * bucket["rows"])


@attack("accuracy with simulated acceptance", "A-012")
def _(s: Any) -> None:
    for cell in s.eval("accuracy")["cells"]:
        cell["speculation"] = {"kind": "synthetic", "method": "mtp", "drafts": 7, "acceptance_length": 6.0}


@attack("outputs cut short", "M-006", "M-007")
def _(s: Any) -> None:
    for row in s.of("requests", "serving", arm="candidate"):
        row.update(output_tokens=4, token_times_s=row["token_times_s"][:4], end_s=row["token_times_s"][3] + 0.001,
                   finish_reason="stop")  # fmt: skip


@attack("half the load", "M-004")
def _(s: Any) -> None:
    for cell in s.eval("serving")["cells"]:
        cell["batch"] = 64


@attack("prompts that the cache knows", "M-012", "C-011")
def _(s: Any) -> None:
    for row in s.of("requests", "serving"):
        row["prompt_sha256"] = "7" * 64


@attack("answers from the prefix cache", "M-016")
def _(s: Any) -> None:
    s.rows[("counters", "serving")] += [
        {"cell": "serving.c2", "arm": "candidate", "block": 1, "moment": moment,
         "name": "vllm:gpu_prefix_cache_hits_total", "value": value}
        for moment, value in (("before", 0.0), ("after", 256.0))
    ]  # fmt: skip


@attack("requests that fail fast", "M-008")
def _(s: Any) -> None:
    for row in s.of("requests", "serving", arm="candidate")[::3]:
        row.update(error="overloaded", output_tokens=0, token_times_s=[], end_s=row["start_s"] + 0.001)


# ------------------------------------------------------------------ accuracy
@attack("a limited eval", "A-001")
def _(s: Any) -> None:
    s.results["candidate"]["config"]["limit"] = 10.0


@attack("cached answers", "A-007")
def _(s: Any) -> None:
    s.results["candidate"]["config"]["use_cache"] = "responses.db"


@attack("an edited task", "A-005")
def _(s: Any) -> None:
    for config in s.results["candidate"]["configs"].values():
        config["doc_to_text"] = "{{text}} The answer is {{target}}."


@attack("an edited score", "A-003")
def _(s: Any) -> None:
    for task in s.results["candidate"]["results"].values():
        task["exact_match,none"] = 0.99


@attack("wrong answers taken out", "A-002", "A-004")
def _(s: Any) -> None:
    for key in [key for key in s.samples if key[0] == "candidate"]:
        s.samples[key] = [row for row in s.samples[key] if row["exact_match"]]


@attack("easy documents twice", "A-008")
def _(s: Any) -> None:
    for key in [key for key in s.samples if key[0] == "candidate"]:
        rows = s.samples[key]
        s.samples[key] = [row if row["exact_match"] else rows[1] for row in rows]


@attack("answers of another model", "A-011")
def _(s: Any) -> None:
    for rows in s.samples.values():
        for row in rows:
            row["resps"] = [["the same"]]


@attack("greedy streams of another model", "A-013")
def _(s: Any) -> None:
    for row in s.of("streams", "accuracy", arm="candidate"):
        for at in row["tokens"]:
            at.update(token="far", logprob=-0.2, top=[{"token": "far", "logprob": -0.2}])


@attack("the baseline's streams handed in for the candidate", "A-015")
def _(s: Any) -> None:
    ours = s.of("streams", "accuracy", arm="baseline")
    for row, other in zip(s.of("streams", "accuracy", arm="candidate"), ours, strict=True):
        for at, copied in zip(row["tokens"], other["tokens"], strict=True):
            at.update(token=copied["token"], logprob=-6.0, top=[{"token": "far", "logprob": -0.2}])


@attack("sampling that always takes the same token", "A-014")
def _(s: Any) -> None:
    for row in s.of("streams", "accuracy", arm="candidate"):
        if row["mode"] == "sampled":
            row["tokens"][0]["token"] = "other"


@attack("streams of easy prompts alone", "A-016")
def _(s: Any) -> None:
    for row in s.rows[("streams", "accuracy")]:
        row["prompt_sha256"] = "8" * 64


@attack("timed answers of a smaller model", "C-013")
def _(s: Any) -> None:
    for row in s.of("requests", "serving", arm="candidate"):
        row["output_sha256"] = "6" * 64


@attack("kernel times of another run", "M-020")
def _(s: Any) -> None:
    s.rows[("kernel_times", "decode-step")] = [
        {"cell": cell["id"], "arm": arm, "block": block, "kernel": "step", "launches": 1, "times_us": [25.0]}
        for cell in s.eval("decode-step")["cells"]
        for arm, block in (("baseline", 16), ("candidate", 14))
    ]


@attack("an acceptance length that the counters deny", "M-017", "M-019")
def _(s: Any) -> None:
    for cell in s.eval("serving")["cells"]:
        cell["speculation"] = {"kind": "synthetic", "method": "mtp", "drafts": 7, "acceptance_length": 6.0}
    for row in list(s.of("counters", "serving")):
        for name, value in (("drafts", 40.0), ("accepted_tokens", 60.0)):
            value *= row["moment"] == "after"
            s.rows[("counters", "serving")].append(
                {**row, "name": f"vllm:spec_decode_num_{name}_total", "value": value}
            )


# ------------------------------------------------------------------ binding
@attack("a challenge used before", "C-005", change=lambda c: c.model_copy(
    update={"challenge": c.challenge.model_copy(update={"used_by": "9" * 64}) if c.challenge else None}
))  # fmt: skip
def _(s: Any) -> None:
    """The server knows."""


@attack("a challenge nobody issued", "C-002", change=lambda c: c.model_copy(update={"challenge": None}))
def _(s: Any) -> None:
    """The server knows."""


@attack("a run of another commit", "C-003")
def _(s: Any) -> None:
    s.manifest["subject"]["head_sha"] = "e" * 40


def _beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{__name__}_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


for _name, _rules, _cheat in _beside("contents").CONTENTS:
    ATTACKS.append(Attack(_name, _rules, _cheat))
