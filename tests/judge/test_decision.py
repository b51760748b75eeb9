"""What one cell says: the path that ran, and what keeps a number from being decided."""

from collections.abc import Callable
from typing import Any

import pytest

from judge import Assessment, Verdict, assess, judge
from judge.claims import parse_block
from worker.suites import load

Read = Callable[..., Any]


def one(relation: str, bundle: Assessment, *, metric: str = "step_latency_us", cells: str = "{}") -> Verdict:
    claims = parse_block(f'- id: c\n  metric: {metric}\n  cells: {cells}\n  relation: "{relation}"')
    assert claims.errors == ()
    return judge(claims.claims, [bundle])[0]


# ------------------------------------------------------------------ the path
def test_on_a_cpu_a_speed_up_has_no_evidence(stock: Assessment) -> None:
    verdict = one(">= 1.01x baseline", stock)
    assert verdict.outcome == "no_evidence"
    assert verdict.reason == (
        "the specialized path never ran: kernels not built, no CUDA device; "
        "both arms ran the same code, configuration and path"
    )
    assert verdict.estimate is verdict.ratio is verdict.interval is None
    assert verdict.next_run is not None
    assert verdict.next_run.hardware == "a GPU that the specialized path supports"
    assert "no CUDA device" in verdict.next_run.sentence


@pytest.mark.parametrize("metric", ["step_latency_us", "ttft_ms", "output_tokens_per_s", "score"])
@pytest.mark.parametrize("relation", ["no regression within 1%", "equal within 1%"])
def test_on_a_cpu_nothing_changed(metric: str, relation: str, stock: Assessment) -> None:
    verdict = one(relation, stock, metric=metric)
    assert verdict.outcome == "supported"
    assert verdict.reason == "no change: both arms ran the same code, configuration and path"
    assert verdict.p_value is None


def test_other_code_on_the_stock_path_is_measured_and_said_to_be(cpu_specimen: Any, collected: Read) -> None:
    cpu_specimen.arm("candidate")["code"]["tree_digest"] = "9" * 64
    bundle = assess(collected(cpu_specimen))
    verdict = one("no regression within 5%", bundle)
    assert verdict.outcome == "supported"
    assert verdict.reason.endswith("the specialized path did not run here")
    assert "same code" not in one(">= 1.01x baseline", bundle).reason


def _few(s: Any) -> None:
    bucket = s.ledger("candidate", "decode-step")["buckets"][0]
    total = bucket["specialized_steps"]
    bucket.update(specialized_steps=total - 2, stock_steps=2, reasons=[{"reason": "rows outside 1..64", "steps": 2}])


def _unknown(s: Any) -> None:
    s.arm("candidate")["ledgers"] = "unknown"


def _baseline_too(s: Any) -> None:
    bucket = s.ledger("baseline", "decode-step")["buckets"][0]
    bucket.update(specialized_steps=1, stock_steps=bucket["stock_steps"] - 1)


def _no_kernels(s: Any) -> None:
    s.ledger("candidate", "decode-step")["kernel_digests"] = []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_few, "the specialized path ran only in"),
        (_unknown, "unknown"),
        (_baseline_too, "1 steps of the baseline ran specialized"),
        (_no_kernels, "P-005"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_speed_up_needs_the_path_in_the_candidate_alone(
    change: Any, words: str, specimen: Any, collected: Read
) -> None:
    change(specimen)
    verdict = one(">= 1.5x baseline", assess(collected(specimen)), cells="{batch: 1}")
    assert verdict.outcome in ("no_evidence", "not_comparable")
    assert words in verdict.reason


def test_the_path_of_another_eval_does_not_matter(specimen: Any, collected: Read) -> None:
    _few(specimen)
    bundle = assess(collected(specimen))
    assert one(">= 1.5x baseline", bundle, metric="ttft_ms").outcome == "supported"
    assert one(">= 1.5x baseline", bundle, cells="{batch: 4}").outcome == "supported"


# ------------------------------------------------------------------ what keeps it from being decided
def test_unlike_arms_are_not_comparable_and_the_field_is_named(specimen: Any, collected: Read) -> None:
    specimen.eval("serving")["cells"][0]["batch"] = 4
    verdict = one(">= 1.5x baseline", assess(collected(specimen)), metric="tpot_ms")
    assert verdict.outcome == "not_comparable"
    assert "achieved_concurrency is" in verdict.reason
    assert "of 4 requested" in verdict.reason
    assert verdict.next_run is not None
    assert "achieved_concurrency" in verdict.next_run.sentence


def test_a_drifting_baseline_decides_nothing(specimen: Any, collected: Read) -> None:
    sentinel = len(specimen.eval("decode-step")["blocks"]) - 1
    for row in specimen.of("steps", "decode-step"):
        if row["block"] == sentinel:
            row["latency_us"] *= 0.9
    verdict = one(">= 1.5x baseline", assess(collected(specimen)))
    assert verdict.outcome == "inconclusive"
    assert "moved by" in verdict.reason


def test_too_few_samples_decide_nothing_and_the_rounds_are_named(specimen: Any, collected: Read) -> None:
    kept = specimen.of("requests", "serving", arm="candidate")[:12]
    specimen.rows[("requests", "serving")] = [*specimen.of("requests", "serving", arm="baseline"), *kept]
    for row in specimen.of("requests", "serving", arm="baseline"):
        row["prompt_sha256"] = "unknown"
    specimen.manifest["subject"]["suite"] = None
    verdict = one(">= 1.5x baseline", assess(collected(specimen)), metric="tpot_ms")
    assert (verdict.outcome, verdict.reason) == ("inconclusive", "12 samples in serving.c2, 20 are needed")


def test_noise_as_large_as_the_distance_decides_nothing(
    specimen: Any, collected: Read, retime: Callable[[Any], None]
) -> None:
    rows = specimen.of("steps", "decode-step")
    for row in rows:
        row["latency_us"] *= 1.06 if row["block"] % 4 == 3 and row["arm"] == "baseline" else 1.0
    retime(specimen)
    verdict = one(">= 1.62x baseline", assess(collected(specimen)), cells="{batch: 1}")
    assert verdict.outcome == "inconclusive"
    assert "closer to the claim than the baseline is to itself" in verdict.reason
    assert verdict.next_run is not None


def test_throttling_that_cannot_be_placed_decides_nothing(specimen: Any, collected: Read) -> None:
    for row in specimen.rows[("telemetry", "decode-step")]:
        row.update(time_s=row["time_s"] + 500.0, throttle_reasons=["hw_slowdown"])
    verdict = one(">= 1.5x baseline", assess(collected(specimen)))
    assert verdict.outcome == "inconclusive"
    assert "throttled" in verdict.reason


def test_the_next_run_grows_as_the_claim_comes_closer(specimen: Any, collected: Read) -> None:
    bundle = assess(collected(specimen))
    value = one(">= 1.5x baseline", bundle, cells="{batch: 1}").ratio
    assert value is not None

    def rounds(away: float) -> int:
        near = one(f">= {value / away:.4f}x baseline", bundle, cells="{batch: 1}")
        assert near.outcome == "inconclusive"
        assert near.next_run is not None
        assert near.next_run.suite == "smoke"
        assert near.next_run.rounds is not None
        assert (near.next_run.hardware, near.next_run.gpus) == ("NVIDIA H200", 1)
        assert near.next_run.gpu_minutes == near.next_run.minutes
        assert near.next_run.minutes is not None
        return near.next_run.rounds

    assert rounds(1.0005) > rounds(1.001) > load("smoke").evals[1].rounds


def test_few_documents_ask_for_more_of_them(fast: Assessment) -> None:
    verdict = one("equal within 2%", fast, metric="score")
    assert verdict.next_run is not None
    assert "documents" in verdict.next_run.sentence
