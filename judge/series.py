"""From raw rows to a metric's samples: one series of blocks for each cell, metric and arm.

Request rows of one cell are evidence for all six request metrics, so a serving cell gives several measured cells.
Cells of one eval that differ in nothing but id and metric share their rows: a row can name only one of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from judge.evidence import Evidence
from judge.metrics import METRICS, REQUEST_METRICS
from judge.tables import Flags, Floats, Integers, RequestTable
from worker.bundle.schema import ArmName, Cell, EvalRecord, Metric

MILLISECONDS = 1000.0


@dataclass(frozen=True, eq=False)
class Series:
    """Samples of one metric in one arm.

    Attributes:
        values: Samples, ``[n]``.
        block: Block of each sample, ``[n]``.
        counted: What sample floors are held against: requests for block rates, else the samples themselves.
        failed: Requests that ended in an error.
    """

    values: Floats
    block: Integers
    counted: int
    failed: int = 0

    def blocks(self, order: Integers) -> list[Floats]:
        """The samples block by block, for those blocks of ``order`` that have any."""
        parts = [self.values[self.block == index] for index in order]
        return [part for part in parts if len(part)]

    def only(self, kept: Integers) -> "Series":
        """The series without the blocks that are not in ``kept``."""
        mask = np.isin(self.block, kept)
        counted = int(mask.sum()) if self.counted == len(self.values) else self._share(int(mask.sum()))
        return Series(self.values[mask], self.block[mask], counted, self.failed)

    def _share(self, kept: int) -> int:
        return self.counted * kept // max(len(self.values), 1)


@dataclass(frozen=True)
class MeasuredCell:
    """A cell and a metric that its rows are evidence for.

    Attributes:
        record: The eval.
        cell: The manifest's cell with ``metric`` and ``phase`` set to what is measured.
        rows: Ids of the cells whose rows belong to it.
    """

    record: EvalRecord
    cell: Cell
    rows: tuple[str, ...]


def measured_cells(evidence: Evidence) -> tuple[MeasuredCell, ...]:
    """Every cell and metric the bundle could hold evidence for, in the manifest's order."""
    found = []
    for record in evidence.manifest.evals:
        if record.kind != "serving":
            found += [MeasuredCell(record, cell, (cell.id,)) for cell in record.cells]
            continue
        groups: dict[tuple[object, ...], list[Cell]] = {}
        for cell in record.cells:
            groups.setdefault(_coordinates(cell), []).append(cell)
        for cells in groups.values():
            rows = tuple(cell.id for cell in cells)
            named = {cell.metric: cell for cell in cells}
            wanted: Mapping[Metric, Cell] = named if len(cells) > 1 else dict.fromkeys(REQUEST_METRICS, cells[0])
            found += [MeasuredCell(record, _about(cell, metric), rows) for metric, cell in wanted.items()]
    return tuple(found)


def series(evidence: Evidence, cell: MeasuredCell, arm: ArmName) -> Series | None:
    """A cell's samples in one arm; None where no row of the arm bears on the metric.

    Accuracy and numerics cells are not series; see `judge.accuracy` and `judge.cells`.
    """
    if cell.cell.metric == "step_latency_us":
        tables = [evidence.steps[(row, arm)] for row in cell.rows if (row, arm) in evidence.steps]
        return _join([Series(table.latency_us, table.block, len(table.block)) for table in tables])
    found = [
        request_series(evidence.requests[(row, arm)], cell.cell.metric)
        for row in cell.rows
        if (row, arm) in evidence.requests
    ]
    return _join(found)


def request_series(table: RequestTable, metric: Metric) -> Series:
    """Samples of a request metric; failed requests are counted and left out.

    Args:
        table: Requests of one cell and arm.
        metric: One of `REQUEST_METRICS`.
    """
    values, owner = _request_values(table, metric)
    usable = np.isfinite(values) & ~table.failed[owner]
    failed = int(table.failed.sum())
    if METRICS[metric].sample == "block":
        return _rates(table, metric, failed)
    return Series(values[usable], table.block[owner][usable], int(usable.sum()), failed)


def first_and_last_s(table: RequestTable) -> tuple[Floats, Floats]:
    """Arrival of each request's first and last output, ``[n]`` each; NaN without any."""
    first, last = np.full(len(table.block), np.nan), np.full(len(table.block), np.nan)
    some = table.chunks > 0
    first[some] = table.token_times_s[table.token_offsets[:-1][some]]
    last[some] = table.token_times_s[table.token_offsets[1:][some] - 1]
    return first, last


def achieved_concurrency(table: RequestTable, blocks: Integers | None = None) -> float | None:
    """Requests in flight, averaged over the time in which load was still being offered.

    The window of a block runs from its first start to its last start, or to its first end if all start at once: the
    tail, in which the last requests run out, says nothing about the load.

    Args:
        table: Requests of one cell and arm.
        blocks: Only these; None: all.

    Returns:
        None if no request has both times.
    """
    known = np.isfinite(table.start_s) & np.isfinite(table.end_s) & (table.end_s > table.start_s)
    busy_s, window_s = 0.0, 0.0
    for index in np.unique(table.block) if blocks is None else blocks:
        mine = known & (table.block == index)
        if not mine.any():
            continue
        start, end = table.start_s[mine], table.end_s[mine]
        close = max(start.max(), end.min())
        window_s += float(close - start.min())
        busy_s += float(np.clip(np.minimum(end, close) - start, 0, None).sum())
    return busy_s / window_s if window_s > 0 else None


def _request_values(table: RequestTable, metric: Metric) -> tuple[Floats, Integers]:
    """Values of a metric and the request each belongs to."""
    first, last = first_and_last_s(table)
    each = np.arange(len(table.block))
    match metric:
        case "ttft_ms":
            return (first - table.start_s) * MILLISECONDS, each
        case "e2e_ms":
            return (table.end_s - table.start_s) * MILLISECONDS, each
        case "tpot_ms":
            gaps = np.where((table.output_tokens > 1) & (table.chunks > 1), table.output_tokens - 1, np.nan)
            return (last - first) / gaps * MILLISECONDS, each
        case "itl_ms":
            owner = np.repeat(each, table.chunks)
            within = owner[1:] == owner[:-1]
            return np.diff(table.token_times_s)[within] * MILLISECONDS, owner[1:][within]
        case _:
            return np.full(len(each), np.nan), each


def _rates(table: RequestTable, metric: Metric, failed: int) -> Series:
    done = usable(table)
    blocks, values = [], []
    for index in np.unique(table.block[done]):
        mine = done & (table.block == index)
        length_s = float(table.end_s[mine].max() - table.start_s[mine].min())
        amount = float(table.output_tokens[mine].sum()) if metric == "output_tokens_per_s" else float(mine.sum())
        if length_s > 0 and amount > 0:
            blocks.append(index)
            values.append(amount / length_s)
    return Series(np.array(values), np.array(blocks, dtype=np.int64), int(done.sum()), failed)


def _join(found: list[Series]) -> Series | None:
    if not found:
        return None
    return Series(
        np.concatenate([one.values for one in found]),
        np.concatenate([one.block for one in found]),
        sum(one.counted for one in found),
        sum(one.failed for one in found),
    )


def _coordinates(cell: Cell) -> tuple[object, ...]:
    ignored = {"id", "metric", "phase", "arms"}
    return tuple(repr(getattr(cell, name)) for name in Cell.model_fields if name not in ignored)


def _about(cell: Cell, metric: Metric) -> Cell:
    phase = METRICS[metric].phase
    return cell.model_copy(update={"metric": metric, "phase": phase if phase else cell.phase})


def usable(table: RequestTable) -> Flags:
    """Requests that ended well and have both times, ``[n]``."""
    return ~table.failed & np.isfinite(table.start_s) & np.isfinite(table.end_s)
