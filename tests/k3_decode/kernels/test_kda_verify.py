"""KDA verification against the float64 reference: several steps, any number of tokens accepted after each."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.kernels.catalog import VERIFIED
from k3_decode.kernels.tactics import kda_verify
from k3_decode.reference import kda as reference
from k3_decode.reference.speculation import KdaConstants, StepInputs, commit, verify_with_record

pytestmark = pytest.mark.gpu

HEAD = 128
STEPS = 4


class Layer:
    """One layer's weights, and the projections of steps to come."""

    def __init__(self, heads, distribution, device, seed):
        self.heads, self.size, self.device, self.distribution = heads, heads * HEAD, device, distribution
        self.generator = torch.Generator(device=device).manual_seed(seed)
        self.f_b = self.make(self.size, HEAD, scale=HEAD**-0.5).bfloat16()
        self.conv_weight = self.make(3 * self.size, 4, scale=0.5)
        self.a_log, self.dt_bias = self.make(heads, scale=0.3), self.make(self.size) - 2.0
        self.o_norm = self.make(HEAD) + 1.0
        self.constants = KdaConstants(
            self.conv_weight.double(), self.a_log.double(), self.dt_bias.double().view(heads, HEAD), -5.0
        )

    def make(self, *shape, scale=1.0, kind="normal"):
        return draw(kind, *shape, generator=self.generator).mul(scale)

    def projections(self, rows):
        width = 4 * self.size + HEAD + self.heads
        wide = torch.full((rows, -(-width // 8) * 8), float("nan"), device=self.device)
        wide[:, :width] = self.make(rows, width, kind=self.distribution)
        return wide.bfloat16()[:, :width]

    def verify(self, x, state, window):
        """Run one request's step in float64; give gated outputs and the record."""
        x, size = x.double(), self.size
        raw = (x[:, 4 * size : 4 * size + HEAD] @ self.f_b.double().T).view(-1, self.heads, HEAD)
        inputs = StepInputs(x[:, : 3 * size], raw, x[:, 4 * size + HEAD :].sigmoid())
        o, record = verify_with_record(inputs, state, window, self.constants)
        gate = x[:, 3 * size : 4 * size].view(-1, self.heads, HEAD)
        return reference.gated_norm(o, gate, self.o_norm.double(), eps=1e-5).flatten(1), record


@pytest.mark.parametrize(("heads", "requests", "tokens"), VERIFIED)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_accepted_tokens_stay_and_rejected_ones_leave_no_trace(
    library, device, close, heads, requests, tokens, distribution
):
    layer = Layer(heads, distribution, device, seed=heads * 100 + tokens)
    kernel = library.kernel(kda_verify(heads, requests, tokens))
    slots = requests + 5
    order = (torch.randperm(slots - 1, generator=layer.generator, device=device)[:requests] + 1).tolist()
    fresh = [i % 2 == 0 for i in range(requests)]
    if requests > 2:
        order[1] = 0  # padding
    conv = layer.make(slots, 3 * layer.size, 3, kind=distribution).bfloat16()
    state = layer.make(slots, heads, HEAD, HEAD)
    inputs = torch.full((slots, tokens, 3 * layer.size), float("nan"), device=device).bfloat16()
    record = torch.full((slots, heads, tokens, 3, HEAD), float("nan"), device=device)
    live = [i for i in range(requests) if order[i] > 0]
    truth = {}
    for i in live:
        keep = 0.0 if fresh[i] else 1.0
        truth[i] = (state[order[i]].double() * keep, conv[order[i]].double() * keep, None)
    spare = [slot for slot in range(1, slots) if slot not in order]
    before = conv[spare].clone(), state[spare].clone()
    context = torch.tensor([0 if each else 9 for each in fresh])
    accepted = torch.zeros(requests, dtype=torch.int64)
    for step in range(STEPS):
        x = layer.projections(requests * tokens)
        out = torch.full((requests * tokens, layer.size), float("nan"), dtype=torch.bfloat16, device=device)
        kernel(
            x, layer.f_b, layer.conv_weight, layer.a_log, layer.dt_bias, layer.o_norm,
            torch.tensor(order).int().to(device), context.int().to(device), accepted.int().to(device),
            conv, state, inputs, record, out,
        )  # fmt: skip
        for i in range(requests):
            rows = slice(i * tokens, (i + 1) * tokens)
            if i not in live:
                assert (out[rows] == 0).all()
                continue
            old, window, pending = truth[i]
            if pending is not None:
                old, window = commit(old, pending, layer.constants, accepted=int(accepted[i]))
            expected, pending = layer.verify(x[rows], old, window)
            truth[i] = (old, window, pending)
            close("kernel.kda.out", out[rows], expected, distribution)
            close("kernel.kda.state", state[order[i]], old, distribution)
            assert torch.equal(conv[order[i]].double(), window), "windows are moved, not computed"
        lowest = 0 if step else 1
        accepted = torch.randint(lowest, tokens + 1, (requests,), generator=layer.generator, device=device).cpu()
        context = context + accepted
    assert torch.equal(conv[spare], before[0])
    assert torch.equal(state[spare], before[1])


def test_steps_repeat_bitwise(library, device):
    results = []
    for _ in range(3):
        layer = Layer(6, "normal", device, seed=5)
        kernel = library.kernel(kda_verify(6, 5, 3))
        conv, state = layer.make(6, 3 * layer.size, 3).bfloat16(), layer.make(6, 6, HEAD, HEAD)
        inputs = torch.zeros(6, 3, 3 * layer.size, device=device).bfloat16()
        record = torch.zeros(6, 6, 3, 3, HEAD, device=device)
        whole = torch.arange(1, 6, device=device).int()
        outs = []
        for _ in range(20):
            out = torch.empty(15, layer.size, dtype=torch.bfloat16, device=device)
            x = layer.projections(15)
            constants = (layer.f_b, layer.conv_weight, layer.a_log, layer.dt_bias, layer.o_norm)
            kernel(x, *constants, whole, whole, (whole % 4), conv, state, inputs, record, out)
            outs.append(out)
        results.append(torch.stack(outs))
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])
