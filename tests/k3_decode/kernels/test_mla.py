"""MLA between its projections against float64: pages whose unused rows are NaN, padding whose queries and gates are."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.build.sets import CHECKED_RANKS
from k3_decode.kernels.catalog import CACHES
from k3_decode.kernels.mla_front import MlaFront
from k3_decode.kernels.mla_prepare import MlaPrepare
from k3_decode.kernels.tactics import bucket
from k3_decode.reference import mla
from k3_decode.reference.norm import rms_norm
from k3_decode.specialized.operators import StepOperators

pytestmark = pytest.mark.gpu

ROWS = (1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64)
LATENT, NOPE, SHARED, VALUE, PAGE = 512, 128, 64, 128, 48
WIDTH = LATENT + SHARED
SCALE = 192**-0.5
DTYPES = {"bf16": torch.bfloat16, "u8": torch.uint8}


def encode(x, cache):
    """Round to a cache's elements, as bytes where they are e4m3."""
    return x.bfloat16() if cache == "bf16" else mla.to_e4m3(x.bfloat16()).view(torch.uint8)


def decode(x):
    """Widen a cache's elements to float64."""
    return (x.view(torch.float8_e4m3fn).float() if x.dtype == torch.uint8 else x).double()


def poisoned(*shape, cache="bf16", device="cuda"):
    """NaN everywhere: 0x7F in e4m3."""
    if cache == "u8":
        return torch.full(shape, 0x7F, dtype=torch.uint8, device=device)
    return torch.full(shape, float("nan"), dtype=torch.bfloat16, device=device)


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_absorbed_queries_equal_float64(library, device, close, share, seeded, ranks, distribution):
    heads, generator = 96 // ranks, seeded(ranks)
    w_uk = draw("normal", heads, NOPE, LATENT, generator=generator).mul(LATENT**-0.5).bfloat16()
    w = w_uk.transpose(1, 2).contiguous()
    for rows in ROWS:
        q = draw(distribution, rows, heads * (NOPE + SHARED), generator=generator).bfloat16()
        expected = mla.absorb_query(q.double().view(rows, heads, -1), w_uk.double())
        queries = {}
        for cache in CACHES:
            queries[cache] = poisoned(rows, heads, WIDTH, cache=cache)
            library.kernel(StepOperators(share(ranks), bucket(rows), cache=cache).mla_absorb)(w, q, queries[cache])
        close("kernel.product.bf16", queries["bf16"], expected, distribution, f"rows {rows}")
        assert torch.equal(queries["u8"], encode(queries["bf16"], "u8")), f"rows {rows}: rounded otherwise"


class Requests:
    """Rows that attend to contexts of random lengths, the second of more than two padding, over scattered pages."""

    def __init__(self, rows, longest, heads, cache, distribution, generator, *, lengths=None, tables=None):
        device = generator.device
        self.rows, self.heads, self.cache = rows, heads, cache
        pages = -(-longest // PAGE)
        if lengths is None:
            lengths = torch.randint(1, longest + 1, (rows,), generator=generator, device=device)
            lengths[0] = longest
            if rows > 2:
                lengths[1] = 0
        self.lengths = lengths
        if tables is None:
            tables = (torch.randperm(rows * pages, generator=generator, device=device) + 1).view(rows, pages)
        self.tables = tables.int()
        positions = torch.arange(longest, device=device)
        places = self.tables.long()[:, positions // PAGE] * PAGE + positions % PAGE
        self.live = positions < lengths.unsqueeze(1)
        drawn = draw(distribution, int(tables.max()) + 1, PAGE, WIDTH, generator=generator)
        self.pages = poisoned(*drawn.shape, cache=cache)
        used = places[self.live]
        self.pages.view(-1, WIDTH)[used] = encode(drawn.view(-1, WIDTH)[used], cache)
        self.query = encode(draw(distribution, rows, heads, WIDTH, generator=generator), cache)
        self.query[lengths == 0] = poisoned(1, cache=cache)[0]
        keys = self.pages.view(-1, WIDTH)[places].where(self.live.unsqueeze(-1), 0)
        query = decode(self.query).where((lengths > 0).view(-1, 1, 1), 0.0).unsqueeze(1)
        latents = [
            mla.absorbed_attention(
                query[part], decode(keys[part]), self.live[part].unsqueeze(1), latent_dim=LATENT, scale=SCALE
            )[0].squeeze(1)
            for part in torch.arange(rows, device=device).split(16)
        ]
        self.expected = torch.cat(latents)

    def launch(self, library, operators):
        """Run the kernel on poisoned memory; give its outputs and counters."""
        core, device = operators.mla_core, self.query.device
        known = {"m": self.rows, "g": -(-self.heads // core.heads)}
        sizes = {each.name: tuple(known.get(size, size) for size in each.shape) for each in core.arguments}
        nothing = {name: torch.full(sizes[name], float("nan"), device=device) for name in ("partial", "sums")}
        counters = torch.zeros(sizes["counters"], dtype=torch.int32, device=device)
        out = poisoned(self.rows, self.heads, LATENT)
        context = (self.lengths - 1).int()
        library.kernel(core)(self.query, self.pages, self.tables, context, *nothing.values(), counters, out)
        return out, counters


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("longest", [3, 64, 700, 5000])
def test_attention_equals_float64(library, device, close, share, seeded, ranks, cache, longest):
    generator = seeded(longest)
    for rows in ROWS:
        case = Requests(rows, longest, 96 // ranks, cache, "normal", generator)
        out, counters = case.launch(library, StepOperators(share(ranks), bucket(rows), cache=cache))
        close("kernel.mla.core", out, case.expected, "normal", f"rows {rows}")
        assert (out[case.lengths == 0] == 0).all()
        assert (counters == 0).all(), "the next launch finds other counters"


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("distribution", [each for each in DISTRIBUTIONS if each != "normal"])
def test_attention_over_other_distributions(library, device, close, share, seeded, ranks, cache, distribution):
    generator = seeded(7)
    for rows in ROWS:
        case = Requests(rows, 300, 96 // ranks, cache, distribution, generator)
        out, _ = case.launch(library, StepOperators(share(ranks), bucket(rows), cache=cache))
        close("kernel.mla.core", out, case.expected, distribution, f"rows {rows}")


@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize(("requests", "tokens"), [(1, 8), (5, 3), (8, 8), (16, 4)])
def test_rows_of_one_request_see_those_before_them(library, device, close, share, seeded, cache, requests, tokens):
    rows, longest = requests * tokens, 500
    generator = seeded(tokens)
    starts = torch.randint(0, longest - tokens, (requests, 1), generator=generator, device=device)
    lengths = (starts + torch.arange(1, tokens + 1, device=device)).flatten()
    pages = -(-longest // PAGE)
    tables = (torch.randperm(requests * pages, generator=generator, device=device) + 1).view(requests, pages)
    case = Requests(
        rows, longest, 6, cache, "normal", generator, lengths=lengths, tables=tables.repeat_interleave(tokens, 0)
    )
    out, _ = case.launch(library, StepOperators(share(16), bucket(rows), cache=cache))
    close("kernel.mla.core", out, case.expected)


@pytest.mark.parametrize("ranks", CHECKED_RANKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_gated_values_equal_float64(library, device, close, share, seeded, ranks, distribution):
    heads, generator = 96 // ranks, seeded(ranks)
    w_uv = draw("normal", heads, VALUE, LATENT, generator=generator).mul(LATENT**-0.5).bfloat16()
    for rows in ROWS:
        latents = draw(distribution, rows, heads, LATENT, generator=generator).bfloat16()
        gate = draw(distribution, rows, heads * VALUE + 64, generator=generator).bfloat16()[:, 64:]
        context = torch.zeros(rows, dtype=torch.int32, device=device)
        expected = mla.expand_value(latents.double(), w_uv.double()).flatten(1) * gate.double().sigmoid()
        if rows > 2:  # padding: no key was attended to, and nobody wrote its gate
            context[1], latents[1], expected[1], gate[1] = -1, 0.0, 0.0, float("nan")
            gate[1, ::2] = float("inf")
        out = poisoned(rows, heads * VALUE)
        library.kernel(StepOperators(share(ranks), bucket(rows)).mla_value)(w_uv, latents, gate, context, out)
        close("kernel.product.bf16", out, expected, distribution, f"rows {rows}")
        assert rows < 3 or (out[1] == 0).all()


@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_latent_norms_equal_float64_and_write_only_their_cache_rows(
    library, device, close, seeded, cache, distribution
):
    generator = seeded(1)
    query_scale, cache_scale = (draw("normal", n, generator=generator) for n in (1536, 512))
    for rows in ROWS:
        projected = draw(distribution, rows, 2880, generator=generator).bfloat16()
        places = torch.randperm(200, generator=generator, device=device)[:rows].int()
        if rows > 2:
            places[1], projected[1] = -1, float("nan")
        normed, rest = poisoned(rows, 1536), 0x11 if cache == "u8" else 7.0
        pages = torch.full((200, WIDTH), rest, dtype=DTYPES[cache], device=device)
        library.kernel(MlaPrepare(1536, 512, 64, cache))(projected, query_scale, cache_scale, places, normed, pages)
        x, live, where = projected.double(), places >= 0, f"rows {rows}"
        expected = rms_norm(x[:, :1536], query_scale.double(), eps=1e-5)
        close("kernel.normed", normed[live], expected[live], distribution, where)
        written = pages[places[live].long()]
        latent = rms_norm(x[live, 1536:2048], cache_scale.double(), eps=1e-5)
        row = "kernel.normed"
        if cache == "u8":  # the largest is 448, and the smallest 2^-9: half of it is rounded away
            row, latent = "kernel.normed.e4m3", latent.clamp(-448, 448).where(latent.abs() > 2.0**-10, 0.0)
        close(row, decode(written[:, :512]), latent, distribution, where)
        assert torch.equal(written[:, 512:], encode(projected[live, 2048:2112], cache))
        others = torch.ones(200, dtype=torch.bool, device=device)
        others[places[live].long()] = False
        assert (pages[others] == rest).all()


@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("ranks", CHECKED_RANKS)
def test_one_launch_before_attention_equals_its_stages(library, device, close, seeded, cache, rows, ranks):
    heads, generator = 96 // ranks, seeded(ranks)
    query_scale, cache_scale = (draw("normal", n, generator=generator) for n in (1536, 512))
    w = draw("normal", heads * (NOPE + SHARED), 1536, generator=generator).mul(1536**-0.5).bfloat16()
    w_uk = draw("normal", heads, NOPE, LATENT, generator=generator).mul(LATENT**-0.5).bfloat16()
    projected = draw("normal", rows, 2112 + heads * VALUE, generator=generator).bfloat16()
    normed = rms_norm(projected[:, :1536].double(), query_scale.double(), eps=1e-5).bfloat16()
    queries = (normed.double() @ w.double().T).bfloat16().view(rows, heads, -1)
    expected = mla.absorb_query(queries.double(), w_uk.double())
    row = rms_norm(projected[:, 1536:2048].double(), cache_scale.double(), eps=1e-5)
    if cache == "u8":
        row = row.clamp(-448, 448).where(row.abs() > 2.0**-10, 0.0)
    for places in ([7, 3], [-1, 5]):
        got, pages = poisoned(rows, heads, WIDTH, cache=cache), torch.full((9, WIDTH), 2, dtype=torch.uint8)
        pages = (pages if cache == "u8" else pages.bfloat16()).to(device)
        written = torch.tensor(places[:rows], dtype=torch.int32, device=device)
        args = (w, w_uk.transpose(1, 2).contiguous(), projected, query_scale, cache_scale, written)
        library.kernel(MlaFront(1536, LATENT, NOPE, SHARED, rows, cache))(*args, got, pages)
        suffix = "" if cache == "bf16" else ".e4m3"
        close("kernel.mla.front" if cache == "bf16" else "kernel.mla.front.e4m3", decode(got), expected)
        for i, place in enumerate(places[:rows]):
            if place >= 0:
                close(f"kernel.normed{suffix}", decode(pages[place, :LATENT]), row[i])
                assert torch.equal(pages[place, LATENT:], encode(projected[i, 2048:2112], cache))
        others = [i for i in range(9) if i not in places[:rows]]
        assert (pages[others] == 2).all(), "wrote a row of another token"
