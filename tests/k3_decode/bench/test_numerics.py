import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from k3_decode.bench.__main__ import main
from k3_decode.bench.case import Case
from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.bench.numerics import REPEATS, run_case, table
from k3_decode.numerics import TOLERANCES, UNBOUNDED


def case(compute, expected=lambda: torch.ones(3, dtype=torch.float64), operator: str = "rms_norm") -> Case:
    return Case(operator, "made up", "n=3", "normal", compute, expected)


@pytest.fixture(scope="module")
def results():
    ended = subprocess.run(
        [sys.executable, "-m", "k3_decode.bench", "numerics", "--json"], capture_output=True, text=True, timeout=120
    )
    assert ended.stderr == ""
    return ended.returncode, json.loads(ended.stdout)["cases"]


def test_every_case_is_within_its_tolerance(results):
    status, cases = results
    assert [each for each in cases if not each["passed"]] == []
    assert status == 0
    assert all(each["bitwise_repeatable"] and each["repeats"] == REPEATS for each in cases)


def test_every_row_of_the_reference_is_used(results):
    rows = {row for row in TOLERANCES if not row.startswith("kernel.")}
    used = {each["operator"] for each in results[1]}
    own = {f"{each['operator']}/{each['distribution']}" for each in results[1]}
    assert {row.split("/")[0] for row in rows} == used
    assert {row for row in rows if "/" in row} <= own


def test_every_row_of_the_kernels_is_named_by_a_test_of_theirs():
    """Those tests need a GPU, so here it can only be seen that they ask for the row."""
    tests = Path(__file__).parents[1]
    texts = [path.read_text() for folder in ("kernels", "specialized") for path in (tests / folder).rglob("*.py")]
    asked = set(re.findall(r"kernel\.[a-z0-9_.{}]+", "\n".join(texts)))
    patterns = [re.compile(re.sub(r"\\{[a-z]+\\}", "[a-z0-9]+", re.escape(name)) + r"\Z") for name in asked]
    rows = {row.split("/")[0] for row in TOLERANCES if row.startswith("kernel.")}
    assert rows
    assert {row for row in rows if not any(pattern.match(row) for pattern in patterns)} == set()


def test_every_operator_of_the_layers_sees_every_distribution(results):
    seen = {(each["operator"], each["distribution"]) for each in results[1]}
    for operator in ("rms_norm", "situ", "kda.chunked", "kda.recurrent", "mla.absorbed", "moe.routed_experts"):
        assert {name for found, name in seen if found == operator} == set(DISTRIBUTIONS)


def test_no_case_compares_with_nothing(results):
    """A case whose numbers were all zero would pass whatever the operator did."""
    exact = [each for each in results[1] if each["max_abs_error"] == 0 and each["distribution"] == "normal"]
    assert {each["operator"] for each in exact} <= {"attention_residual"}  # one source is returned as it is


@pytest.mark.parametrize(
    "compute",
    [
        lambda: torch.tensor([1.0, 1.0, 1.0 + 1e-4]),
        lambda: torch.zeros(3),
        lambda: torch.tensor([1.0, float("nan"), 1.0]),
    ],
)
def test_a_wrong_operator_fails(compute):
    assert not run_case(case(compute))["passed"]


def test_an_error_that_is_no_number_is_still_json():
    result = run_case(case(lambda: torch.full((3,), torch.inf)))
    assert result["max_rel_error"] == UNBOUNDED
    assert json.loads(json.dumps(result, allow_nan=False))["passed"] is False


def test_the_worst_repeat_counts_and_unequal_bits_show():
    values = iter([0.0, 0.0, 1e-3])
    result = run_case(case(lambda: torch.ones(3) + next(values)))
    assert result["max_rel_error"] == pytest.approx(1e-3, rel=1e-3)
    assert not result["bitwise_repeatable"]
    assert not result["passed"]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_inputs_are_finite_seeded_and_not_all_zero(distribution):
    first, second = (draw(distribution, 64, 32, generator=torch.Generator().manual_seed(1)) for _ in range(2))
    assert first.dtype == torch.float32
    assert torch.equal(first, second)
    assert torch.isfinite(first).all()
    assert (first != 0).any()


def test_partly_zero_has_empty_rows():
    rows = draw("partly-zero", 6, 8, generator=torch.Generator().manual_seed(0))
    assert not rows[::2].any()
    assert rows[1::2].any()


def test_the_table_names_what_failed():
    good, bad = run_case(case(lambda: torch.ones(3))), run_case(case(lambda: torch.zeros(3)))
    lines = table([good, bad]).splitlines()
    assert [line.split()[0] for line in lines] == ["ok", "FAIL", "1"]
    assert "rms_norm / made up / n=3 / normal" in lines[1]
    assert lines[2] == "1 of 2 cases within tolerance"


@pytest.mark.parametrize("arguments", [["--help"], ["session", "--help"], ["numerics", "--help"]])
def test_help_says_what_to_do(arguments, capsys):
    with pytest.raises(SystemExit) as leaving:
        main(arguments)
    assert leaving.value.code == 0
    assert "usage: python -m k3_decode.bench" in capsys.readouterr().out
