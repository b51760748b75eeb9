"""KDA decode against the float64 reference, states included."""

import dataclasses

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.build.sets import CHECKED_RANKS
from k3_decode.kernels.tactics import bucket, kda
from k3_decode.reference import kda as reference

pytestmark = pytest.mark.gpu

HEAD = 128
ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)


@dataclasses.dataclass
class Problem:
    projected: torch.Tensor
    f_b: torch.Tensor
    conv_weight: torch.Tensor
    a_log: torch.Tensor
    dt_bias: torch.Tensor
    o_norm: torch.Tensor
    slots: torch.Tensor
    context_lens: torch.Tensor
    conv: torch.Tensor
    state: torch.Tensor


def problem(heads, rows, distribution, device):
    generator = torch.Generator(device=device).manual_seed(heads * 100 + rows)
    size, slots = heads * HEAD, rows + 7

    def make(*shape, scale=1.0, kind="normal"):
        return draw(kind, *shape, generator=generator).mul(scale)

    order = torch.randperm(slots - 1, generator=generator, device=device)[:rows] + 1
    context = torch.randint(1, 9, (rows,), generator=generator, device=device)
    width = 4 * size + HEAD + heads
    wide = torch.full((rows, -(-width // 8) * 8), float("nan"), device=device)
    wide[:, :width] = make(rows, width, kind=distribution)
    if rows > 2:  # padding, of which nobody wrote anything
        order[1], order[2] = 0, -1
        wide[1], wide[2] = float("nan"), float("inf")
        context[0] = 0
    return Problem(
        wide.bfloat16()[:, :width], make(size, HEAD, scale=HEAD**-0.5).bfloat16(), make(3 * size, 4, scale=0.5),
        make(heads, scale=0.3), make(size) - 2.0, make(HEAD) + 1.0, order.int(), context.int(),
        make(slots, 3 * size, 3, kind=distribution).bfloat16(), make(slots, heads, HEAD, HEAD),
    )  # fmt: skip


def expected(p, heads):
    """The reference's formulas in float64; returns all outputs, and windows and states of live rows' slots."""
    size, rows = heads * HEAD, p.slots.shape[0]
    live = p.slots > 0
    slots = p.slots[live].long()
    kept = (p.context_lens[live] > 0).double()
    window = p.conv[slots].double() * kept.view(-1, 1, 1)
    old = p.state[slots].double() * kept.view(-1, 1, 1, 1)
    x = p.projected[live].double()
    mixed, window = reference.short_conv(x[:, None, : 3 * size], window, p.conv_weight.double())
    q, k, v = mixed.view(-1, 1, 3, heads, HEAD).unbind(2)
    q, k = reference.normalize_qk(q, k)
    raw = (x[:, 4 * size : 4 * size + HEAD] @ p.f_b.double().T).view(-1, 1, heads, HEAD)
    g = reference.log_decay(raw, a_log=p.a_log.double(), dt_bias=p.dt_bias.double().view(heads, HEAD), lower_bound=-5.0)
    o, new = reference.recurrent(q, k, v, g, x[:, None, 4 * size + HEAD :].sigmoid(), old)
    gate = x[:, 3 * size : 4 * size].view(-1, heads, HEAD)
    out = torch.zeros(rows, size, dtype=torch.float64, device=p.conv.device)
    out[live] = reference.gated_norm(o.view(-1, heads, HEAD), gate, p.o_norm.double(), eps=1e-5).flatten(1)
    return out, window, new


def run(library, p, heads, rows):
    out = torch.full((rows, heads * HEAD), float("nan"), dtype=torch.bfloat16, device=p.conv.device)
    library.kernel(kda(heads, bucket(rows)))(
        p.projected, p.f_b, p.conv_weight, p.a_log, p.dt_bias, p.o_norm, p.slots, p.context_lens, p.conv, p.state, out
    )
    return out


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_equals_float64_and_updates_only_its_slots(library, device, close, ranks, distribution):
    heads = 96 // ranks
    for rows in ROWS:
        p = problem(heads, rows, distribution, device)
        out_expected, conv_expected, state_expected = expected(p, heads)
        slots = p.slots[p.slots > 0].long()
        untouched = torch.ones(p.conv.shape[0], dtype=torch.bool, device=device)
        untouched[slots] = False
        before = p.conv[untouched].clone(), p.state[untouched].clone()
        out = run(library, p, heads, rows)
        close("kernel.kda.out", out, out_expected, distribution, f"rows {rows}")
        close("kernel.kda.state", p.state[slots], state_expected, distribution, f"rows {rows}")
        assert torch.equal(p.conv[slots].double(), conv_expected), "windows are moved, not computed"
        assert torch.equal(p.conv[untouched], before[0])
        assert torch.equal(p.state[untouched], before[1])


@pytest.mark.parametrize("rows", [1, 8, 64])
def test_fifty_steps_stay_close_and_repeat_bitwise(library, device, close, rows):
    heads, results = 6, []
    for _ in range(2):
        p = problem(heads, rows, "normal", device)
        results.append([run(library, p, heads, rows) for _ in range(50)][-1])
        final = p
    assert torch.equal(results[0], results[1])
    p = problem(heads, rows, "normal", device)
    slots = p.slots[p.slots > 0].long()
    for _ in range(50):
        _, conv, state = expected(p, heads)
        wide = p.state.double()
        wide[slots] = state
        p = dataclasses.replace(p, conv=p.conv.index_copy(0, slots, conv.bfloat16()), state=wide)
    close("kernel.kda.state", final.state[slots], p.state[slots])
