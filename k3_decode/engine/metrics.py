"""The engine's numbers in Prometheus text format.

Source: Prometheus exposition format 0.0.4.
"""

from collections.abc import Iterable, Mapping

from k3_decode.engine.request import FinishReason
from k3_decode.engine.stats import Stats
from k3_decode.ledger import LedgerSnapshot, Phase

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

STEP_REQUEST_BOUNDS = (1, 2, 4, 8, 16, 32, 64)
"""Upper bounds of the step-batch histogram, in requests."""

Sample = tuple[str, float]
"""Suffix with labels, and value."""


def render(stats: Stats, ledger: LedgerSnapshot) -> str:
    """Write all metrics.

    Args:
        stats: One reading of the engine.
        ledger: Steps by path since the ledger was last reset.
    """
    paths = {
        "specialized": sum(bucket["specialized_steps"] for bucket in ledger["buckets"]),
        "stock": sum(bucket["stock_steps"] for bucket in ledger["buckets"]),
    }
    finished = [(f'{{reason="{reason}"}}', float(stats.finished.get(reason, 0))) for reason in FinishReason]
    families = [
        _family("requests_running", "gauge", "Requests that hold a state slot.", stats.running),
        _family("requests_waiting", "gauge", "Requests in the queue.", stats.waiting),
        _family("cache_blocks_used", "gauge", "MLA cache blocks held by requests.", stats.blocks_used),
        _family("cache_blocks", "gauge", "MLA cache blocks there are.", stats.blocks_total),
        _family("state_slots_used", "gauge", "KDA state slots held by requests.", stats.slots_used),
        _family("state_slots", "gauge", "KDA state slots there are.", stats.slots_total),
        _family("prompt_tokens_total", "counter", "Prompt tokens computed.", stats.prompt_tokens),
        _family("generation_tokens_total", "counter", "Tokens generated.", stats.generation_tokens),
        _family("preemptions_total", "counter", "Running requests that gave up their blocks.", stats.preemptions),
        _family("requests_finished_total", "counter", "Requests ended, by reason.", finished),
        _family(
            "ledger_steps",
            "gauge",
            "Steps by decode path since the ledger was last reset.",
            [(f'{{path="{path}"}}', float(steps)) for path, steps in paths.items()],
        ),
        _family("step_requests", "histogram", "Requests in a step, by phase.", _histogram(stats.step_requests)),
    ]
    return "".join(families)


def _family(name: str, kind: str, text: str, samples: float | Iterable[Sample]) -> str:
    full = f"k3_engine_{name}"
    lines = [f"# HELP {full} {text}", f"# TYPE {full} {kind}"]
    rows = [("", float(samples))] if isinstance(samples, int | float) else samples
    lines += [f"{full}{suffix} {value:.17g}" for suffix, value in rows]
    return "\n".join(lines) + "\n"


def _histogram(steps: Mapping[tuple[Phase, int], int]) -> Iterable[Sample]:
    for phase in ("prefill", "decode", "mixed"):
        counts = {requests: count for (each, requests), count in steps.items() if each == phase}
        for bound in STEP_REQUEST_BOUNDS:
            below = sum(count for requests, count in counts.items() if requests <= bound)
            yield f'_bucket{{phase="{phase}",le="{bound}"}}', float(below)
        total = float(sum(counts.values()))
        yield f'_bucket{{phase="{phase}",le="+Inf"}}', total
        yield f'_sum{{phase="{phase}"}}', float(sum(requests * count for requests, count in counts.items()))
        yield f'_count{{phase="{phase}"}}', total
