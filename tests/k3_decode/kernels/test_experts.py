"""Routing and routed experts against float64, ties and NaN included."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.kernels.expert_units import ExpertDownUnits, ExpertSum
from k3_decode.kernels.experts import ExpertDown, ExpertUp
from k3_decode.kernels.packing import pack_down, pack_up
from k3_decode.kernels.route import RouteRank, RouteTable
from k3_decode.reference import mxfp4
from k3_decode.reference.situ import situ

pytestmark = pytest.mark.gpu

LATENT, WIDTH, EXPERTS, TOP = 3584, 192, 896, 16


def tables(rows, device):
    units = rows * TOP
    nothing = {"device": device, "dtype": torch.int32}
    return (
        torch.full((rows, TOP), -7, **nothing), torch.full((rows, TOP), float("nan"), device=device),
        torch.full((rows, TOP), -7, **nothing), torch.full((units,), 5, **nothing),
        torch.full((units, 8), 5, **nothing),
    )  # fmt: skip


def route(library, logits, bias, z):
    """Rank and group; give the experts' input and its inverse scales, then what `tables` lists."""
    rows = logits.shape[0]
    ids, _, places, unit_experts, unit_tokens = found = tables(rows, logits.device)
    scaled = torch.full((rows, LATENT // 2), -1, device=z.device, dtype=torch.int32)
    inverses = torch.full((rows,), float("nan"), device=z.device)
    library.kernel(RouteRank(LATENT, EXPERTS, TOP, single=rows == 1))(logits, bias, z, scaled, inverses, *found)
    if rows > 1:
        library.kernel(RouteTable(EXPERTS, TOP))(ids, places, unit_experts, unit_tokens)
    return scaled, inverses, *found


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64])
@pytest.mark.parametrize("kind", ["normal", "ties", "all-equal", "infinite", "not-a-number"])
def test_routing_picks_exactly_what_the_rule_says(library, device, close, rows, kind):
    generator = torch.Generator().manual_seed(rows)
    logits = draw("normal", rows, EXPERTS, generator=generator).to(device)
    bias = draw("normal", EXPERTS, generator=generator).mul(0.1).to(device)
    if kind == "ties":
        logits, bias = (logits * 2).round(), torch.zeros_like(bias)
    if kind == "all-equal":
        logits, bias = torch.zeros_like(logits), torch.zeros_like(bias)
    if kind == "infinite":
        logits[:, ::3], logits[:, 1::3] = float("inf"), float("-inf")
    if kind == "not-a-number":
        logits[:, ::2] = float("nan")
    z = draw("heavy-tailed", rows, LATENT, generator=generator).to(device)
    scaled, inverses, ids, weights, places, unit_experts, unit_tokens = route(library, logits, bias, z)
    assert torch.equal(inverses.log2(), inverses.log2().round()), "the scale is no power of two"
    again = scaled.view(torch.float16).double() * inverses.double().unsqueeze(-1)
    assert (again - z.double()).abs().max() <= 2.0**-11 * z.abs().max()
    assert (scaled.view(torch.float16).abs().amax(-1) >= 2.0**14).all()
    clean = logits.double().nan_to_num(nan=-float("inf"), posinf=float("inf"), neginf=-float("inf"))
    penalty = torch.where(logits.isnan(), -float("inf"), 0.0).double()
    scores = clean.sigmoid()
    ranked = (scores + bias.double() + penalty).sort(dim=-1, descending=True, stable=True)
    if kind == "normal":  # float32 and float64 may order scores closer than a rounding differently
        margin = (ranked.values[:, :TOP] - ranked.values[:, 1 : TOP + 1]).min(-1).values > 1e-6
        assert torch.equal(ids[margin].long(), ranked.indices[margin, :TOP])
    else:
        assert torch.equal(ids.long(), ranked.indices[:, :TOP])
    picked = scores.gather(1, ids.long())
    close("kernel.route", weights, picked / (picked.sum(-1, keepdim=True) + 1e-20))
    for row in range(rows):
        for k in range(TOP):
            place = int(places[row, k])
            assert int(unit_tokens[place // 8, place % 8]) == row
            assert int(unit_experts[place // 8]) == int(ids[row, k])
    used = int((unit_experts >= 0).sum())
    counts = ids.flatten().bincount(minlength=EXPERTS)
    assert used == int(((counts + 7) // 8).sum())
    assert rows == 1 or (unit_experts[:used].diff() >= 0).all()
    assert (unit_experts[used:] == -1).all()
    assert int((unit_tokens >= 0).sum()) == rows * TOP


@pytest.fixture(scope="module")
def experts(device):
    generator = torch.Generator(device=device).manual_seed(3)

    def codes(*shape, low=0, high=256):
        return torch.randint(low, high, shape, dtype=torch.uint8, generator=generator, device=device)

    w13, s13 = codes(EXPERTS, 2 * WIDTH, LATENT // 2), codes(EXPERTS, 2 * WIDTH, LATENT // 32, low=117, high=122)
    w2, s2 = codes(EXPERTS, LATENT, WIDTH // 2), codes(EXPERTS, LATENT, WIDTH // 32, low=119, high=124)
    return (w13, s13, w2, s2), pack_up(w13, s13), pack_down(w2, s2)


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64])
@pytest.mark.parametrize(("distribution", "skew"), [*((each, False) for each in DISTRIBUTIONS), ("normal", True)])
def test_experts_equal_float64(library, device, close, experts, rows, distribution, skew):
    raw, up, down = experts
    generator = torch.Generator().manual_seed(rows)
    z = draw(distribution, rows, LATENT, generator=generator).to(device)
    logits = draw("normal", rows, EXPERTS, generator=generator).to(device)
    if skew:
        logits[:, :TOP] += 20.0  # every token picks the same experts: units of eight
    bias = torch.zeros(EXPERTS, device=device)
    scaled, inverses, ids, weights, places, unit_experts, unit_tokens = route(library, logits, bias, z)
    columns = 1 if rows == 1 else 8
    hidden = torch.full((rows * TOP, 8, WIDTH), float("nan"), dtype=torch.bfloat16, device=device)
    library.kernel(ExpertUp(LATENT, WIDTH, columns))(*up, scaled, inverses, unit_experts, unit_tokens, hidden)
    out = torch.full((rows, LATENT), float("nan"), device=device)
    by_unit = out.clone()
    unit_rows = torch.full((rows * TOP, 8, LATENT), float("nan"), device=device)
    library.kernel(ExpertDownUnits(LATENT, WIDTH))(*down, hidden, unit_experts, unit_tokens, unit_rows)
    library.kernel(ExpertSum(LATENT, TOP))(unit_rows, weights, places, by_unit)
    library.kernel(ExpertDown(LATENT, WIDTH, TOP, TOP if rows == 1 else 4))(*down, hidden, ids, weights, places, out)
    total = torch.zeros(rows, LATENT, dtype=torch.float64, device=device)
    for row in range(rows):
        chosen = ids[row].long()
        w13 = mxfp4.dequantize(raw[0][chosen], raw[1][chosen], dtype=torch.float64)
        w2 = mxfp4.dequantize(raw[2][chosen], raw[3][chosen], dtype=torch.float64)
        gate, linear = (w13 @ z[row].double()).chunk(2, dim=-1)
        h = situ(gate, linear, beta=4.0, linear_beta=25.0)
        total[row] = (weights[row].double().unsqueeze(-1) * (w2 @ h.unsqueeze(-1)).squeeze(-1)).sum(0)
    close("kernel.experts", out, total, distribution)
    close("kernel.experts", by_unit, total, distribution)
