"""Family M, continued: typed numbers against the raw rows."""

from collections.abc import Iterator

import numpy as np

from judge.accuracy import scores
from judge.evidence import Evidence
from judge.rules.record import Found, rule
from judge.series import MeasuredCell, achieved_concurrency, measured_cells, request_series, series, usable
from judge.tables import Floats, RequestTable
from judge.thresholds import DURATION_SLACK_S, SUMMARY_TOLERANCE
from worker.bundle.samples import SummaryRow
from worker.bundle.schema import Metric

_SHARES = {"median": 0.5, "p90": 0.9, "p99": 0.99}


@rule(
    "M-009",
    "error",
    "blocks",
    title="A typed number contradicts the raw rows",
    hint="Leave summaries out, or let the tool that wrote the rows write them.",
)
def summaries_agree(evidence: Evidence) -> Iterator[Found]:
    """Numbers are recomputed from raw rows; a summary that says something else was edited, or is about other rows."""
    cells = measured_cells(evidence)
    for row in evidence.summaries:
        mine = next((cell for cell in cells if row.cell in cell.rows), None)
        if mine is None:
            continue  # a cell that the manifest does not list is B-005's
        for recomputed in _recomputed(evidence, cells, row):
            nearest = min(recomputed, key=lambda value: abs(value - row.value))
            if abs(nearest - row.value) > SUMMARY_TOLERANCE * max(abs(nearest), abs(row.value)):
                yield Found(
                    f"{row.statistic} {row.metric}: the summary says {row.value:.6g}, the rows give {nearest:.6g}",
                    f"evals/{mine.record.id}/cells/{row.cell}/{row.arm}",
                    eval_id=mine.record.id,
                    cell=row.cell,
                    arm=row.arm,
                )


def _recomputed(evidence: Evidence, cells: tuple[MeasuredCell, ...], row: SummaryRow) -> Iterator[tuple[float, ...]]:
    """What the rows give for a typed number: each accepted definition of it; nothing where the rows do not tell."""
    mine = [cell for cell in cells if row.cell in cell.rows]
    table = evidence.requests.get((row.cell, row.arm))
    match row.metric:
        case "achieved_concurrency" | "completed" | "failed" | "duration_s":
            if table is not None and (found := _of_requests(table, row)):
                yield found
        case "score":
            cell = next((cell for cell in mine if cell.cell.metric == "score"), None)
            documents = scores(evidence, cell, row.arm) if cell else None
            if documents is not None and row.statistic == "mean" and np.isfinite(documents.score).any():
                yield (float(np.nanmean(documents.score)),)
        case "output_tokens_per_s" | "requests_per_s":
            if table is not None and usable(table).any():
                yield _rates(evidence, table, row)
        case "max_relative_error":
            cases = evidence.numerics.get((row.cell, row.arm), ())
            if cases and row.statistic == "total":
                yield (max(case.max_rel_error for case in cases),)
        case metric:
            if table is not None:
                values = request_series(table, metric).values
            else:
                cell = next((cell for cell in mine if cell.cell.metric == metric), None)
                found_series = series(evidence, cell, row.arm) if cell else None
                values = found_series.values if found_series else np.zeros(0)
            if len(values) and (found := _statistic(values, row)):
                yield found


def _statistic(values: Floats, row: SummaryRow) -> tuple[float, ...]:
    """A statistic by each usual definition: percentiles by interpolation, and by the sample below and above."""
    if row.statistic == "mean":
        return (float(values.mean()),)
    if row.statistic == "total":
        return (float(values.sum()),)
    share = _SHARES[row.statistic]
    return tuple(float(np.quantile(values, share, method=method)) for method in ("linear", "lower", "higher"))


def _rates(evidence: Evidence, table: RequestTable, row: SummaryRow) -> tuple[float, ...]:
    """Throughput over the whole series, over the duration that the same summary gives, and of the median block."""
    metric: Metric = "output_tokens_per_s" if row.metric == "output_tokens_per_s" else "requests_per_s"
    done = usable(table)
    amount = float(table.output_tokens[done].sum()) if metric == "output_tokens_per_s" else float(done.sum())
    typed_s = [
        one.value
        for one in evidence.summaries
        if (one.cell, one.arm, one.metric) == (row.cell, row.arm, "duration_s") and one.value > 0
    ]
    blocks = request_series(table, metric).values
    return (*(amount / length_s for length_s in (*_length_s(table), *typed_s)), *np.median(blocks, keepdims=True))


def _of_requests(table: RequestTable, row: SummaryRow) -> tuple[float, ...]:
    match row.metric:
        case "completed":
            return (float((~table.failed).sum()),)
        case "failed":
            return (float(table.failed.sum()),)
        case "duration_s":
            # A tool's own start and end lie outside the first and last request; a shorter time would flatter.
            return tuple(
                min(max(row.value, length_s), length_s + DURATION_SLACK_S + 0.05 * length_s)
                for length_s in _length_s(table)
            )
        case _:
            # By the time load was offered, and by Little's law over the whole series with its tail.
            window = achieved_concurrency(table)
            done = usable(table)
            busy_s = float((table.end_s - table.start_s)[done].sum())
            return (*(() if window is None else (window,)), *(busy_s / length_s for length_s in _length_s(table)))


def _length_s(table: RequestTable) -> tuple[float, ...]:
    """From the first start to the last end of any request; nothing without times."""
    known = np.isfinite(table.start_s) & np.isfinite(table.end_s)
    length_s = float(table.end_s[known].max() - table.start_s[known].min()) if known.any() else 0.0
    return (length_s,) if length_s > 0 else ()


RULES = (summaries_agree,)
