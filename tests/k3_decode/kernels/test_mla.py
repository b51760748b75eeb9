"""Absorbed MLA against float64, over pages whose unused rows are NaN."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.kernels.mla_absorb import MlaAbsorb
from k3_decode.kernels.mla_core import MlaCore
from k3_decode.kernels.mla_value import MlaValue
from k3_decode.kernels.tactics import bucket, core_splits
from k3_decode.reference import mla

pytestmark = pytest.mark.gpu

ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)
LATENT, NOPE, SHARED, VALUE, PAGE = 512, 128, 64, 128, 48
SCALE = 192**-0.5


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("heads", [6, 12])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_absorbed_queries_equal_float64(library, device, close, rows, heads, distribution):
    generator = torch.Generator().manual_seed(rows)
    q = draw(distribution, rows, heads * (NOPE + SHARED), generator=generator).bfloat16().to(device)
    w_uk = draw("normal", heads, NOPE, LATENT, generator=generator).mul(LATENT**-0.5).bfloat16().to(device)
    query = torch.full((rows, heads, LATENT + SHARED), float("nan"), dtype=torch.bfloat16, device=device)
    library.kernel(MlaAbsorb(heads, LATENT, NOPE, SHARED))(w_uk.transpose(1, 2).contiguous(), q, query)
    close("kernel.product.bf16", query, mla.absorb_query(q.double().view(rows, heads, -1), w_uk.double()), distribution)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("heads", [6, 12])
@pytest.mark.parametrize("longest", [3, 64, 700, 5000])
def test_attention_equals_float64(library, device, close, rows, heads, longest):
    generator = torch.Generator().manual_seed(rows * 7 + longest)
    context = torch.randint(0, longest, (rows,), generator=generator)
    context[0] = longest - 1
    if rows > 2:
        context[1] = -1
    pages = -(-longest // PAGE)
    tables = (torch.randperm(rows * pages, generator=generator) + 1).view(rows, pages).int().to(device)
    cache = torch.full((rows * pages + 1, PAGE, LATENT + SHARED), float("nan"), dtype=torch.bfloat16, device=device)
    query = draw("normal", rows, heads, LATENT + SHARED, generator=generator).bfloat16().to(device)
    w_uv = draw("normal", heads, VALUE, LATENT, generator=generator).mul(LATENT**-0.5).bfloat16().to(device)
    gate = draw("normal", rows, heads * VALUE + 64, generator=generator).bfloat16().to(device)[:, 64:]
    expected = torch.zeros(rows, heads * VALUE, dtype=torch.float64, device=device)
    for row in range(rows):
        length = int(context[row]) + 1
        if not length:
            continue
        keys = draw("normal", length, LATENT + SHARED, generator=generator).bfloat16().to(device)
        flat = cache.view(-1, LATENT + SHARED)
        positions = torch.arange(length, device=device)
        flat[tables[row].long()[positions // PAGE] * PAGE + positions % PAGE] = keys
        mask = torch.ones(1, 1, length, dtype=torch.bool, device=device)
        latent, _ = mla.absorbed_attention(
            query[row].double().view(1, 1, heads, -1), keys.double().unsqueeze(0), mask, latent_dim=LATENT, scale=SCALE
        )
        value = mla.expand_value(latent.view(1, heads, LATENT), w_uv.double()).flatten()
        expected[row] = value * gate[row].double().sigmoid()
    splits = core_splits(bucket(rows))
    partial = torch.full((rows, heads, splits, LATENT), float("nan"), device=device)
    sums = torch.full((rows, heads, splits), float("nan"), device=device)
    out = torch.full((rows, heads * VALUE), float("nan"), dtype=torch.bfloat16, device=device)
    core, value = MlaCore(heads, LATENT, SHARED, splits, SCALE), MlaValue(heads, LATENT, VALUE, splits)
    library.kernel(core)(query, cache, tables, context.int().to(device), partial, sums)
    library.kernel(value)(w_uv, partial, sums, gate, out)
    close("kernel.mla", out, expected)
    again = out.clone()
    for _ in range(20):
        library.kernel(core)(query, cache, tables, context.int().to(device), partial, sums)
        library.kernel(value)(w_uv, partial, sums, gate, out)
        assert torch.equal(out, again)
