import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from k3_decode.reference import kda

HEADS, WIDTH = 3, 8


@pytest.fixture
def inputs(random):
    """Draw q, k, v, g, beta and a start state for one request; g spans (-5, 0)."""

    def draw(tokens: int) -> tuple[Tensor, ...]:
        q, k = kda.normalize_qk(random(1, tokens, HEADS, WIDTH), random(1, tokens, HEADS, WIDTH))
        v, g = random(1, tokens, HEADS, WIDTH), -5 * random(1, tokens, HEADS, WIDTH).sigmoid()
        return q, k, v, g, random(1, tokens, HEADS).sigmoid(), random(1, HEADS, WIDTH, WIDTH)

    return draw


def _by_formula(q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """The recurrence of section 3.3, element by element."""
    tokens, heads, width = q.shape[1:]
    state, out = state[0].clone(), torch.zeros(tokens, heads, width, dtype=torch.float64)
    for t in range(tokens):
        for n in range(heads):
            decayed = [[state[n, i, j] * math.exp(g[0, t, n, j]) for j in range(width)] for i in range(width)]
            for i in range(width):
                read = sum(decayed[i][j] * k[0, t, n, j] for j in range(width))
                u = beta[0, t, n] * (v[0, t, n, i] - read)
                for j in range(width):
                    state[n, i, j] = decayed[i][j] + u * k[0, t, n, j]
                out[t, n, i] = sum(state[n, i, j] * q[0, t, n, j] for j in range(width))
    return out, state


def test_the_recurrence_follows_its_formula(inputs):
    drawn = inputs(4)
    out, state = kda.recurrent(*drawn)
    expected_out, expected_state = _by_formula(*drawn)
    assert_close(out[0], expected_out)
    assert_close(state[0], expected_state)


@pytest.mark.parametrize("tokens", [1, 2, 15, 16, 17, 33, 50])
@pytest.mark.parametrize("chunk", [1, 7, 16, 64])
def test_chunked_equals_recurrent(inputs, tokens, chunk):
    drawn = inputs(tokens)
    assert_close(kda.chunked(*drawn, chunk_size=chunk), kda.recurrent(*drawn), rtol=1e-12, atol=1e-13)


def test_chunked_equals_recurrent_in_float32(inputs):
    drawn = inputs(100)
    single = tuple(x.float() for x in drawn)
    out, state = kda.chunked(*single)
    exact_out, exact_state = kda.recurrent(*drawn)
    assert_close(out.double(), exact_out, rtol=1e-4, atol=1e-5)
    assert_close(state.double(), exact_state, rtol=1e-4, atol=1e-5)


def test_chunked_survives_decays_that_overflow_a_factored_form(inputs):
    """Without a lower bound exp(-G) overflows; differences never do."""
    q, k, v, g, beta, state = (x.float() for x in inputs(64))
    drawn = (q, k, v, g * 40, beta, state)
    out, final = kda.chunked(*drawn)
    assert out.isfinite().all()
    assert_close((out, final), kda.recurrent(*drawn), rtol=1e-4, atol=1e-5)


def test_with_beta_zero_the_state_only_decays(inputs):
    q, k, v, g, beta, state = inputs(20)
    for form in (kda.recurrent, kda.chunked):
        _, final = form(q, k, v, g, torch.zeros_like(beta), state)
        assert_close(final, state * g.sum(1).exp().unsqueeze(-2))


def test_splitting_anywhere_gives_the_same_outputs_and_state(inputs):
    drawn = inputs(19)
    *sequences, state = drawn
    whole_out, whole_state = kda.chunked(*drawn)
    for cut in range(1, 19):
        first, middle = kda.chunked(*(x[:, :cut] for x in sequences), state)
        second, final = kda.recurrent(*(x[:, cut:] for x in sequences), middle)
        assert_close(torch.cat([first, second], dim=1), whole_out)
        assert_close(final, whole_state)


def test_requests_of_a_batch_do_not_touch_one_another(inputs):
    a, b = inputs(6), inputs(6)
    out, state = kda.recurrent(*(torch.cat(pair) for pair in zip(a, b, strict=True)))
    assert_close((out[:1], state[:1]), kda.recurrent(*a))
    assert_close((out[1:], state[1:]), kda.recurrent(*b))


def test_short_conv_follows_its_formula(random):
    inputs, window, weight = random(2, 5, 6), random(2, 6, 3), random(6, 4)
    out, after = kda.short_conv(inputs, window, weight)
    for b in range(2):
        for ch in range(6):
            past = [*window[b, ch].tolist(), *inputs[b, :, ch].tolist()]
            for t in range(5):
                c = sum(weight[ch, i].item() * past[t + i] for i in range(4))
                assert out[b, t, ch].item() == pytest.approx(c / (1 + math.exp(-c)), rel=1e-12)
            assert after[b, ch].tolist() == past[-3:]


def test_the_last_tap_hits_the_current_token(random):
    weight = torch.zeros(6, 4, dtype=torch.float64)
    weight[:, 3] = 1.0
    x = random(1, 4, 6)
    out, _ = kda.short_conv(x, torch.full((1, 6, 3), 99.0, dtype=torch.float64), weight)
    assert_close(out, torch.nn.functional.silu(x))


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_convolution_split_anywhere_continues_from_its_window(random, cut):
    inputs, window, weight = random(1, 6, 5), random(1, 5, 3), random(5, 4)
    whole, end = kda.short_conv(inputs, window, weight)
    first, middle = kda.short_conv(inputs[:, :cut], window, weight)
    second, final = kda.short_conv(inputs[:, cut:], middle, weight)
    assert_close(torch.cat([first, second], dim=1), whole)
    assert torch.equal(final, end)


def test_bounded_decay_follows_its_formula_and_stays_in_bounds(random):
    raw, a_log, bias = random(5, HEADS, WIDTH) * 3, random(HEADS), random(HEADS, WIDTH)
    g = kda.log_decay(raw, a_log=a_log, dt_bias=bias, lower_bound=-5.0)
    for index in ((0, 0, 0), (4, 2, 7), (2, 1, 3)):
        _, n, d = index
        x = math.exp(a_log[n]) * (raw[index] + bias[n, d]).item()
        assert g[index].item() == pytest.approx(-5 / (1 + math.exp(-x)), rel=1e-12)
    assert ((g > -5) & (g < 0)).all()
    assert ((g.exp() > math.exp(-5)) & (g.exp() < 1)).all()


def test_unbounded_decay_is_a_softplus_linear_above_20(random):
    raw, a_log = random(5, HEADS, WIDTH) * 20, random(HEADS)
    raw[0, 0, 0] = 1000.0
    zero = torch.zeros(HEADS, WIDTH, dtype=torch.float64)
    g = kda.log_decay(raw, a_log=a_log, dt_bias=zero, lower_bound=None)
    expected = -a_log.exp().unsqueeze(-1) * torch.where(raw > 20, raw, raw.clamp(max=20).exp().log1p())
    assert_close(g, expected)


def test_queries_and_keys_are_scaled_as_specified():
    x = torch.tensor([3.0, 4.0, 0.0, 0.0], dtype=torch.float64)
    q, k = kda.normalize_qk(x, x)
    assert_close(k, x / math.sqrt(25 + 1e-6))
    assert_close(q, x / math.sqrt(25 + 1e-6) / 2)


def test_the_gate_acts_after_the_norm(random):
    o, gate, weight = random(2, HEADS, WIDTH), random(2, HEADS, WIDTH), random(WIDTH)
    got = kda.gated_norm(o, gate, weight, eps=1e-5)
    n = o[1, 2] / math.sqrt((o[1, 2] ** 2).mean() + 1e-5)
    assert_close(got[1, 2], n * weight / (1 + (-gate[1, 2]).exp()))
    assert_close(kda.gated_norm(7 * o, gate, weight, eps=0.0), kda.gated_norm(o, gate, weight, eps=0.0))
