"""A small bundle of one file, to be written, signed, exported and damaged."""

from pathlib import Path

import pytest

from worker.bundle import Bundle, Draft, Manifest, write
from worker.bundle.samples import StepRow
from worker.bundle.schema import (
    Block,
    Cell,
    Completed,
    EvalRecord,
    Measured,
    NoSpeculation,
    Producer,
    RedactionReceipt,
    Subject,
)


def step_rows(count: int = 4) -> list[StepRow]:
    return [
        StepRow(cell="b1", arm="baseline", block=0, step=n, latency_us=100.0 + n, start_ns=1_000 * n)
        for n in range(count)
    ]


def small_manifest(draft: Draft) -> Manifest:
    cell = Cell(
        id="b1", metric="step_latency_us", phase="decode", tensor_parallel=1, context_parallel=1, batch=1,
        context_tokens=64, input_tokens="unknown", output_tokens="unknown", speculation=NoSpeculation(kind="none"),
        task=None, arms=("baseline",),
    )  # fmt: skip
    return Manifest(
        format="byogpu.bundle/1",
        origin=Measured(kind="measured"),
        subject=Subject(
            repository_id=7, repository="octo/kernels", pull_number=3, head_sha="a" * 40, base_sha="b" * 40,
            suite=None, claim_ids=(),
        ),
        challenge=None,
        producer=Producer(
            worker_version="0.1.0", image_digest="unknown", node_key_id="unknown", started_at="unknown",
            ended_at="unknown", duration_s=1.0,
        ),
        environment="unknown",
        arms=(),
        evals=(
            EvalRecord(
                id="decode-step", kind="decode_step", outcome=Completed(outcome="completed", duration_s=2.5),
                cells=(cell,), blocks=(Block(index=0, arm="baseline", purpose="measure"),),
            ),
        ),
        files=draft.files,
        redaction=RedactionReceipt(rules_version=1, masked=()),
        attempts=(),
    )  # fmt: skip


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    draft = Draft(tmp_path / "bundle")
    draft.add_rows(step_rows(), name="steps.jsonl", role="steps", eval_id="decode-step")
    return write(draft.folder, small_manifest(draft))
