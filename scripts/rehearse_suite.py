#!/usr/bin/env python3
"""Rehearse a suite that needs a large GPU on any machine: all its evals, batches and levels, with the smallest model.

    scripts/rehearse_suite.py standard --out /tmp/rehearsal

What is kept of the plan is its shape: every cell in both arms, in the planned order. Contexts and prompts are shorter
and blocks hold as few steps and requests as prove the way. No number of it is worth anything; the bundle names a suite
that nobody published (S-001), so nobody can take it for evidence. Ends with 0 if every eval completed.
"""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from judge import assess, collect
from worker.arms import Arms, resolve
from worker.progress import Silent
from worker.run import RunRequest, failed_evals, offline_subject, run_suite
from worker.settings import Settings
from worker.suites import Accuracy, DecodeStep, EvalPlan, KernelNumerics, Serving, Suite, load

MODEL = "k3-tiny"
SHORTER = 256
"""By how much contexts are shorter than planned."""


def rehearsed(suite: Suite) -> Suite:
    """The suite with its shape kept and its sizes small."""
    evals = tuple(_rehearsed(plan) for plan in suite.evals)
    return suite.model_copy(update={"evals": evals, "subject_config": MODEL})


def _rehearsed(plan: EvalPlan) -> EvalPlan:
    match plan:
        case DecodeStep():
            contexts = tuple(max(1, context // SHORTER) for context in plan.context_tokens)
            changes = {"context_tokens": contexts, "steps_per_block": 4, "warmup_steps": 1, "rounds": 1}
            return plan.model_copy(update=changes)
        case Serving():
            changes = {"requests_per_block": 64, "input_tokens": 32, "output_tokens": 8, "rounds": 1}
            return plan.model_copy(update=changes)
        case Accuracy(streams=streams) if streams is not None:
            few = streams.model_copy(update={"prompts": 8, "input_tokens": 24, "output_tokens": 16, "draws": 4})
            return plan.model_copy(update={"streams": few})
        case Accuracy() | KernelNumerics():
            return plan


def main() -> int:
    """Run it, and print what came out as one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", help="a published suite")
    parser.add_argument(
        "--out", type=Path, required=True, help="a new folder; the bundle and the worker's state go there"
    )
    options = parser.parse_args()
    suite = rehearsed(load(options.suite))
    options.out.mkdir(parents=True)
    arms = Arms(resolve("baseline", work=options.out), resolve("candidate", work=options.out))
    request = RunRequest(suite, arms, offline_subject(suite, arms), options.out / "bundle")
    began_s = time.monotonic()
    bundle = run_suite(request, settings=Settings(state_folder=options.out / "state"), key=None, progress=Silent())
    taken_s = time.monotonic() - began_s
    found = assess(collect(bundle))
    summary = {
        "suite": suite.id,
        "model": MODEL,
        "seconds": round(taken_s, 1),
        "bytes": sum(entry.size_bytes for entry in bundle.manifest.files),
        "evals": {record.id: record.outcome.model_dump(mode="json") for record in bundle.manifest.evals},
        "cells": len(found.cells),
        "reconciled": sum(arm.reconciliation is not None for cell in found.cells for arm in cell.arms),
        "explained": sum(bool(a.reconciliation and a.reconciliation.explained) for c in found.cells for a in c.arms),
        "validity": found.validity,
        "findings": Counter(one.rule_id for one in found.findings),
    }
    print(json.dumps(summary, indent=2))
    return 1 if failed_evals(bundle.manifest) else 0


if __name__ == "__main__":
    sys.exit(main())
