"""Metrics from raw rows, against their definitions worked out by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from judge.columns import RequestColumns
from judge.metrics import METRICS, REQUEST_METRICS
from judge.series import achieved_concurrency, measured_cells, request_series, series
from judge.tables import RequestTable
from worker.bundle.samples import RequestRow
from worker.bundle.schema import Metric


def table(
    *requests: tuple[int, float, list[float], float], output_tokens: int | None = None, **fields: Any
) -> RequestTable:
    """Requests as (block, start, token times, end)."""
    columns = RequestColumns()
    for index, (block, start_s, times, end_s) in enumerate(requests):
        columns.add(
            RequestRow.model_validate(
                {
                    "cell": "c", "arm": "baseline", "block": block, "index": index, "prompt_sha256": "unknown",
                    "input_tokens": 8, "requested_output_tokens": 3, "start_s": start_s, "end_s": end_s,
                    "output_tokens": len(times) if output_tokens is None else output_tokens,
                    "token_times_s": tuple(times), "output_sha256": "unknown", "finish_reason": "length", "error": None,
                    **fields,
                }
            )
        )  # fmt: skip
    return columns.table()


TWO = table((0, 1.0, [1.5, 1.75, 2.0], 2.0), (0, 1.0, [1.25, 2.25, 2.5], 3.0))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("ttft_ms", [500, 250]),
        ("tpot_ms", [250, 625]),
        ("itl_ms", [250, 250, 1000, 250]),
        ("e2e_ms", [1000, 2000]),
        ("output_tokens_per_s", [3.0]),
        ("requests_per_s", [1.0]),
    ],
)
def test_a_metric_is_what_its_definition_says(metric: Metric, expected: list[float]) -> None:
    found = request_series(TWO, metric)
    assert found.values.tolist() == pytest.approx(expected)
    assert found.counted == (2 if METRICS[metric].sample == "block" else len(expected))


def test_the_parts_of_a_request_add_up() -> None:
    ttft, tpot, e2e = (request_series(TWO, name).values for name in ("ttft_ms", "tpot_ms", "e2e_ms"))
    last_to_end = (TWO.end_s - np.array([2.0, 2.5])) * 1000
    assert e2e.tolist() == pytest.approx((ttft + 2 * tpot + last_to_end).tolist())


def test_time_per_token_counts_tokens_and_not_chunks() -> None:
    assert request_series(table((0, 0.0, [1.0, 2.0], 2.0), output_tokens=5), "tpot_ms").values.tolist() == [250.0]


@pytest.mark.parametrize("metric", REQUEST_METRICS)
def test_failed_requests_are_counted_and_left_out(metric: Metric) -> None:
    found = request_series(table((0, 0.0, [1.0, 2.0], 2.0), error="status 500"), metric)
    assert (len(found.values), found.counted, found.failed) == (0, 0, 1)


@pytest.mark.parametrize("metric", ["tpot_ms", "itl_ms"])
def test_one_token_has_no_time_between_tokens(metric: Metric) -> None:
    assert len(request_series(table((0, 0.0, [1.0], 1.0)), metric).values) == 0


def test_gaps_do_not_reach_from_one_request_to_the_next() -> None:
    found = request_series(table((0, 0.0, [1.0, 2.0], 2.0), (0, 50.0, [60.0, 61.0], 61.0)), "itl_ms")
    assert found.values.tolist() == [1000.0, 1000.0]


def test_concurrency_ignores_the_tail() -> None:
    """Three requests over two lanes: two in flight while there is load, one while the last runs out."""
    found = table((0, 0.0, [1.0], 1.0), (0, 0.0, [2.0], 2.0), (0, 1.0, [9.0], 9.0))
    assert achieved_concurrency(found) == pytest.approx(2.0)


def test_requests_that_all_start_at_once_are_all_in_flight() -> None:
    assert achieved_concurrency(table(*[(0, 0.0, [3.0], 3.0 + lane) for lane in range(4)])) == pytest.approx(4.0)


def test_concurrency_by_blocks() -> None:
    found = table((0, 0.0, [1.0], 1.0), (0, 0.0, [1.0], 1.0), (1, 5.0, [6.0], 6.0), (1, 6.0, [7.0], 7.0))
    assert achieved_concurrency(found, np.array([0])) == pytest.approx(2.0)
    assert achieved_concurrency(found, np.array([1])) == pytest.approx(1.0)
    assert achieved_concurrency(table((0, 0.0, [], 0.0))) is None


def test_one_serving_cell_gives_every_request_metric(specimen: Any, collected: Callable[..., Any]) -> None:
    cells = [cell for cell in measured_cells(collected(specimen)) if cell.record.id == "serving"]
    assert [cell.cell.metric for cell in cells] == list(REQUEST_METRICS)
    assert {cell.cell.id for cell in cells} == {"serving.c2"}
    assert [cell.cell.phase for cell in cells] == [METRICS[metric].phase for metric in REQUEST_METRICS]


def test_cells_of_one_coordinate_share_their_rows(specimen: Any, collected: Callable[..., Any]) -> None:
    first = specimen.eval("serving")["cells"][0]
    specimen.eval("serving")["cells"].append({**first, "id": "serving.c2.ttft", "metric": "ttft_ms"})
    evidence = collected(specimen)
    cells = [cell for cell in measured_cells(evidence) if cell.record.id == "serving"]
    assert [(cell.cell.id, cell.cell.metric) for cell in cells] == [
        ("serving.c2", "e2e_ms"),
        ("serving.c2.ttft", "ttft_ms"),
    ]
    found = [series(evidence, cell, "baseline") for cell in cells]
    assert all(one is not None and len(one.values) == found[0].counted for one in found)
