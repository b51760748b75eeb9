"""Matrix products that stream their weights, against float64: every product of a step, at the shapes of every rank."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.bench.kernel_cases import products
from k3_decode.build.sets import CHECKED_RANKS
from k3_decode.kernels.catalog import front_forms
from k3_decode.kernels.gemv import Gemv, Segment
from k3_decode.kernels.tactics import bucket, joint_tail, product, skinny, wide_tail
from k3_decode.reference.norm import rms_norm
from k3_decode.reference.situ import situ
from k3_decode.specialized.operators import StepOperators

pytestmark = pytest.mark.gpu

ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)
STAGES = ("kda_in", "kda_out", "mla_in", "mla_query", "mla_out", "front_replicated", "dense_up", "dense_down", "head")
CHUNK = 8192
"""Rows of weights that the reference widens to float64 at once."""


def run(library, operator, w, x, y, second=None, scale=None):
    """Call either form; returns ``y``."""
    if isinstance(operator, Gemv):
        scale = torch.ones(4, device=w.device) if scale is None else scale
        library.kernel(operator)(w, x, x if second is None else second, scale, y)
    else:
        library.kernel(operator)(w, x, y)
    return y


def poisoned(rows, outputs, out, device):
    dtype = torch.bfloat16 if out == "bf16" else torch.float32
    return torch.full((rows, outputs), float("nan"), dtype=dtype, device=device)


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("stage", STAGES)
def test_product_equals_float64(library, device, close, share, seeded, ranks, stage):
    config, generator = share(ranks), seeded(ranks)
    forms = {
        rows: (operator, outputs)
        for rows in ROWS
        for name, operator, outputs in products(StepOperators(config, bucket(rows)))
        if name == stage
    }
    folded = stage == "mla_query" and StepOperators(config, 1).mla_front is not None
    assert set(forms) == set(ROWS) - ({1} if folded else set())
    operator, outputs = forms[64]
    columns = int(operator.arguments[0].shape[1])
    w = draw("normal", outputs, columns, generator=generator).mul_(columns**-0.5).bfloat16()
    cases = [(rows, distribution) for rows in forms for distribution in DISTRIBUTIONS]
    inputs = [draw(distribution, rows, columns, generator=generator).bfloat16() for rows, distribution in cases]
    wide = torch.cat(inputs).double()
    expected = torch.cat([wide @ part.double().T for part in w.split(CHUNK)], dim=1)
    for (rows, distribution), x, truth in zip(cases, inputs, expected.split([x.shape[0] for x in inputs]), strict=True):
        operator, _ = forms[rows]
        out = operator.arguments[-1].dtype
        y = run(library, operator, w, x, poisoned(rows, outputs, out, device))
        close(f"kernel.product.{out}", y, truth, distribution, f"rows {rows}")


@pytest.mark.parametrize("rows", [1, 2, 3, 8, 33, 64])
def test_product_of_strided_rows_equals_that_of_packed_rows(library, device, seeded, rows):
    generator = seeded(rows)
    wide = draw("normal", rows, 1024, generator=generator).bfloat16()
    w = draw("normal", 7168, 768, generator=generator).bfloat16()
    operator = product(768, 7168, bucket(rows))
    y = poisoned(rows, 8000, "bf16", device)
    run(library, operator, w, wide[:, 128:896], y[:, :7168])
    packed = run(library, operator, w, wide[:, 128:896].contiguous(), poisoned(rows, 7168, "bf16", device))
    assert torch.equal(y[:, :7168], packed)
    assert y[:, 7168:].isnan().all(), "wrote outside its columns"


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_copied_input_and_paced_weights_give_the_bits_of_loaded_ones(library, device, close, seeded, distribution):
    generator = seeded(5)
    w = draw("normal", 2096, 7168, generator=generator).mul(7168**-0.5).bfloat16()
    x = draw(distribution, 1, 7296, generator=generator).bfloat16()[:, 64:7232]
    chosen, *others = (run(library, form, w, x, poisoned(1, 2096, "f32", device)) for form in front_forms())
    assert all(torch.equal(chosen, other) for other in others)
    close("kernel.product.f32", chosen, x.double() @ w.double().T, distribution)


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("rows", [1, 2])
def test_tail_equals_norm_and_activation_in_float64(library, device, close, share, seeded, ranks, rows):
    generator, shared = seeded(rows), share(ranks).shared_size
    w = draw("normal", 7168, 3584 + shared, generator=generator).mul((3584 + shared) ** -0.5).bfloat16()
    for distribution in DISTRIBUTIONS:
        r = draw(distribution, rows, 3584, generator=generator)
        both = draw(distribution, rows, 2 * shared, generator=generator)
        scale = draw("normal", 3584, generator=generator)
        operator = skinny((Segment("norm", 3584), Segment("situ", shared)), 7168, rows)
        y = run(library, operator, w, r, poisoned(rows, 7168, "bf16", device), both, scale)
        hidden = situ(*both.double().chunk(2, dim=-1), beta=4.0, linear_beta=25.0)
        x = torch.cat([rms_norm(r.double(), scale.double(), eps=1e-5), hidden], dim=-1)
        close("kernel.product.activated", y, x @ w.double().T, distribution)


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("rows", [1, 2])
def test_joint_tail_equals_both_products_in_float64(library, device, close, share, seeded, ranks, rows):
    generator, shared = seeded(rows), share(ranks).shared_size
    operator, outputs = joint_tail(3584, shared, rows), 7168 // ranks
    down = draw("normal", 7168, shared, generator=generator).mul(shared**-0.5).bfloat16()
    up = draw("normal", outputs, 3584, generator=generator).mul(3584**-0.5).bfloat16()
    for distribution in DISTRIBUTIONS:
        r = draw(distribution, rows, 3584, generator=generator)
        both = draw(distribution, rows, 2 * shared, generator=generator)
        scale = draw("normal", 3584, generator=generator)
        y, columns = poisoned(rows, 7168, "bf16", device), poisoned(rows, outputs, "bf16", device)
        library.kernel(operator)(down, up, both, r, scale, y, columns)
        hidden = situ(*both.double().chunk(2, dim=-1), beta=4.0, linear_beta=25.0)
        close("kernel.product.activated", y, hidden @ down.double().T, distribution)
        normed = rms_norm(r.double(), scale.double(), eps=1e-5)
        close("kernel.product.activated", columns, normed @ up.double().T, distribution)


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("rows", [3, 5, 8])
def test_wide_tail_equals_both_products_in_float64(library, device, close, share, seeded, ranks, rows):
    generator, shared, outputs = seeded(rows), share(ranks).shared_size, 7168 // ranks
    operator = wide_tail(3584, shared, rows)
    assert operator is not None
    down = draw("normal", 7168, shared, generator=generator).mul(shared**-0.5).bfloat16()
    up = draw("normal", outputs, 3584, generator=generator).mul(3584**-0.5).bfloat16()
    for distribution in DISTRIBUTIONS:
        x = draw(distribution, rows, 3584 + shared, generator=generator).bfloat16()
        y, columns = poisoned(rows, 7168, "bf16", device), poisoned(rows, outputs + 24, "bf16", device)
        library.kernel(operator)(down, up, x, y, columns[:, :outputs])
        latent, hidden = x.double().split([3584, shared], dim=-1)
        close("kernel.product.bf16", y, hidden @ down.double().T, distribution, "shared")
        close("kernel.product.bf16", columns[:, :outputs], latent @ up.double().T, distribution, "up")
        assert columns[:, outputs:].isnan().all(), "wrote outside its columns"
