"""Row stages against float64."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.kernels.rows import Activate, Embed, MlaPrepare, NormSitu
from k3_decode.reference.norm import rms_norm
from k3_decode.reference.situ import situ

pytestmark = pytest.mark.gpu

ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)


@pytest.mark.parametrize("rows", ROWS)
def test_embedding_is_a_copy(library, device, rows):
    generator = torch.Generator().manual_seed(rows)
    table = draw("normal", 1000, 7168, generator=generator).bfloat16().to(device)
    ids = torch.randint(0, 1000, (rows,), generator=generator).int().to(device)
    out = torch.full((rows, 7168), float("nan"), dtype=torch.bfloat16, device=device)
    library.kernel(Embed(7168))(table, ids, out)
    assert torch.equal(out, table[ids.long()])


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_activation_equals_float64(library, device, close, rows, distribution):
    halves = draw(distribution, rows, 4224, generator=torch.Generator().manual_seed(rows)).to(device)
    out = torch.full((rows, 2112), float("nan"), dtype=torch.bfloat16, device=device)
    library.kernel(Activate(2112))(halves, out)
    close("kernel.normed", out, situ(*halves.double().chunk(2, dim=-1), beta=4.0, linear_beta=25.0), distribution)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_joined_norm_and_activation_equal_float64(library, device, close, rows, distribution):
    generator = torch.Generator().manual_seed(rows)
    r, halves = (draw(distribution, rows, n, generator=generator).to(device) for n in (3584, 900))
    scale = draw("normal", 3584, generator=generator).to(device)
    out = torch.full((rows, 3968), float("nan"), dtype=torch.bfloat16, device=device)
    library.kernel(NormSitu(3584, 384))(r, halves[:, 100:868], scale, out)
    close("kernel.normed", out[:, :3584], rms_norm(r.double(), scale.double(), eps=1e-5), distribution)
    hidden = situ(*halves[:, 100:868].double().chunk(2, dim=-1), beta=4.0, linear_beta=25.0)
    close("kernel.normed", out[:, 3584:], hidden, distribution)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_latent_norms_equal_float64_and_write_only_their_cache_rows(library, device, close, rows, distribution):
    generator = torch.Generator().manual_seed(rows)
    projected = draw(distribution, rows, 2880, generator=generator).bfloat16().to(device)
    query_scale, cache_scale = (draw("normal", n, generator=generator).to(device) for n in (1536, 512))
    places = torch.randperm(200, generator=generator)[:rows].int().to(device)
    if rows > 2:
        places[1] = -1
    normed = torch.full((rows, 1536), float("nan"), dtype=torch.bfloat16, device=device)
    cache = torch.full((200, 576), 7.0, dtype=torch.bfloat16, device=device)
    library.kernel(MlaPrepare(1536, 512, 64))(projected, query_scale, cache_scale, places, normed, cache)
    x = projected.double()
    close("kernel.normed", normed, rms_norm(x[:, :1536], query_scale.double(), eps=1e-5), distribution)
    live = places >= 0
    written = cache[places[live].long()]
    close("kernel.normed", written[:, :512], rms_norm(x[live, 1536:2048], cache_scale.double(), eps=1e-5), distribution)
    assert torch.equal(written[:, 512:], projected[live, 2048:2112])
    others = torch.ones(200, dtype=torch.bool, device=device)
    others[places[live].long()] = False
    assert (cache[others] == 7.0).all()
