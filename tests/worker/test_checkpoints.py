"""A run that was interrupted goes on after the evals that are done, and does none of them twice."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from worker.arms import Arms
from worker.bundle import Bundle, read
from worker.bundle.schema import Challenge, Manifest
from worker.environment import Host, Nvml
from worker.progress import Silent
from worker.run import Machine, RunRequest, offline_subject, run_suite
from worker.settings import Settings
from worker.suites import DecodeStep, KernelNumerics, SampleFloor, Suite

ORDER = ("baseline", "candidate")
NODE = "d" * 64
SUITE = Suite(
    id="small",
    version=1,
    title="Small",
    subject_config="k3-tiny",
    sample_floor=SampleFloor(p50=1, p90=1, p99=1),
    evals=(
        KernelNumerics(kind="kernel_numerics", id="numerics", time_limit_s=30.0),
        DecodeStep(
            kind="decode_step", id="decode-step", time_limit_s=30.0, batches=(1,), context_tokens=(8,),
            steps_per_block=3, warmup_steps=1, block_order=ORDER, rounds=4,
        ),
    ),
)  # fmt: skip


class Interrupting(Silent):
    """Interrupts a run when a stage begins."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.begun: list[str] = []

    def begin(self, stage: str, *, total: int) -> None:
        self.begun.append(stage)
        if stage.startswith(self.stage):
            raise KeyboardInterrupt


@pytest.fixture
def run(make_arm: Callable[..., Any], tmp_path: Path, no_program_is_left: None) -> Callable[..., Bundle]:
    arms = Arms(make_arm("baseline"), make_arm("candidate"))

    def go(progress: Any, *, challenge: Challenge | None = None) -> Bundle:
        request = RunRequest(
            SUITE, arms, offline_subject(SUITE, arms), tmp_path / "bundle", challenge, signer=NODE,
            checkpoints=tmp_path / "checkpoints",
        )  # fmt: skip
        settings = Settings(state_folder=tmp_path / "state")
        return run_suite(request, settings=settings, key=None, progress=progress, machine=Machine(Nvml(None), Host()))

    return go


def interrupted(run: Callable[..., Bundle], **how: Any) -> Interrupting:
    progress = Interrupting("decode-step")
    with pytest.raises(KeyboardInterrupt):
        run(progress, **how)
    return progress


def files_of(manifest: Manifest, eval_id: str) -> set[str]:
    return {entry.sha256 for entry in manifest.files if entry.eval_id == eval_id}


def test_what_is_done_is_not_done_again(run: Callable[..., Bundle], tmp_path: Path) -> None:
    assert "numerics" in interrupted(run).begun
    [kept] = (tmp_path / "checkpoints").iterdir()
    assert kept.name == "numerics.json"
    before = {path.name for path in (tmp_path / "bundle" / "blobs").iterdir()}

    second = Interrupting("nothing")
    bundle = run(second)
    assert "numerics" not in second.begun
    assert "decode-step" in second.begun
    manifest = read(tmp_path / "bundle").manifest
    assert [(one.id, one.outcome.outcome) for one in manifest.evals] == [
        ("numerics", "completed"),
        ("decode-step", "completed"),
    ]
    assert files_of(manifest, "numerics") <= before
    assert bundle.manifest.producer.node_key_id == NODE
    assert [attempt.outcome for attempt in manifest.attempts] == ["abandoned"], "the interruption is counted"


@pytest.mark.parametrize("harm", ["other challenge", "blob gone", "blob changed", "no record"])
def test_a_checkpoint_that_does_not_hold_is_none(run: Callable[..., Bundle], tmp_path: Path, harm: str) -> None:
    interrupted(run)
    blobs = tmp_path / "bundle" / "blobs"
    challenge = None
    match harm:
        case "other challenge":
            challenge = Challenge(id="c-1", nonce="n" * 43, plan_digest="e" * 64)
        case "blob gone":
            shutil.rmtree(blobs)
        case "blob changed":
            for blob in blobs.iterdir():
                blob.write_bytes(b"changed")
        case _:
            (tmp_path / "checkpoints" / "numerics.json").write_text('{"challenge": null}')
    assert "numerics" in interrupted(run, challenge=challenge).begun
