"""A run over two stand-ins: what goes into the bundle, whatever the arms do."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from worker.arms import Arms
from worker.bundle import Bundle, read
from worker.bundle.schema import Challenge
from worker.bundle.signature import NodeKey, generate_key, verify
from worker.environment import Host, Nvml
from worker.errors import WorkerError
from worker.run import Machine, RunRequest, failed_evals, offline_subject, run_suite
from worker.settings import Settings
from worker.suites import DecodeStep, KernelNumerics, SampleFloor, Serving, Suite

ORDER = ("baseline", "candidate")
SUITE = Suite(
    id="small",
    version=1,
    title="Small",
    subject_config="k3-tiny",
    sample_floor=SampleFloor(p50=1, p90=1, p99=1),
    evals=(
        KernelNumerics(kind="kernel_numerics", id="numerics", time_limit_s=30.0),
        DecodeStep(
            kind="decode_step",
            id="decode-step",
            time_limit_s=30.0,
            batches=(1,),
            context_tokens=(8,),
            steps_per_block=3,
            warmup_steps=1,
            block_order=ORDER,
            rounds=4,
        ),
        Serving(
            kind="serving",
            id="serving",
            time_limit_s=30.0,
            concurrency=(2,),
            requests_per_block=2,
            input_tokens=32,
            output_tokens=4,
            block_order=ORDER,
            rounds=1,
        ),
    ),
)


@pytest.fixture
def key(tmp_path: Path) -> NodeKey:
    return generate_key(tmp_path / "keys" / "node.pem")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_folder=tmp_path / "state", image_digest="c" * 64)


Run = Callable[..., Bundle]


@pytest.fixture
def run(make_arm: Callable[..., Any], settings: Settings, tmp_path: Path, no_program_is_left: None) -> Run:
    arms: dict[str, Any] = {}

    def go(
        out: str = "bundle", *, key: NodeKey | None = None, challenge: Challenge | None = None, candidate: str = "well"
    ) -> Bundle:
        if not arms:
            arms.update(baseline=make_arm("baseline"), candidate=make_arm("candidate", candidate))
        both = Arms(**arms)
        request = RunRequest(SUITE, both, offline_subject(SUITE, both), tmp_path / out, challenge)
        return run_suite(request, settings=settings, key=key, machine=Machine(Nvml(None), Host()))

    return go


def test_the_bundle_is_whole_signed_and_says_what_ran(run: Run, key: NodeKey, tmp_path: Path) -> None:
    bundle = run(key=key)
    again = read(tmp_path / "bundle")
    assert again.id == bundle.id
    manifest = again.manifest
    assert again.envelope is not None
    assert verify(again.envelope, again.manifest_bytes, {key.key_id: key.public_key}) == key.key_id
    assert manifest.producer.node_key_id == key.key_id
    assert manifest.producer.image_digest == "c" * 64
    assert [(record.id, record.outcome.outcome) for record in manifest.evals] == [
        ("numerics", "completed"),
        ("decode-step", "completed"),
        ("serving", "completed"),
    ]
    assert failed_evals(manifest) == ()
    assert {entry.role for entry in manifest.files} == {"numerics", "steps", "requests", "counters"}
    assert manifest.subject.suite == SUITE.reference
    assert manifest.environment != "unknown"


def test_the_arms_differ_in_their_decode_mode_alone(run: Run) -> None:
    baseline, candidate = run().manifest.arms
    assert (baseline.name, candidate.name) == ("baseline", "candidate")
    differing = set(baseline.engine_config) ^ set(candidate.engine_config)
    assert {(entry.name, entry.value) for entry in differing} == {("decode", "stock"), ("decode", "specialized")}
    assert baseline.model_copy(update={"engine_config": ()}).weights_digest == candidate.weights_digest
    for arm in (baseline, candidate):
        assert arm.ledgers != "unknown"
        assert [ledger.eval_id for ledger in arm.ledgers] == ["decode-step", "serving"]
        assert "launcher.packages_digest" in {entry.name for entry in arm.engine_config}


def test_a_failed_eval_does_not_end_the_run_and_is_counted_as_a_try(run: Run) -> None:
    manifest = run(candidate="crash").manifest
    assert failed_evals(manifest) == ("numerics", "decode-step")
    assert manifest.evals[2].outcome.outcome == "completed"
    assert "log" in {entry.role for entry in manifest.files}
    second = run("second").manifest
    [attempt] = second.attempts
    assert (attempt.number, attempt.outcome) == (1, "failed")
    assert "not completed: numerics, decode-step" in attempt.detail


def test_earlier_tries_are_listed(run: Run) -> None:
    first = run()
    second = run("second")
    assert first.manifest.attempts == ()
    assert [(a.number, a.outcome, a.detail) for a in second.manifest.attempts] == [
        (1, "completed", f"bundle {first.id}")
    ]


def test_the_same_nonce_gives_the_same_prompts_and_none_gives_fresh_ones(run: Run) -> None:
    challenge = Challenge(id="one", nonce="n" * 43, plan_digest="d" * 64)

    def prompts(bundle: Bundle) -> list[str]:
        [entry] = [entry for entry in bundle.manifest.files if entry.role == "requests"]
        with bundle.blobs.open(entry.sha256) as stream:
            rows = [json.loads(line) for line in stream]
        return sorted(row["prompt_sha256"] for row in rows)

    first, second = run("1", challenge=challenge), run("2", challenge=challenge)
    free = run("3")
    assert first.manifest.challenge == challenge
    assert prompts(first) == prompts(second)
    assert not set(prompts(free)) & set(prompts(first))


def test_nothing_of_this_machine_is_in_the_bundle(run: Run, tmp_path: Path, key: NodeKey) -> None:
    run(key=key, candidate="crash")
    for path in (tmp_path / "bundle").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert str(tmp_path).encode() not in data
            assert sys.prefix.encode() not in data
            assert str(Path.cwd()).encode() not in data


def test_a_folder_in_use_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "precious").write_text("x")
    with pytest.raises(WorkerError, match="out_not_empty"):
        run()
    assert [path.name for path in (tmp_path / "bundle").iterdir()] == ["precious"]


DRIVER = """
import sys
from pathlib import Path
from worker.arms import Arms, resolve
from worker.environment import Host, Nvml
from worker.run import Machine, RunRequest, offline_subject, run_suite
from worker.settings import Settings
from worker.suites import load
folder = Path(sys.argv[1])
arms = Arms(*(resolve(name, work=folder, tree=folder / name) for name in ("baseline", "candidate")))
suite = load("smoke")
print("begin", flush=True)
request = RunRequest(suite, arms, offline_subject(suite, arms), folder / "bundle")
run_suite(request, settings=Settings(state_folder=folder / "state"), key=None, machine=Machine(Nvml(None), Host()))
"""


def test_sigterm_ends_every_program_and_the_try_counts_as_abandoned(
    make_arm: Callable[..., Any], tmp_path: Path, no_program_is_left: None
) -> None:
    for name in ("baseline", "candidate"):
        make_arm(name, "slow")
    worker = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert worker.stderr is not None
    assert worker.stdout.readline() == b"begin\n"
    blobs = tmp_path / "bundle" / "blobs"
    while not (blobs.is_dir() and any(blobs.iterdir())):  # the first eval is done, the second one hangs
        assert worker.poll() is None, worker.stderr.read().decode()
        time.sleep(0.05)
    time.sleep(0.5)
    worker.send_signal(signal.SIGTERM)
    _, error = worker.communicate(timeout=30)
    assert b"KeyboardInterrupt" in error
    assert not (tmp_path / "bundle" / "manifest.json").exists()
    state = json.loads((tmp_path / "state" / "attempts.json").read_text())
    assert [entry["attempt"]["outcome"] for entry in state["entries"]] == ["abandoned"]
