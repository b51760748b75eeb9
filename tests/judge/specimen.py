"""A complete, valid bundle of the smoke suite, made up in memory, to be changed and then written.

Both arms, all four evals, one made-up GPU, signed by nobody, bound to a challenge. Everything is plain dicts and lists,
so that a test can break any of it; `Specimen.write` does not validate rows. Numbers come from a fixed seed: the
candidate's steps and requests take 1/1.6 of the baseline's time.
"""

import copy
import importlib.util
import json
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from judge.evidence import Context, IssuedChallenge, KnownAnswer, PullState
from worker.bundle import Bundle, Draft, Manifest, canonical, write
from worker.bundle.blobs import FolderBlobs
from worker.suites import load
from worker.suites.plan import slice_seed
from worker.suites.prompts import prompt, prompt_digest

REPOSITORY_ID = 1001
HEAD_SHA = "a" * 40
NODE = "d" * 64
SPEEDUP = 1.6
ARMS = ("baseline", "candidate")

Row = dict[str, Any]


def _beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{__name__}_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = _beside("made_rows")
NONCE, PLAN, digest = made.NONCE, made.PLAN, made.digest


@dataclass
class Specimen:
    """What a bundle is made of, before it is written.

    Attributes:
        manifest: The manifest as JSON, ``files`` still empty.
        rows: Rows by (role, eval id).
        results: lm-eval's results file by arm.
        samples: lm-eval's sample rows by (arm, task).
        extra: Further files: (name, role, eval id, arm, bytes).
        replaced: Bytes that stand in for a file, by its name; listed under their own digest.
        damaged: Bytes that lie where a file's blob should, by the file's name; None: nothing lies there.
    """

    manifest: dict[str, Any]
    rows: dict[tuple[str, str], list[Row]]
    results: dict[str, dict[str, Any]]
    samples: dict[tuple[str, str], list[Row]]
    extra: list[tuple[str, str, str | None, str | None, bytes]] = field(default_factory=list)
    replaced: dict[str, bytes] = field(default_factory=dict)
    damaged: dict[str, bytes | None] = field(default_factory=dict)

    def eval(self, eval_id: str) -> dict[str, Any]:
        return next(record for record in self.manifest["evals"] if record["id"] == eval_id)

    def arm(self, name: str) -> dict[str, Any]:
        return next(arm for arm in self.manifest["arms"] if arm["name"] == name)

    def ledger(self, arm: str, eval_id: str) -> dict[str, Any]:
        return next(one for one in self.arm(arm)["ledgers"] if one["eval_id"] == eval_id)

    def of(self, role: str, eval_id: str, *, arm: str | None = None, cell: str | None = None) -> list[Row]:
        """Rows of a file, to be changed in place."""
        rows = self.rows[(role, eval_id)]
        return [row for row in rows if arm in (None, row.get("arm")) and cell in (None, row.get("cell"))]

    def drop(self, role: str, eval_id: str, **matching: Any) -> None:
        """Remove rows whose fields have those values."""
        rows = self.rows[(role, eval_id)]
        self.rows[(role, eval_id)] = [row for row in rows if any(row[name] != v for name, v in matching.items())]

    def time_kernels(self) -> None:
        """Make the kernel times fit the steps as they are now."""
        decode = self.eval("decode-step")
        steps = self.rows[("steps", "decode-step")]
        self.rows[("kernel_times", "decode-step")] = made.kernel_times(decode["cells"], decode["blocks"], steps)

    def run_stock(self) -> None:
        """Make the candidate what it is on a CPU: the same code on the stock path, with its reasons. See `build`."""
        refused = ["kernels not built", "no CUDA device"]
        for one in self.arm("candidate")["ledgers"]:
            one["kernel_digests"] = []
            for bucket in one["buckets"]:
                total = bucket["stock_steps"] + bucket["specialized_steps"]
                bucket.update(specialized_steps=0, stock_steps=total)
                bucket["reasons"] = [{"reason": reason, "steps": total} for reason in refused]
        self.manifest["environment"].update(gpus=[], links=[], gpu_processes=[])
        for key in [key for key in self.rows if key[0] == "telemetry"]:
            del self.rows[key]

    def write(self, folder: Path) -> Bundle:
        """Write the bundle as it is now."""
        draft = Draft(folder)
        for (role, eval_id), rows in self.rows.items():
            data = b"".join(canonical(row) + b"\n" for row in rows)
            self._add(draft, f"{eval_id}.{role}.jsonl", role, eval_id, None, data)
        for arm, results in self.results.items():
            data = json.dumps(results, indent=2).encode()
            self._add(draft, f"{arm}/results_2026.json", "lm_eval_results", "accuracy", arm, data)
        for (arm, task), rows in self.samples.items():
            data = "".join(json.dumps(row) + "\n" for row in rows).encode()
            self._add(draft, f"{arm}/samples_{task}_2026.jsonl", "lm_eval_samples", "accuracy", arm, data)
        for name, role, eval_id, arm, data in self.extra:
            self._add(draft, name, role, eval_id, arm, data)
        listed = self.manifest["files"] or [entry.model_dump(mode="json") for entry in draft.files]
        for entry in draft.files:
            blob = folder / "blobs" / entry.sha256
            if entry.name in self.damaged:
                blob.unlink()
                if (data := self.damaged[entry.name]) is not None:
                    blob.write_bytes(data)
        manifest = Manifest.model_validate_json(canonical({**self.manifest, "files": listed}))
        if self.damaged:
            return Bundle(manifest, canonical(manifest), None, FolderBlobs(folder))
        return write(folder, manifest)

    def _add(self, draft: Draft, name: str, role: Any, eval_id: str | None, arm: Any, data: bytes) -> None:
        media = "application/x-ndjson" if name.endswith("l") else "text/plain"
        draft.add(self.replaced.get(name, data), name=name, role=role, eval_id=eval_id, arm=arm, media_type=media)

    def hash_samples(self) -> None:
        """Recompute what lm-eval derives from its rows, after they were changed as a whole run would have."""
        for (arm, task), rows in self.samples.items():
            results = self.results[arm]
            results["task_hashes"][task] = digest(
                "".join(row["doc_hash"] + row["prompt_hash"] + row["target_hash"] for row in rows)
            )
            scores = [row["exact_match"] for row in rows]
            results["results"][task]["exact_match,none"] = sum(scores) / len(scores)
            results["n-samples"][task] = {"original": len(rows), "effective": len(rows)}


def server_context(specimen: Specimen) -> Context:
    """The context of a server that issued the specimen's challenge and knows its pull request and node."""
    subject = specimen.manifest["subject"]
    return Context(
        place="server",
        signature="valid",
        node_key_id=NODE,
        challenge=IssuedChallenge(
            id="challenge-1",
            nonce=NONCE,
            plan_digest=PLAN.digest,
            suite_digest=load("smoke").digest,
            repository_id=REPOSITORY_ID,
            pull_number=1,
            head_sha=HEAD_SHA,
            node_key_id=NODE,
            used_by=None,
            closed=None,
        ),
        pull=PullState(repository_id=REPOSITORY_ID, number=1, head_sha=subject["head_sha"]),
        answers=answers(),
    )


@cache
def answers() -> tuple[KnownAnswer, ...]:
    """What the made-up model answers to the prompts of the hidden slice."""
    serving = next(plan for plan in load("smoke").evals if plan.kind == "serving")
    sent = [
        prompt_digest(prompt(slice_seed(index), characters=serving.input_tokens))
        for index in range(serving.hidden_slice.pool)
    ]
    return tuple(
        KnownAnswer(
            weights_digest="2" * 64, prompt_sha256=one, output_tokens=serving.output_tokens,
            output_sha256=digest(f"answer {one}"),
        )
        for one in sent
    )  # fmt: skip


def build(*, speedup: float = SPEEDUP) -> Specimen:
    """A complete valid bundle in which the candidate is faster by ``speedup``."""
    return copy.deepcopy(_made(speedup))


def build_on_cpu() -> Specimen:
    """What a machine without a GPU gives: both arms stock, the same code, no difference."""
    specimen = build(speedup=1.0)
    specimen.run_stock()
    return specimen


# ------------------------------------------------------------------ how it is made
@cache
def _made(speedup: float) -> Specimen:
    suite = load("smoke")
    plans: dict[str, Any] = {plan.kind: plan for plan in suite.evals}
    rng = np.random.default_rng(20_260_101)
    decode, serving, accuracy = plans["decode_step"], plans["serving"], plans["accuracy"]
    evals, rows = [], {}
    evals.append(_eval("numerics", "kernel_numerics", [_cell("numerics.kda", "max_relative_error", task="kda")], []))
    rows[("numerics", "numerics")] = [made.numerics(arm, case) for arm in ARMS for case in ("decode", "prefill")]

    blocks = _blocks(list(decode.block_order) * decode.rounds, drift=True)
    cells = [
        _cell(f"decode-step.b{batch}.c{length}", "step_latency_us", batch=batch, context_tokens=length, phase="decode")
        for batch, length in product(decode.batches, decode.context_tokens)
    ]
    evals.append(_eval("decode-step", "decode_step", cells, blocks))
    rows[("steps", "decode-step")] = made.steps(cells, blocks, decode.steps_per_block, rng, speedup)
    rows[("kernel_times", "decode-step")] = made.kernel_times(cells, blocks, rows[("steps", "decode-step")])
    rows[("telemetry", "decode-step")] = made.telemetry(rows[("steps", "decode-step")][-1]["start_ns"] / 1e9)

    blocks = _blocks(list(serving.block_order) * serving.rounds, drift=False)
    cells = [
        _cell(f"serving.c{level}", "e2e_ms", batch=level, phase="request", input_tokens=serving.input_tokens,
              output_tokens=serving.output_tokens)
        for level in serving.concurrency
    ]  # fmt: skip
    evals.append(_eval("serving", "serving", cells, blocks))
    rows[("requests", "serving")] = made.requests(cells, blocks, serving, rng, speedup)
    rows[("counters", "serving")] = made.counters(cells, blocks)
    rows[("telemetry", "serving")] = made.telemetry(rows[("requests", "serving")][-1]["end_s"])

    cells = [
        _cell(f"accuracy.{task}", "score", batch=accuracy.concurrency, phase="request", task=f"{task}/none/exact_match")
        for task in accuracy.tasks
    ]
    evals.append(_eval("accuracy", "accuracy", cells, []))
    rows[("streams", "accuracy")] = [row for arm in ARMS for row in made.streams(arm, accuracy, rng)]
    samples = {(arm, task): _samples(arm, task, accuracy.minimum_documents) for arm in ARMS for task in accuracy.tasks}
    manifest = {
        "format": "byogpu.bundle/1",
        "origin": {"kind": "measured"},
        "subject": {
            "repository_id": REPOSITORY_ID, "repository": "octo/kernels", "pull_number": 1, "head_sha": HEAD_SHA,
            "base_sha": "b" * 40, "suite": suite.reference.model_dump(), "claim_ids": [],
        },
        "challenge": {"id": "challenge-1", "nonce": NONCE, "plan_digest": PLAN.digest},
        "producer": {
            "worker_version": "0.1.0", "image_digest": "unknown", "node_key_id": NODE,
            "started_at": "2026-01-01T12:00:00Z", "ended_at": "2026-01-01T12:02:00Z", "duration_s": 120.0,
        },
        "environment": _environment(),
        "arms": [_arm(arm, rows, decode, serving) for arm in ARMS],
        "evals": evals,
        "files": [],
        "redaction": {"rules_version": 1, "masked": []},
        "attempts": [],
    }  # fmt: skip
    specimen = Specimen(manifest, rows, {arm: _results(accuracy.tasks) for arm in ARMS}, samples)
    specimen.hash_samples()
    return specimen


def _cell(cell_id: str, metric: str, *, phase: str = "mixed", task: str | None = None, **coordinates: Any) -> Row:
    unknown = dict.fromkeys(("batch", "context_tokens", "input_tokens", "output_tokens"), "unknown")
    return {
        "id": cell_id, "metric": metric, "phase": phase, "tensor_parallel": 1, "context_parallel": 1, **unknown,
        **coordinates, "speculation": {"kind": "none"}, "task": task, "arms": list(ARMS),
    }  # fmt: skip


def _eval(eval_id: str, kind: str, cells: list[Row], blocks: list[Row]) -> dict[str, Any]:
    outcome = {"outcome": "completed", "duration_s": 20.0}
    return {"id": eval_id, "kind": kind, "outcome": outcome, "cells": cells, "blocks": blocks}


def _blocks(order: list[str], *, drift: bool) -> list[Row]:
    blocks = [{"index": index, "arm": arm, "purpose": "measure"} for index, arm in enumerate(order)]
    return [*blocks, {"index": len(order), "arm": "baseline", "purpose": "drift"}] if drift else blocks


def _arm(name: str, rows: dict[tuple[str, str], list[Row]], decode: Any, serving: Any) -> dict[str, Any]:
    def ledger(eval_id: str, batches: dict[int, int]) -> dict[str, Any]:
        buckets = [_bucket(name, "decode", rows=batch, steps=steps) for batch, steps in sorted(batches.items())]
        if eval_id != "decode-step":
            buckets.append(_bucket(name, "prefill", rows=32, steps=8))
        return {"eval_id": eval_id, "buckets": buckets, "kernel_digests": ["e" * 64] if name == "candidate" else []}

    mine = [row for row in rows[("steps", "decode-step")] if row["arm"] == name]
    timed = {batch: sum(f".b{batch}." in row["cell"] for row in mine) for batch in decode.batches}
    mode = "specialized" if name == "candidate" else "stock"
    return {
        "name": name,
        "code": {"commit_sha": HEAD_SHA, "tree_digest": "1" * 64, "dirty": False},
        "image_digest": "unknown", "model": "k3-tiny", "quantization": "mxfp4", "weights_digest": "2" * 64,
        "draft_digest": None, "tokenizer_digest": "3" * 64, "chat_template_digest": "4" * 64,
        "engine_config": [
            {"name": "decode.mode", "value": mode}, {"name": "engine.max_running", "value": "64"},
        ],
        "ledgers": [
            ledger("decode-step", timed),
            ledger("serving", dict.fromkeys(range(1, max(serving.concurrency) + 1), 200)),
            ledger("accuracy", {4: 300}),
        ],
    }  # fmt: skip


def _bucket(arm: str, phase: str, *, rows: int, steps: int) -> dict[str, Any]:
    special = steps if arm == "candidate" and phase == "decode" else 0
    reasons = ["decode mode is stock"] if arm == "baseline" else ["step reads prompt tokens"]
    return {
        "rows": rows, "tokens_per_request": 1 if phase == "decode" else rows, "phase": phase, "speculation": 0,
        "specialized_steps": special, "stock_steps": steps - special,
        "reasons": [{"reason": reason, "steps": steps} for reason in reasons if special == 0],
    }  # fmt: skip


def _environment() -> dict[str, Any]:
    gpu = {
        "index": 0, "name": "NVIDIA H200", "uuid_hash": "5" * 64, "pci_bus_id": "0000:01:00.0",
        "pci_device_id": "0x233510de", "memory_bytes": 150_754_820_096, "multiprocessors": 132,
        "compute_capability": "9.0", "vbios": "96.00.A5.00.01", "sm_clock_max_mhz": 1980,
        "memory_clock_max_mhz": 3201, "power_limit_w": 700.0, "ecc": "on", "mig": "off", "compute_mode": "default",
    }  # fmt: skip
    return {
        "gpus": [gpu], "links": [], "gpu_processes": [], "driver_version": "575.51.03", "cuda_version": "12.9",
        "cpu_model": "made-up CPU", "cpu_count": 16, "memory_bytes": 2**37, "kernel": "6.8.0", "system": "Linux",
        "python_version": "3.11.9",
        "container": {"containerized": False, "cpu_limit": None, "memory_limit_bytes": None},
        "packages": [{"name": "numpy", "version": "2.4.0", "record_digest": "unknown"}],
        "variables": [{"name": "OMP_NUM_THREADS", "value": "1"}],
        "bandwidth": {"device": "gpu", "read_gb_per_s": [4100.0, 4105.0]},
    }  # fmt: skip


def _samples(arm: str, task: str, documents: int) -> list[Row]:
    return [
        {"doc_id": index, "doc": {"text": f"{task} {index}"}, "target": str(index % 2), "arguments": [],
         "resps": [[f" {arm[0] if index == 5 else ''}{index}"]], "filtered_resps": [str(index)], "filter": "none",
         "metrics": ["exact_match"], "doc_hash": digest(f"doc {task} {index}"),
         "prompt_hash": digest(f"prompt {task} {index}"), "target_hash": digest(f"target {task} {index}"),
         "exact_match": float(index % 4 != 0)}
        for index in range(documents)
    ]  # fmt: skip


def _results(tasks: tuple[str, ...]) -> dict[str, Any]:
    return {
        "results": {
            task: {"alias": task, "exact_match,none": 0.0, "exact_match_stderr,none": 0.01} for task in tasks
        },
        "configs": {
            task: {"task": task, "metadata": {"base_url": "http://127.0.0.1:1/v1"},
                   "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}]}
            for task in tasks
        },
        "versions": dict.fromkeys(tasks, 1.0), "n-shot": dict.fromkeys(tasks, 0), "n-samples": {},
        "config": {"model": "local-completions", "limit": None, "use_cache": None},
        "lm_eval_version": "0.4.13", "task_hashes": {},
    }  # fmt: skip
