"""What judging costs, on a made-up bundle of the standard suite: ``python -m judge.benchmark [--json]``.

Its cells, blocks and prompts are those of the published plan: 200,000 step rows, 20,016 requests, and 5,000 documents
besides, on one core. Time is that of the processor, so that a busy machine
does not count; memory is the process's peak. docs/judging.md states the limits.
"""

import argparse
import hashlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from judge.assess import assess
from judge.evidence import collect
from judge.stats import bootstrap_log_ratio
from worker.bundle import Draft, Manifest, canonical, read, write
from worker.bundle.record import Amount, Positive, Record
from worker.bundle.schema import ArmName
from worker.suites import DecodeStep, EvalPlan, Serving, load
from worker.suites.plan import decode_cell, plan_eval, plan_run, serving_cell
from worker.suites.prompts import prompt, prompt_digest
from worker.suites.seeds import Seeds

DOCUMENTS = 5_000
NONCE = "benchmark" * 4
SUITE = load("standard")
DECODE = next(plan for plan in SUITE.evals if isinstance(plan, DecodeStep))
SERVING = next(plan for plan in SUITE.evals if isinstance(plan, Serving))
STEP_CELLS = tuple(product(DECODE.batches, DECODE.context_tokens))
ARMS: tuple[ArmName, ArmName] = ("baseline", "candidate")


class Cost(Record):
    """What was measured."""

    steps: Positive
    requests: Positive
    documents: Positive
    collect_s: Amount
    """Reading and checking every row."""
    assess_s: Amount
    """Rules, cells and intervals, after reading."""
    total_s: Amount
    bootstrap_ms: Amount
    """One cell of the plan: its blocks of both arms, 10,000 draws."""
    peak_mb: Amount
    """Of the whole process, 10^6 bytes."""


def measure(
    *,
    steps: int = DECODE.steps_per_block,
    requests: int = SERVING.requests_per_block,
    documents: int = DOCUMENTS,
) -> Cost:
    """Make up a bundle, judge it, and say what that cost.

    Args:
        steps: Of each block and cell.
        requests: Likewise.
        documents: lm-eval's sample rows.
    """
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "bundle", steps=steps, requests=requests, documents=documents)
        before = time.process_time()
        evidence = collect(read(Path(folder) / "bundle"))
        rows_read = time.process_time()
        assess(evidence)
        done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Cost(
        steps=sum(len(table.block) for table in evidence.steps.values()),
        requests=sum(len(table.block) for table in evidence.requests.values()),
        documents=documents,
        collect_s=rows_read - before,
        assess_s=done - rows_read,
        total_s=done - before,
        bootstrap_ms=_bootstrap_ms(),
        peak_mb=peak / 1e6,
    )


def make(folder: Path, *, steps: int, requests: int, documents: int) -> None:
    """Write a bundle of that size: a speed-up of 1.2 everywhere, and no finding that sets the bundle aside."""
    rng, draft = np.random.default_rng(1), Draft(folder)
    draft.add(
        _lines(_steps(rng, steps)), name="steps.jsonl", role="steps", eval_id=DECODE.id, arm=None,
        media_type="application/x-ndjson",
    )  # fmt: skip
    draft.add(
        _lines(_kernels(rng)), name="kernels.jsonl", role="kernel_times", eval_id=DECODE.id, arm=None,
        media_type="application/x-ndjson",
    )  # fmt: skip
    draft.add(
        _lines(_requests(rng, requests)), name="requests.jsonl", role="requests", eval_id=SERVING.id, arm=None,
        media_type="application/x-ndjson",
    )  # fmt: skip
    for arm in ARMS:
        samples = [_sample(index) for index in range(documents // 2)]
        data = b"".join(json.dumps(row).encode() + b"\n" for row in samples)
        draft.add(data, name=f"{arm}/samples_task_2026.jsonl", role="lm_eval_samples", eval_id="accuracy", arm=arm,
                  media_type="application/x-ndjson")  # fmt: skip
        draft.add(json.dumps(_results(samples)).encode(), name=f"{arm}/results_2026.json", role="lm_eval_results",
                  eval_id="accuracy", arm=arm, media_type="application/json")  # fmt: skip
    files = [entry.model_dump(mode="json") for entry in draft.files]
    write(folder, Manifest.model_validate_json(canonical(_manifest(files))))


def _bootstrap_ms() -> float:
    rng = np.random.default_rng(2)
    blocks = DECODE.block_order.count("baseline") * DECODE.rounds
    arms = [[rng.normal(100, 1, DECODE.steps_per_block) for _ in range(blocks)] for _ in ARMS]
    before = time.process_time()
    bootstrap_log_ratio(arms[0], arms[1], seed=1)
    return 1e3 * (time.process_time() - before)


# ------------------------------------------------------------------ the made-up bundle
def _lines(rows: Iterator[dict[str, Any]]) -> bytes:
    return b"".join(canonical(row) + b"\n" for row in rows)


def _speed(arm: ArmName) -> float:
    return 1.2 if arm == "candidate" else 1.0


def _steps(rng: np.random.Generator, steps: int) -> Iterator[dict[str, Any]]:
    now_ns = 10**9
    for planned in plan_eval(DECODE, Seeds(NONCE)).blocks:
        arm, block = planned.block.arm, planned.block.index
        for (batch, context), cell in zip(STEP_CELLS, planned.cells, strict=True):
            for step, latency_us in enumerate(rng.normal(300 + batch + context / 256, 3, steps) / _speed(arm)):
                yield {"arm": arm, "block": block, "cell": cell.cell, "latency_us": float(latency_us),
                       "start_ns": now_ns, "step": step}  # fmt: skip
                now_ns += int(latency_us * 1000) + 9_000


def _kernels(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Eight steps of each arm's last block, of 300 launches of 25 kernels, and 4 % gaps."""
    last = {planned.block.arm: planned for planned in plan_eval(DECODE, Seeds(NONCE)).blocks}
    for arm, planned in sorted(last.items()):
        for (batch, context), cell in zip(STEP_CELLS, planned.cells, strict=True):
            step_us = (300 + batch + context / 256) / _speed(arm)
            for kernel, share in [(f"kernel {index}", 0.94 / 25) for index in range(25)] + [(None, 0.04)]:
                launches = 12 if kernel else 1
                times_us = rng.normal(share * step_us / launches, 0.001, 8 * launches).round(3).tolist()
                yield {"arm": arm, "block": planned.block.index, "cell": cell.cell, "kernel": kernel,
                       "launches": launches, "times_us": times_us}  # fmt: skip


def _requests(rng: np.random.Generator, requests: int) -> Iterator[dict[str, Any]]:
    now_s, length = 1.0, SERVING.output_tokens
    for planned in plan_eval(SERVING, Seeds(NONCE)).blocks:
        arm, block = planned.block.arm, planned.block.index
        for level, cell in zip(SERVING.concurrency, planned.cells, strict=True):
            free = np.full(level, now_s)
            for index, seed in enumerate(cell.seeds[:requests]):
                lane, sent = int(free.argmin()), prompt_digest(prompt(seed, characters=SERVING.input_tokens))
                times = free[lane] + 0.05 + np.cumsum(rng.normal(0.01, 0.0003, length) / _speed(arm))
                yield {"cell": cell.cell, "arm": arm, "block": block, "index": index, "prompt_sha256": sent,
                       "input_tokens": SERVING.input_tokens, "requested_output_tokens": length,
                       "output_tokens": length, "start_s": float(free[lane]), "token_times_s": times.tolist(),
                       "end_s": float(times[-1] + 0.001), "output_sha256": sent[::-1], "finish_reason": "length",
                       "error": None}  # fmt: skip
                free[lane] = times[-1] + 0.002
            now_s = float(free.max()) + 0.05


def _sample(index: int) -> dict[str, Any]:
    named = {name: hashlib.sha256(f"{name} {index}".encode()).hexdigest() for name in ("doc", "prompt", "target")}
    return {"doc_id": index, "doc": {"question": "how many " * 20}, "target": "1", "arguments": [],
            "filter": "none", "resps": [[f"answer {index} " * 20]], "filtered_resps": ["1"], "metrics": ["exact_match"],
            "exact_match": float(index % 3 != 0),
            **{f"{name}_hash": value for name, value in named.items()}}  # fmt: skip


def _results(samples: list[dict[str, Any]]) -> dict[str, Any]:
    joined = "".join(row["doc_hash"] + row["prompt_hash"] + row["target_hash"] for row in samples)
    score = sum(row["exact_match"] for row in samples) / len(samples)
    return {"results": {"task": {"exact_match,none": score}}, "configs": {"task": {"task": "task"}},
            "versions": {"task": 1.0}, "n-shot": {"task": 0}, "config": {"limit": None, "use_cache": None},
            "n-samples": {"task": {"original": len(samples), "effective": len(samples)}}, "lm_eval_version": "0.4.13",
            "task_hashes": {"task": hashlib.sha256(joined.encode()).hexdigest()}}  # fmt: skip


def _cell(cell_id: str, metric: str, phase: str, **known: Any) -> dict[str, Any]:
    names = ("tensor_parallel", "context_parallel", "batch", "context_tokens", "input_tokens", "output_tokens")
    return {"id": cell_id, "metric": metric, "phase": phase, "speculation": {"kind": "none"}, "task": None,
            "arms": list(ARMS), **dict.fromkeys(names, "unknown"), **known}  # fmt: skip


def _eval(plan: EvalPlan, cells: list[Any]) -> dict[str, Any]:
    blocks = [planned.block.model_dump() for planned in plan_eval(plan, Seeds(NONCE)).blocks]
    return {"id": plan.id, "kind": plan.kind, "outcome": {"outcome": "completed", "duration_s": 1000.0}, "cells": cells,
            "blocks": blocks}  # fmt: skip


def _arm(name: ArmName) -> dict[str, Any]:
    unknown = ("image_digest", "model", "quantization", "weights_digest", "tokenizer_digest", "chat_template_digest")
    return {"name": name, "code": dict.fromkeys(("commit_sha", "tree_digest", "dirty"), "unknown"),
            "ledgers": "unknown", "draft_digest": None, "engine_config": [],
            **dict.fromkeys(unknown, "unknown")}  # fmt: skip


def _cells(plan: EvalPlan) -> list[Any]:
    if isinstance(plan, DecodeStep):
        return [
            _cell(decode_cell(plan, batch, context), "step_latency_us", "decode", batch=batch, context_tokens=context)
            for batch, context in STEP_CELLS
        ]
    if isinstance(plan, Serving):
        lengths = {"input_tokens": plan.input_tokens, "output_tokens": plan.output_tokens}
        return [
            _cell(serving_cell(plan, level), "e2e_ms", "request", batch=level, **lengths) for level in plan.concurrency
        ]
    return [_cell("accuracy.task", "score", "request") | {"task": "task/none/exact_match"}]


def _manifest(files: list[dict[str, Any]]) -> dict[str, Any]:
    unknown = dict.fromkeys(("repository_id", "repository", "head_sha", "base_sha"), "unknown")
    produced = dict.fromkeys(("image_digest", "node_key_id", "started_at", "ended_at", "duration_s"), "unknown")
    return {
        "format": "byogpu.bundle/1", "origin": {"kind": "measured"}, "environment": "unknown",
        "challenge": {"id": "c-1", "nonce": NONCE, "plan_digest": plan_run(SUITE, NONCE).digest},
        "subject": {**unknown, "pull_number": None, "suite": SUITE.reference.model_dump(), "claim_ids": []},
        "producer": {"worker_version": "benchmark", **produced}, "arms": [_arm(name) for name in ARMS],
        "evals": [_eval(plan, _cells(plan)) for plan in SUITE.evals if plan.kind != "kernel_numerics"],
        "files": files, "redaction": {"rules_version": 1, "masked": []}, "attempts": [],
    }  # fmt: skip


def main() -> None:
    """Measure, and print what came out."""
    parser = argparse.ArgumentParser(prog="python -m judge.benchmark", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    cost = measure()
    if parser.parse_args().json:
        print(cost.model_dump_json(indent=2))
    else:
        print("\n".join(f"{name:14} {value:12,.2f}" for name, value in cost))


if __name__ == "__main__":
    main()
