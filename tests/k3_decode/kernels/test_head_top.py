"""The largest logits of a row, against a stable sort."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.build.sets import CHECKED_RANKS
from k3_decode.kernels.head_top import PARTS, HeadTop

pytestmark = pytest.mark.gpu

ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)


def top(library, logits, count):
    rows, device = logits.shape[0], logits.device
    partial = torch.full((rows, PARTS, 2, count), -7, dtype=torch.int32, device=device)
    counters = torch.zeros(rows, dtype=torch.int32, device=device)
    values = torch.full((rows, count), float("nan"), device=device)
    ids = torch.full((rows, count), -7, dtype=torch.int32, device=device)
    library.kernel(HeadTop(count))(logits, partial, counters, values, ids)
    assert (counters == 0).all(), "the next launch finds other counters"
    return values, ids.long()


def expected(logits, count):
    ranked = logits.sort(dim=-1, descending=True, stable=True)
    return ranked.values[:, :count], ranked.indices[:, :count]


@pytest.mark.parametrize("count", [1, 8])
@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("kind", [*DISTRIBUTIONS, "ties", "all-equal", "infinite"])
def test_ranks_as_a_stable_sort_does(library, seeded, ranks, kind, count):
    generator = seeded(ranks)
    for rows in ROWS:
        logits = draw(kind if kind in DISTRIBUTIONS else "normal", rows, 163_840 // ranks, generator=generator)
        if kind == "ties":
            logits = (logits * 2).round()
        if kind == "all-equal":
            logits = torch.zeros_like(logits)
            logits[:, ::2] = -0.0
        if kind == "infinite":
            logits[:, ::3], logits[:, 1::3] = float("-inf"), float("inf")
        values, ids = top(library, logits, count)
        truth = expected(logits, count)
        assert torch.equal(ids, truth[1]), rows
        assert torch.equal(values, truth[0]), rows


@pytest.mark.parametrize("width", [8, 9, 255, 257, 4097])
def test_narrow_rows_have_a_top_too(library, seeded, width):
    logits = draw("normal", 5, width, generator=seeded(width))
    values, ids = top(library, logits, 8)
    truth = expected(logits, 8)
    assert torch.equal(ids, truth[1])
    assert torch.equal(values, truth[0])


def test_what_is_not_a_number_comes_last(library, seeded):
    logits = draw("normal", 3, 1000, generator=seeded(1))
    logits[:, ::2] = float("nan")
    _, ids = top(library, logits, 8)
    assert torch.equal(ids, expected(logits.nan_to_num(nan=-torch.inf), 8)[1])
