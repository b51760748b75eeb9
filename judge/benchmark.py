"""What judging costs, on made-up data of a standard bundle's size: ``python -m judge.benchmark [--json]``.

200,000 step rows, 20,000 requests, 5,000 documents, one core. Time is that of the processor, so that a busy machine
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
from pathlib import Path
from typing import Any, Literal

import numpy as np

from judge.assess import assess
from judge.evidence import collect
from judge.stats import bootstrap_log_ratio
from worker.bundle import Draft, Manifest, canonical, read, write
from worker.bundle.record import Amount, Positive, Record
from worker.bundle.schema import ArmName

STEPS, REQUESTS, DOCUMENTS = 200_000, 20_000, 5_000
BLOCKS = 24
STEP_CELLS = (1, 2, 4, 8, 16, 32, 64)
LEVELS = (1, 8, 64)
TOKENS = 32
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
    """One cell of 2 x 24 blocks of 600 samples, 10,000 draws."""
    peak_mb: Amount
    """Of the whole process, 10^6 bytes."""


def measure(*, steps: int = STEPS, requests: int = REQUESTS, documents: int = DOCUMENTS) -> Cost:
    """Make up a bundle, judge it, and say what that cost.

    Args:
        steps: Step rows of the whole bundle.
        requests: Request rows.
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
        steps=steps,
        requests=requests,
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
        _lines(_steps(rng, steps)), name="steps.jsonl", role="steps", eval_id="decode", arm=None,
        media_type="application/x-ndjson",
    )  # fmt: skip
    draft.add(
        _lines(_requests(rng, requests)), name="requests.jsonl", role="requests", eval_id="load", arm=None,
        media_type="application/x-ndjson",
    )  # fmt: skip
    for arm in ARMS:
        samples = [_sample(index) for index in range(documents // 2)]
        data = b"".join(json.dumps(row).encode() + b"\n" for row in samples)
        draft.add(data, name=f"{arm}/samples_task_2026.jsonl", role="lm_eval_samples", eval_id="answers", arm=arm,
                  media_type="application/x-ndjson")  # fmt: skip
        draft.add(json.dumps(_results(samples)).encode(), name=f"{arm}/results_2026.json", role="lm_eval_results",
                  eval_id="answers", arm=arm, media_type="application/json")  # fmt: skip
    files = [entry.model_dump(mode="json") for entry in draft.files]
    write(folder, Manifest.model_validate_json(canonical(_manifest(files))))


def _bootstrap_ms() -> float:
    rng = np.random.default_rng(2)
    arms = [[rng.normal(100, 1, 600) for _ in range(BLOCKS)] for _ in ARMS]
    before = time.process_time()
    bootstrap_log_ratio(arms[0], arms[1], seed=1)
    return 1e3 * (time.process_time() - before)


# ------------------------------------------------------------------ the made-up bundle
def _lines(rows: Iterator[dict[str, Any]]) -> bytes:
    return b"".join(canonical(row) + b"\n" for row in rows)


def _order() -> list[ArmName]:
    return [ARMS[number] for number in (0, 1, 1, 0) * (BLOCKS // 2)]


def _speed(arm: ArmName) -> float:
    return 1.2 if arm == "candidate" else 1.0


def _steps(rng: np.random.Generator, rows: int) -> Iterator[dict[str, Any]]:
    each, now_ns = rows // (2 * BLOCKS * len(STEP_CELLS)), 10**9
    for block, arm in enumerate(_order()):
        for batch in STEP_CELLS:
            for step, latency_us in enumerate(rng.normal(300 + batch, 3, each) / _speed(arm)):
                yield {"arm": arm, "block": block, "cell": f"decode.b{batch}", "latency_us": float(latency_us),
                       "start_ns": now_ns, "step": step}  # fmt: skip
                now_ns += int(latency_us * 1000) + 9_000


def _requests(rng: np.random.Generator, rows: int) -> Iterator[dict[str, Any]]:
    each, now_s = rows // (2 * BLOCKS * len(LEVELS)), 1.0
    for block, arm in enumerate(_order()):
        for level in LEVELS:
            free = np.full(level, now_s)
            for index in range(each):
                lane, prompt = int(free.argmin()), hashlib.sha256(f"{arm} {block} {level} {index}".encode()).hexdigest()
                times = free[lane] + 0.05 + np.cumsum(rng.normal(0.01, 0.0003, TOKENS) / _speed(arm))
                yield {"cell": f"load.c{level}", "arm": arm, "block": block, "index": index, "prompt_sha256": prompt,
                       "input_tokens": 64, "requested_output_tokens": TOKENS, "output_tokens": TOKENS,
                       "start_s": float(free[lane]), "token_times_s": times.tolist(), "end_s": float(times[-1] + 0.001),
                       "output_sha256": prompt[::-1], "finish_reason": "length", "error": None}  # fmt: skip
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


def _eval(eval_id: str, kind: Literal["decode_step", "serving", "accuracy"], cells: list[Any]) -> dict[str, Any]:
    blocks = [{"index": index, "arm": arm, "purpose": "measure"} for index, arm in enumerate(_order())]
    return {"id": eval_id, "kind": kind, "outcome": {"outcome": "completed", "duration_s": 1000.0}, "cells": cells,
            "blocks": [] if kind == "accuracy" else blocks}  # fmt: skip


def _arm(name: ArmName) -> dict[str, Any]:
    unknown = ("image_digest", "model", "quantization", "weights_digest", "tokenizer_digest", "chat_template_digest")
    return {"name": name, "code": dict.fromkeys(("commit_sha", "tree_digest", "dirty"), "unknown"),
            "ledgers": "unknown", "draft_digest": None, "engine_config": [],
            **dict.fromkeys(unknown, "unknown")}  # fmt: skip


def _manifest(files: list[dict[str, Any]]) -> dict[str, Any]:
    unknown = dict.fromkeys(("repository_id", "repository", "head_sha", "base_sha"), "unknown")
    produced = dict.fromkeys(("image_digest", "node_key_id", "started_at", "ended_at", "duration_s"), "unknown")
    return {
        "format": "byogpu.bundle/1", "origin": {"kind": "measured"}, "challenge": None, "environment": "unknown",
        "subject": {**unknown, "pull_number": None, "suite": None, "claim_ids": []},
        "producer": {"worker_version": "benchmark", **produced}, "arms": [_arm(name) for name in ARMS],
        "evals": [
            _eval("decode", "decode_step", [
                _cell(f"decode.b{batch}", "step_latency_us", "decode", batch=batch) for batch in STEP_CELLS
            ]),
            _eval("load", "serving", [_cell(f"load.c{level}", "e2e_ms", "request", batch=level) for level in LEVELS]),
            _eval("answers", "accuracy", [
                _cell("answers.task", "score", "request") | {"task": "task/none/exact_match"}
            ]),
        ],
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
