"""Row stages against float64."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.build.sets import CHECKED_RANKS
from k3_decode.kernels.rows import Activate, Embed, NormSitu
from k3_decode.reference.norm import rms_norm
from k3_decode.reference.situ import situ

pytestmark = pytest.mark.gpu

ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)


def poisoned(*shape):
    return torch.full(shape, float("nan"), dtype=torch.bfloat16, device="cuda")


def test_embedding_is_a_copy(library, device, seeded):
    generator = seeded(1)
    table = draw("normal", 1000, 7168, generator=generator).bfloat16()
    for rows in ROWS:
        ids = torch.randint(0, 1000, (rows,), generator=generator, device=device).int()
        out = poisoned(rows, 7168)
        library.kernel(Embed(7168))(table, ids, out)
        assert torch.equal(out, table[ids.long()]), rows


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_activation_equals_float64(library, device, close, share, seeded, ranks, distribution):
    generator, width = seeded(ranks), share(ranks).dense_size
    for rows in ROWS:
        halves = draw(distribution, rows, 2 * width, generator=generator)
        out = poisoned(rows, width)
        library.kernel(Activate(width))(halves, out)
        expected = situ(*halves.double().chunk(2, dim=-1), beta=4.0, linear_beta=25.0)
        close("kernel.normed", out, expected, distribution, f"rows {rows}")


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_joined_norm_and_activation_equal_float64(library, device, close, share, seeded, ranks, distribution):
    generator, shared = seeded(ranks), share(ranks).shared_size
    scale = draw("normal", 3584, generator=generator)
    for rows in ROWS:
        r, halves = (draw(distribution, rows, n, generator=generator) for n in (3584, 2 * shared + 132))
        out = poisoned(rows, 3584 + shared)
        own, where = halves[:, 100 : 100 + 2 * shared], f"rows {rows}"
        library.kernel(NormSitu(3584, shared))(r, own, scale, out)
        close("kernel.normed", out[:, :3584], rms_norm(r.double(), scale.double(), eps=1e-5), distribution, where)
        hidden = situ(*own.double().chunk(2, dim=-1), beta=4.0, linear_beta=25.0)
        close("kernel.normed", out[:, 3584:], hidden, distribution, where)
