"""``python -m k3_decode.bench report``: measured rows for people, and which of the aims they reach."""

import json
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from k3_decode.bench.gpu_timing import OURS, Row

RESULTS = pathlib.Path(__file__).resolve().parent / "results"

GEMV_BYTES = 22_000_000
"""Least weights of a product that is held to `GEMV_FRACTION`."""

GEMV_FRACTION = 0.9


@dataclass(frozen=True)
class Aim:
    """What one row is to reach.

    Attributes:
        name: Of the row.
        tp: Ranks whose share the shapes are.
        rows: Token rows.
        measure: ``us`` is at most, the others at least.
        bound: What to reach.
    """

    name: str
    tp: int
    rows: int
    measure: Literal["us", "tb_s", "ratio"]
    bound: float

    def found(self, row: Row) -> float | None:
        """Give the row's number; None where it has none."""
        match self.measure:
            case "us":
                return row["median_us"]
            case "tb_s":
                return row["bytes"] / row["median_us"] / 1e6
            case "ratio":
                return row["ratio_to_stock"]

    def reached(self, found: float) -> bool:
        """Tell whether a number is good enough."""
        return found <= self.bound if self.measure == "us" else found >= self.bound


def _layer(name: str, tp: int, *bounds: tuple[int, float, float]) -> list[Aim]:
    """Aims of a layer: rows, time, ratio to stock. Bounds count a sharded front."""
    full = f"{name}_moe_layer_sharded_front"
    times = [Aim(full, tp, rows, "us", time_us) for rows, time_us, _ in bounds]
    return times + [Aim(full, tp, rows, "ratio", ratio) for rows, _, ratio in bounds]


AIMS = (
    *_layer("kda", 16, (1, 36.0, 3.6), (8, 76.0, 2.7), (64, 260.0, 2.0)),
    *_layer("kda", 8, (1, 62.0, 2.3), (8, 140.0, 1.8), (64, 480.0, 1.5)),
    *_layer("mla", 16, (1, 42.0, 4.0)),
    Aim("routed_experts", 8, 1, "tb_s", 3.0),
    Aim("routed_experts", 8, 8, "tb_s", 3.4),
    Aim("routed_experts", 8, 64, "tb_s", 3.4),
    Aim("front_to_latent_norm", 8, 1, "us", 22.0),
    Aim("k3-rank-tp16_sharded_front", 16, 1, "us", 3600.0),
    Aim("kda_core", 8, 1, "us", 4.0),
    Aim("kda_core", 16, 1, "us", 3.5),
)


def aims(rows: Sequence[Row]) -> str:
    """Say for every aim whether the rows reach it, and by how much they miss; large products are aims of their own."""
    ours = {(row["name"], row["tp"], row["rows"]): row for row in rows if row["arm"] == OURS}
    lines = []
    for aim in AIMS:
        row = ours.get((aim.name, aim.tp, aim.rows))
        found = None if row is None else aim.found(row)
        lines.append(_line(f"{aim.name}, TP{aim.tp}, {aim.rows} rows", aim, found))
    for (name, tp, count), row in ours.items():
        if _is_large_product(row):
            aim = Aim(name, tp, count, "ratio", GEMV_FRACTION)
            label = f"{name}, TP{tp}, {count} rows, {row['bytes'] / 1e6:.0f} MB: fraction of the limit"
            lines.append(_line(label, aim, row["fraction_of_limit"]))
    return "\n".join(lines)


def _is_large_product(row: Row) -> bool:
    products = ("kda_in", "kda_out", "mla_in", "front_replicated", "dense_up", "dense_down", "head")
    return row["name"] in products and row["bytes"] >= GEMV_BYTES and row["rows"] <= 8


def _line(label: str, aim: Aim, found: float | None) -> str:
    sign = "<=" if aim.measure == "us" else ">="
    if found is None:
        return f"{label:76} {'-':>8} {sign} {aim.bound:<6} {aim.measure:5} not measured"
    share = found / aim.bound - 1
    verdict = "reached" if aim.reached(found) else f"missed by {abs(share):.0%}"
    return f"{label:76} {found:8.2f} {sign} {aim.bound:<6} {aim.measure:5} {verdict}"


def table(lines: Sequence[str]) -> str:
    """Lay JSON lines out for people: one measured row a line, then the aims.

    Args:
        lines: What `k3_decode.bench.measure` gave.
    """
    rows: list[Row] = [json.loads(line) for line in lines if line.strip()]
    head = f"{'kind':6} {'tp':>3} {'rows':>4} {'name':32} {'median us':>10} {'p10':>9} {'p90':>9} {'MB':>9} limit ratio"
    body = [
        f"{row['kind']:6} {row['tp']:3} {row['rows']:4} {row['name']:32} {row['median_us']:10.2f} "
        f"{_number(row['p10_us'], 9)} {_number(row['p90_us'], 9)} {row['bytes'] / 1e6:9.2f} "
        f"{_number(row['fraction_of_limit'], 5)} {_number(row['ratio_to_stock'], 5)} {row['arm']}"
        for row in rows
    ]
    notes = sorted({f"{row['gpu']}, driver {row['driver']}, {row['date']}, commit {row['commit']}" for row in rows})
    return "\n".join([head, *body, *notes, "", aims(rows)])


def _number(value: float | None, width: int) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:{width}.2f}"


def main(files: Sequence[pathlib.Path]) -> int:
    """Print sessions, all committed ones if none is named, the latest last; return 0, or 1 if there is none."""
    found = {file: file.read_text("utf-8").splitlines() for file in files or RESULTS.glob("*.jsonl")}
    for file, lines in sorted(found.items(), key=lambda each: (_begun(each[1]), each[0].name)):
        print(f"{file.name}\n{table(lines)}\n")
    return 0 if found else 1


def _begun(lines: Sequence[str]) -> str:
    """Give the date of the earliest row, as written."""
    return min((json.loads(line)["date"] for line in lines if line.strip()), default="")
