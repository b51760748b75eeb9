"""Committed measurements are complete, and print as a table with the aims they reach."""

import json
import pathlib

import pytest

from k3_decode.bench.__main__ import main
from k3_decode.bench.gpu_timing import OURS, Row
from k3_decode.bench.report import AIMS, RESULTS, aims, table

FILES = sorted(RESULTS.glob("*.jsonl"))


def row(**changes) -> Row:
    found: Row = {
        "kind": "kernel", "name": "routed_experts", "tp": 8, "rows": 1, "q": 1, "arm": OURS, "median_us": 10.0,
        "p10_us": 9.0, "p90_us": 11.0, "n": 40, "bytes": 35_000_000, "limit_tb_s": 4.5, "fraction_of_limit": 0.78,
        "ratio_to_stock": 2.7, "gpu": "NVIDIA H200", "driver": "580", "clocks": "1980 MHz", "date": "2026-11-29",
        "commit": "abc",
    }  # fmt: skip
    found.update(changes)
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_every_row_says_where_and_when_it_was_measured(file):
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        assert set(row) == set(Row.__annotations__)
        if row["arm"] == OURS:
            assert row["p10_us"] <= row["median_us"] <= row["p90_us"]
            assert row["n"] >= 20
        assert (row["limit_tb_s"] is None) == (row["fraction_of_limit"] is None)
        assert 0 <= (row["fraction_of_limit"] or 0) <= 1.05, "faster than the memory: the weights were not cold"
        assert "H200" in row["gpu"]
        assert row["commit"]


def test_the_table_has_a_line_a_row(capsys):
    lines = FILES[0].read_text("utf-8").splitlines()
    assert len(table(lines).splitlines()) > len(lines)
    assert main(["report", str(FILES[0])]) == 0
    assert FILES[0].name in capsys.readouterr().out


def test_the_latest_session_comes_last(tmp_path, capsys):
    for name, date in (("a", "2026-11-30T09:21Z"), ("b", "2026-11-29T23:01Z"), ("c", "2026-11-30T02:36Z")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row(date=date)) + "\n")
    assert main(["report", *(str(tmp_path / f"{name}.jsonl") for name in "abc")]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if line.endswith(".jsonl")] == [
        "b.jsonl", "c.jsonl", "a.jsonl",
    ]  # fmt: skip


def test_an_aim_is_reached_missed_or_not_measured():
    said = aims([row(), row(rows=8, median_us=100.0, bytes=263_000_000), row(name="kda_core", median_us=4.4)])
    by_name = {" ".join(line[:76].split()): line for line in said.splitlines()}
    assert "3.50 >= 3.0    tb_s  reached" in by_name["routed_experts, TP8, 1 rows"]
    assert "2.63 >= 3.4    tb_s  missed by 23%" in by_name["routed_experts, TP8, 8 rows"]
    assert by_name["routed_experts, TP8, 64 rows"].endswith("not measured")
    assert by_name["kda_core, TP8, 1 rows"].endswith("missed by 10%")
    assert len(said.splitlines()) == len(AIMS)


def test_large_products_are_held_to_a_fraction_of_the_limit():
    said = aims([row(name="kda_in", bytes=90_000_000, fraction_of_limit=0.95), row(name="kda_out", bytes=11_000_000)])
    assert "kda_in, TP8, 1 rows, 90 MB" in said
    assert "kda_out" not in said


def test_another_arm_counts_for_no_aim():
    assert aims([row(arm="vLLM")]).count("not measured") == len(AIMS)


def test_without_a_session_the_report_fails(tmp_path):
    with pytest.raises(FileNotFoundError):
        main(["report", str(pathlib.Path(tmp_path / "absent.jsonl"))])
