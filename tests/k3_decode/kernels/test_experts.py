"""Routing and routed experts against float64, ties and NaN included."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.build.sets import CHECKED_RANKS
from k3_decode.kernels.catalog import ACTS
from k3_decode.kernels.expert_down import ExpertDown
from k3_decode.kernels.expert_units import ExpertDownUnits, ExpertSum
from k3_decode.kernels.expert_up import ExpertUp
from k3_decode.kernels.packing import pack_down, pack_up
from k3_decode.kernels.route import RouteRank
from k3_decode.kernels.route_row import RouteRow
from k3_decode.kernels.route_table import RouteTable
from k3_decode.kernels.tactics import expert_down_row, expert_up_row
from k3_decode.reference import mxfp4, mxfp8
from k3_decode.reference.situ import situ

pytestmark = pytest.mark.gpu

LATENT, EXPERTS, TOP = 3584, 896, 16
ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)
MOST = max(ROWS)
DRAWN = {1: 48, 2: 96, 4: 192, 8: 896, 16: 896, 32: 896}
"""Experts that have weights, by ranks: routing never picks others, so that wide experts fit and are checked fast."""


def tables(rows, device):
    units = rows * TOP
    nothing = {"device": device, "dtype": torch.int32}
    return (
        torch.full((rows, TOP), -7, **nothing), torch.full((rows, TOP), float("nan"), device=device),
        torch.full((rows, TOP), -7, **nothing), torch.full((units,), 5, **nothing),
        torch.full((units, 8), 5, **nothing),
    )  # fmt: skip


def route(library, logits, bias, z, act="bf16"):
    """Rank and group, or rank the only row; give the experts' input and its scales, then what `tables` lists."""
    rows = logits.shape[0]
    ids, weights, places, unit_experts, unit_tokens = found = tables(rows, logits.device)
    words, scales = ((LATENT // 2,), ()) if act == "bf16" else ((LATENT // 4,), (LATENT // mxfp8.BLOCK,))
    scaled = torch.full((rows, *words), -1, device=z.device, dtype=torch.int32)
    inverses = torch.full((rows, *scales), float("nan"), device=z.device)
    library.kernel(RouteRank(LATENT, EXPERTS, TOP, act=act))(logits, bias, z, scaled, inverses, ids, weights)
    library.kernel(RouteTable(EXPERTS, TOP))(ids, places, unit_experts, unit_tokens)
    return scaled, inverses, *found


def route_one(library, logits, bias):
    """Rank one row by itself; give ids, weights and places."""
    found = tables(1, logits.device)[:3]
    library.kernel(RouteRow(EXPERTS, TOP))(logits, bias, *found)
    return found


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("kind", ["normal", "ties", "all-equal", "infinite", "not-a-number", "one-set"])
def test_routing_picks_exactly_what_the_rule_says(library, device, close, seeded, rows, kind):
    generator = seeded(rows)
    logits = draw("normal", rows, EXPERTS, generator=generator)
    bias = draw("normal", EXPERTS, generator=generator).mul(0.1)
    if kind == "ties":
        logits, bias = (logits * 2).round(), torch.zeros_like(bias)
    if kind == "all-equal":
        logits, bias = torch.zeros_like(logits), torch.zeros_like(bias)
    if kind == "infinite":
        logits[:, ::3], logits[:, 1::3] = float("inf"), float("-inf")
    if kind == "not-a-number":
        logits[:, ::2] = float("nan")
    if kind == "one-set":  # the best experts are neighbours, so that few of the rest can be left out
        logits[:, :24] += 20.0
    z = draw("heavy-tailed", rows, LATENT, generator=generator)
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
    at = places.long()
    assert (unit_tokens[at // 8, at % 8] == torch.arange(rows, device=device).unsqueeze(1)).all()
    assert torch.equal(unit_experts[at // 8], ids)
    used = int((unit_experts >= 0).sum())
    counts = ids.flatten().bincount(minlength=EXPERTS)
    assert used == int(((counts + 7) // 8).sum())
    assert rows == 1 or (unit_experts[:used].diff() >= 0).all()
    assert (unit_experts[used:] == -1).all()
    assert int((unit_tokens >= 0).sum()) == rows * TOP
    for row in range(rows):
        one_ids, one_weights, one_places = route_one(library, logits[row : row + 1], bias)
        assert torch.equal(one_ids[0], ids[row])
        assert torch.equal(one_weights[0], weights[row])
        assert torch.equal(one_places[0], 8 * torch.arange(TOP, dtype=torch.int32, device=device))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_latent_is_rounded_to_mxfp8_as_the_reference_rounds_it(library, device, seeded, distribution):
    generator = seeded(7)
    z = draw(distribution, MOST, LATENT, generator=generator)
    z[0, :64], z[1, 32:64] = 448.0 * 2.0**-20, 450.0
    scores, bias = draw("normal", MOST, EXPERTS, generator=generator), torch.zeros(EXPERTS, device=device)
    for rows in (1, 2, MOST):
        codes, scales, *_ = route(library, scores[:rows], bias, z[:rows].contiguous(), "mxfp8")
        values = codes.view(torch.float8_e4m3fn).double().view(rows, -1, mxfp8.BLOCK)
        expected = mxfp8.round_trip(z[:rows].bfloat16().double())
        got = (values * scales.double().unsqueeze(-1)).flatten(1)
        # The least scale is one above the reference's, for numbers that float32 holds as subnormals.
        assert ((got - expected).abs() <= 2.0**-126 * 2.0**-10).all()
        exponents = mxfp8.block_exponent(z[:rows].bfloat16().double().view(rows, -1, mxfp8.BLOCK).abs().amax(-1))
        assert torch.equal(scales.log2() + 127, exponents.clamp(min=1).float())


def weights_of(ranks, width, seeded, act):
    """Draw experts; give their codes and scales, and both halves as the kernels read them."""
    generator, count = seeded(3), DRAWN[ranks]

    def codes(*shape, low=0, high=256):
        return torch.randint(low, high, shape, dtype=torch.uint8, generator=generator, device=generator.device)

    w13, s13 = codes(count, 2 * width, LATENT // 2), codes(count, 2 * width, LATENT // 32, low=117, high=122)
    w2, s2 = codes(count, LATENT, width // 2), codes(count, LATENT, width // 32, low=119, high=124)
    return (w13, s13, w2, s2), pack_up(w13, s13, act), pack_down(w2, s2, act)


def truth(raw, ids, weights, z, act):
    """The weighted sum of each token's experts in float64, one expert after another, rounded to MXFP8 where asked."""
    w13, s13, w2, s2 = raw
    if act == "mxfp8":
        z = mxfp8.round_trip(z.bfloat16().double())
    total, picked = torch.zeros(z.shape, dtype=torch.float64, device=z.device), ids.cpu()
    for expert in picked.unique().tolist():
        tokens, places = (each.to(z.device) for each in (picked == expert).nonzero(as_tuple=True))
        one = slice(expert, expert + 1)
        up = mxfp4.dequantize(w13[one], s13[one], dtype=torch.float64)[0]
        gate, linear = (z[tokens].double() @ up.T).chunk(2, dim=-1)
        down = mxfp4.dequantize(w2[one], s2[one], dtype=torch.float64)[0]
        hidden = situ(gate, linear, beta=4.0, linear_beta=25.0)
        out = (mxfp8.round_trip(hidden) if act == "mxfp8" else hidden) @ down.T
        total[tokens] += weights[tokens, places].double().unsqueeze(-1) * out
    return total


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("ranks", CHECKED_RANKS)
def test_experts_equal_float64(library, device, close, share, seeded, ranks, act):
    width, generator = share(ranks).expert_size, seeded(ranks)
    raw, up, down = weights_of(ranks, width, seeded, act)
    row = "kernel.experts" if act == "bf16" else f"kernel.experts.{act}"
    bias = torch.zeros(EXPERTS, device=device)
    kinds = [*((each, False) for each in DISTRIBUTIONS), ("normal", True)]
    pools = []
    for distribution, skew in kinds:
        every = draw(distribution, MOST, LATENT, generator=generator)
        scores = draw("normal", MOST, EXPERTS, generator=generator)
        scores[:, DRAWN[ranks] :] = float("-inf")
        if skew:
            scores[:, :TOP] += 20.0  # every token picks the same experts: units of eight
        _, _, picks, shares, *_ = route(library, scores, bias, every, act)
        pools.append((every, scores, picks, shares))
    joined = [torch.cat([pool[i] for pool in pools]) for i in (2, 3, 0)]
    truths = truth(raw, *joined, act).split(MOST)
    for (distribution, skew), (every, scores, picks, _), expected in zip(kinds, pools, truths, strict=True):
        for rows in ROWS:
            first = int(torch.randint(0, MOST - rows + 1, (), generator=generator, device=device))
            own = slice(first, first + rows)
            routed = route(library, scores[own], bias, every[own].contiguous(), act)
            assert torch.equal(routed[2], picks[own]), "a row's choice depends on the rows beside it"
            every_form = outputs(library, width, up, down, routed, rows, act)
            if rows == 1:
                alone = route_one(library, scores[own], bias)
                every_form = *every_form, output_of_one(library, width, up, down, every[own], alone, act)
            for out in every_form:
                close(row, out, expected[own], distribution, f"rows {rows} skew {skew}")


def outputs(library, width, up, down, routed, rows, act):
    """Run the experts on poisoned memory; give the sums of both forms of the second half."""
    scaled, inverses, ids, weights, places, unit_experts, unit_tokens = routed
    device = ids.device
    hidden = torch.full((rows * TOP, 8, width), float("nan"), dtype=torch.bfloat16, device=device)
    library.kernel(ExpertUp(LATENT, width, act=act))(*up, scaled, inverses, unit_experts, unit_tokens, hidden)
    by_row, by_unit = (torch.full((rows, LATENT), float("nan"), device=device) for _ in range(2))
    unit_rows = torch.full((rows * TOP, 8, LATENT), float("nan"), device=device)
    library.kernel(ExpertDownUnits(LATENT, width, act))(*down, hidden, unit_experts, unit_tokens, unit_rows)
    library.kernel(ExpertSum(LATENT, TOP))(unit_rows, weights, places, by_unit)
    by_token = ExpertDown(LATENT, width, TOP, act=act)
    library.kernel(by_token)(*down, hidden, ids, weights, places, by_row)
    return by_row, by_unit


def output_of_one(library, width, up, down, z, routed, act):
    """Run the kernels of a step of one row on poisoned memory; give the sum."""
    ids, weights, places = routed
    hidden = torch.full((TOP, 8, width), float("nan"), dtype=torch.bfloat16, device=z.device)
    out = torch.full((1, LATENT), float("nan"), device=z.device)
    library.kernel(expert_up_row(LATENT, width, TOP, act))(*up, z, ids, hidden)
    library.kernel(expert_down_row(LATENT, width, TOP, act))(*down, hidden, ids, weights, places, out)
    return out
