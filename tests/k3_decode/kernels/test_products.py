"""Matrix products that stream their weights, against float64."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.kernels.gemv import Gemv, Segment
from k3_decode.kernels.tactics import bucket, product, skinny
from k3_decode.reference.norm import rms_norm
from k3_decode.reference.situ import situ

pytestmark = pytest.mark.gpu

ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)
SHAPES = [
    (7168, 3206, "bf16"),
    (7168, 5248, "f32"),
    (768, 7168, "bf16"),
    (1536, 1152, "bf16"),
    (2112, 7168, "bf16"),
    (384, 7168, "bf16"),
]


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


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(("columns", "outputs", "out"), SHAPES)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_product_equals_float64(library, device, close, rows, columns, outputs, out, distribution):
    generator = torch.Generator().manual_seed(rows * columns + outputs)
    x = draw(distribution, rows, columns, generator=generator).bfloat16().to(device)
    w = draw("normal", outputs, columns, generator=generator).mul(columns**-0.5).bfloat16().to(device)
    operator = product(columns, outputs, bucket(rows), out=out)
    if isinstance(operator, Gemv) and operator.rows != rows:
        pytest.fail("a skinny bucket serves exactly its rows")
    y = run(library, operator, w, x, poisoned(rows, outputs, out, device))
    close(f"kernel.product.{out}", y, x.double() @ w.double().T, distribution)


@pytest.mark.parametrize("rows", [1, 2, 3, 8, 33, 64])
def test_product_of_strided_rows_equals_that_of_packed_rows(library, device, rows):
    generator = torch.Generator().manual_seed(rows)
    wide = draw("normal", rows, 1024, generator=generator).bfloat16().to(device)
    w = draw("normal", 7168, 768, generator=generator).bfloat16().to(device)
    operator = product(768, 7168, bucket(rows))
    y = poisoned(rows, 8000, "bf16", device)
    run(library, operator, w, wide[:, 128:896], y[:, :7168])
    packed = run(library, operator, w, wide[:, 128:896].contiguous(), poisoned(rows, 7168, "bf16", device))
    assert torch.equal(y[:, :7168], packed)
    assert y[:, 7168:].isnan().all(), "wrote outside its columns"


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_tail_equals_norm_and_activation_in_float64(library, device, close, rows, distribution):
    generator = torch.Generator().manual_seed(rows)
    r = draw(distribution, rows, 3584, generator=generator).to(device)
    both = draw(distribution, rows, 768, generator=generator).to(device)
    scale = draw("normal", 3584, generator=generator).to(device)
    w = draw("normal", 7168, 3968, generator=generator).mul(3968**-0.5).bfloat16().to(device)
    operator = skinny((Segment("norm", 3584), Segment("situ", 384)), 7168, rows)
    y = run(library, operator, w, r, poisoned(rows, 7168, "bf16", device), both, scale)
    hidden = situ(*both.double().chunk(2, dim=-1), beta=4.0, linear_beta=25.0)
    x = torch.cat([rms_norm(r.double(), scale.double(), eps=1e-5), hidden], dim=-1)
    close("kernel.product.activated", y, x @ w.double().T, distribution)


@pytest.mark.parametrize("rows", [1, 2, 8, 64])
def test_repeats_are_bitwise_equal_and_a_graph_replays_them(library, device, rows):
    generator = torch.Generator().manual_seed(rows)
    x = draw("normal", rows, 7168, generator=generator).bfloat16().to(device)
    w = draw("normal", 3206, 7168, generator=generator).bfloat16().to(device)
    operator = product(7168, 3206, bucket(rows))
    first = run(library, operator, w, x, poisoned(rows, 3206, "bf16", device)).clone()
    for _ in range(100):
        assert torch.equal(run(library, operator, w, x, poisoned(rows, 3206, "bf16", device)), first)
    y, graph = poisoned(rows, 3206, "bf16", device), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run(library, operator, w, x, y)
    graph.replay()
    assert torch.equal(y, first)
