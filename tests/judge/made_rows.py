"""Raw rows of the made-up bundle: every number from the generator given, so that they are the same each time."""

import hashlib
from typing import Any

import numpy as np

from worker.suites import load
from worker.suites.plan import plan_run
from worker.suites.prompts import prompt, prompt_digest

NONCE = "n" * 43
PLAN = plan_run(load("smoke"), NONCE)
Row = dict[str, Any]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def numerics(arm: str, case: str) -> Row:
    return {
        "cell": "numerics.kda", "arm": arm, "operator": "kda", "case": case, "shape": "2x4x16",
        "distribution": "normal",
        "max_abs_error": 1e-4, "max_rel_error": 1e-3, "tolerance": 4e-3, "tolerance_reason": "bf16 output",
        "repeats": 3, "bitwise_repeatable": True,
    }  # fmt: skip


def steps(cells: list[Row], blocks: list[Row], steps: int, rng: np.random.Generator, speedup: float) -> list[Row]:
    rows, now_ns = [], 1_000_000_000
    for block in blocks:
        speed = speedup if block["arm"] == "candidate" else 1.0
        wander = rng.normal(1.0, 0.002)
        for cell in cells:
            for step in range(steps):
                latency_us = (300.0 + 25.0 * cell["batch"]) / speed * wander * rng.normal(1.0, 0.004)
                rows.append(
                    {"cell": cell["id"], "arm": block["arm"], "block": block["index"], "step": step,
                     "latency_us": round(latency_us, 3), "start_ns": now_ns}
                )  # fmt: skip
                now_ns += int(latency_us * 1e3) + 20_000
    return rows


def kernel_times(cells: list[Row], blocks: list[Row], steps: list[Row]) -> list[Row]:
    """Two kernels and the gaps of each arm's last block; they leave 2 % of each step to the host."""
    last = {block["arm"]: block["index"] for block in blocks}
    rows = []
    for cell in cells:
        for arm, block in sorted(last.items()):
            times = [one["latency_us"] for one in steps if (one["cell"], one["block"]) == (cell["id"], block)]
            for kernel, launches, share in (("kda", 9, 0.6), ("mla", 4, 0.3), (None, 1, 0.08)):
                each = [round(share * time_us / launches, 3) for time_us in times for _ in range(launches)]
                rows.append(
                    {"cell": cell["id"], "arm": arm, "block": block, "kernel": kernel, "launches": launches,
                     "times_us": each}
                )  # fmt: skip
    return rows


def requests(cells: list[Row], blocks: list[Row], plan: Any, rng: np.random.Generator, speedup: float) -> list[Row]:
    rows, now_s = [], 1.0
    [planned] = [one.blocks for one in PLAN.evals if one.id == plan.id]
    for block in blocks:
        arm = block["arm"]
        speed = speedup if arm == "candidate" else 1.0
        for cell, seeds in zip(cells, planned[block["index"]].cells, strict=True):
            free = [now_s] * cell["batch"]
            for index, seed in enumerate(seeds.seeds):
                lane = int(np.argmin(free))
                gaps = rng.normal(0.02, 0.0005, plan.output_tokens) / speed
                times = free[lane] + 0.03 / speed + np.cumsum(gaps)
                sent = prompt_digest(prompt(seed, characters=plan.input_tokens))
                rows.append(
                    {"cell": cell["id"], "arm": arm, "block": block["index"], "index": index,
                     "prompt_sha256": sent, "input_tokens": plan.input_tokens,
                     "requested_output_tokens": plan.output_tokens, "output_tokens": plan.output_tokens,
                     "start_s": free[lane], "token_times_s": [float(time) for time in times],
                     "end_s": float(times[-1]) + 0.001, "output_sha256": digest(f"answer {sent}"),
                     "finish_reason": "length", "error": None}
                )  # fmt: skip
                free[lane] = float(times[-1]) + 0.002
            now_s = max(free) + 0.05
    return rows


def streams(arm: str, plan: Any, rng: np.random.Generator) -> list[Row]:
    """Greedy continuations that agree in both arms; sampled ones from a distribution in which one token leads."""
    [planned] = [one.seeds for one in PLAN.evals if one.id == plan.id]
    wanted, rows = plan.streams, []
    for number, seed in enumerate(planned):
        sent = prompt_digest(prompt(seed, characters=wanted.input_tokens))
        names = [f"t{(number + 3 * position) % 50}" for position in range(wanted.output_tokens)]
        rows.append(_stream(arm, sent, "greedy", 0, names))
        rows += [
            _stream(arm, sent, "sampled", draw, ["lead" if rng.random() < 0.7 else "other"])
            for draw in range(wanted.draws)
        ]
    return rows


def _stream(arm: str, sent: str, mode: str, draw: int, names: list[str]) -> Row:
    tokens = [
        {"token": name, "logprob": -0.3,
         "top": [{"token": name, "logprob": -0.3}, {"token": "near", "logprob": -0.35},
                 {"token": "far", "logprob": -4.0}]}
        for name in names
    ]  # fmt: skip
    return {"arm": arm, "prompt_sha256": sent, "mode": mode, "draw": draw, "tokens": tokens}


def counters(cells: list[Row], blocks: list[Row]) -> list[Row]:
    rows, value = [], 0.0
    for block in blocks:
        for cell in cells:
            for moment in ("before", "after"):
                rows.append({"cell": cell["id"], "arm": block["arm"], "block": block["index"], "moment": moment,
                             "name": "generated_tokens_total", "value": value})  # fmt: skip
                value += 96.0
    return rows


def telemetry(end_s: float) -> list[Row]:
    return [
        {"time_s": float(time), "gpu_index": 0, "sm_clock_mhz": 1980, "memory_clock_mhz": 3201, "power_w": 400.0,
         "temperature_c": 50, "throttle_reasons": []}
        for time in np.arange(0.0, end_s + 1.0, 0.2)
    ]  # fmt: skip
