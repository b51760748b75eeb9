"""Committed measurements are complete, and print as a table."""

import json

import pytest

from k3_decode.bench.gpu_timing import Row
from k3_decode.bench.report import RESULTS, main, table

FILES = sorted(RESULTS.glob("*.jsonl"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_every_row_says_where_and_when_it_was_measured(file):
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        assert set(row) == set(Row.__annotations__)
        assert row["p10_us"] <= row["median_us"] <= row["p90_us"]
        assert 0 <= row["fraction_of_limit"] <= 1.05, "faster than the memory: the weights were not cold"
        assert row["n"] >= 20
        assert "H200" in row["gpu"]
        assert row["commit"]


def test_the_table_has_a_line_a_row(capsys):
    lines = FILES[0].read_text("utf-8").splitlines()
    assert len(table(lines).splitlines()) > len(lines)
    assert main([str(FILES[0])]) == 0
    assert FILES[0].name in capsys.readouterr().out
