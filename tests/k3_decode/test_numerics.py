import pytest
import torch

from k3_decode.errors import ArgumentError
from k3_decode.numerics import TOLERANCES, UNBOUNDED, ErrorSize, error_size, tolerance


@pytest.mark.parametrize(
    ("got", "expected", "size"),
    [
        ([1.0, 2.0], [1.0, 2.0], ErrorSize(0.0, 0.0)),
        ([1.5, 4.0], [1.0, 4.0], ErrorSize(0.5, 0.125)),
        ([0.0, 0.0], [0.0, 0.0], ErrorSize(0.0, 0.0)),
        ([float("nan"), 1.0], [1.0, 1.0], ErrorSize(UNBOUNDED, UNBOUNDED)),
        ([float("inf"), 1.0], [float("inf"), 1.0], ErrorSize(UNBOUNDED, UNBOUNDED)),
        ([1e308, 1.0], [0.0, 0.0], ErrorSize(1e308, UNBOUNDED)),
    ],
)
def test_error_sizes(got, expected, size):
    wide = [torch.tensor(each, dtype=torch.float64) for each in (got, expected)]
    assert error_size(*wide) == size


def test_what_float32_cannot_hold_is_no_error():
    assert error_size(torch.zeros(2), torch.full((2,), 1e-60, dtype=torch.float64)).max_rel < 1e-20


def test_float32_is_compared_in_float64():
    expected = torch.tensor([1.0 + 2**-30], dtype=torch.float64)
    assert error_size(torch.ones(1), expected).max_abs == 2**-30


@pytest.mark.parametrize("got", [torch.zeros(2), torch.zeros(1, 3)])
def test_shapes_must_agree(got):
    with pytest.raises(ArgumentError, match="shape"):
        error_size(got, torch.zeros(3))


def test_nothing_compared_is_not_agreement():
    with pytest.raises(ArgumentError, match="at least one"):
        error_size(torch.zeros(0), torch.zeros(0))


def test_a_distribution_may_have_a_row_of_its_own():
    assert tolerance("mla.absorbed", "normal") is TOLERANCES["mla.absorbed"]
    assert tolerance("mla.absorbed", "large-offset") is TOLERANCES["mla.absorbed/large-offset"]


def test_an_operator_without_a_row_is_refused():
    with pytest.raises(ArgumentError, match="one of"):
        tolerance("softmax", "normal")


def test_every_row_says_why():
    assert all(len(row.reason) > 20 and row.max_rel_error >= 0 for row in TOLERANCES.values())
