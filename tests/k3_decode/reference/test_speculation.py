"""Verify q tokens, keep n: the same as n single steps (k3-model.md section 5.4)."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from k3_decode.reference import kda
from k3_decode.reference.speculation import (
    KdaConstants,
    StepInputs,
    TokenSlots,
    commit,
    verify_with_record,
    verify_with_slots,
)

HEADS, WIDTH, TAPS, Q = 2, 4, 4, 5
CHANNELS = 3 * HEADS * WIDTH


@pytest.fixture
def weights(random) -> KdaConstants:
    return KdaConstants(
        conv=random(CHANNELS, TAPS), a_log=random(HEADS), dt_bias=random(HEADS, WIDTH), lower_bound=-5.0
    )


@pytest.fixture
def draw(random):
    def step(tokens: int = Q) -> StepInputs:
        return StepInputs(random(tokens, CHANNELS), random(tokens, HEADS, WIDTH), random(tokens, HEADS).sigmoid())

    return step


class SingleSteps:
    """One token at a time with the plain operators: the truth both schemes must meet."""

    def __init__(self, state: Tensor, window: Tensor, weights: KdaConstants) -> None:
        self.state, self.window, self.weights = state, window, weights

    def run(self, inputs: StepInputs, count: int) -> Tensor:
        outputs = []
        for t in range(count):
            one = slice(t, t + 1)
            mixed, window = kda.short_conv(inputs.qkv[None, one], self.window.unsqueeze(0), self.weights.conv)
            q, k, v = mixed.view(1, 1, 3, HEADS, WIDTH).unbind(2)
            g = kda.log_decay(
                inputs.raw_gate[None, one], a_log=self.weights.a_log, dt_bias=self.weights.dt_bias, lower_bound=-5.0
            )
            q, k = kda.normalize_qk(q, k)
            out, state = kda.recurrent(q, k, v, g, inputs.beta[None, one], self.state.unsqueeze(0))
            self.state, self.window = state[0], window[0]
            outputs.append(out[0, 0])
        return torch.stack(outputs)


@pytest.fixture
def truth(random, weights) -> SingleSteps:
    return SingleSteps(random(HEADS, WIDTH, WIDTH), random(CHANNELS, TAPS - 1), weights)


@pytest.mark.parametrize("accepted", range(1, Q + 1))
def test_a_slot_per_token_rolls_back_by_reading_another_slot(draw, weights, truth, accepted):
    slots = TokenSlots.start(truth.state, truth.window, tokens=Q)
    first, second = draw(), draw()
    out, slots = verify_with_slots(first, slots, weights, accepted=1)
    assert_close(out[:accepted], truth.run(first, accepted))
    assert_close(slots.states[accepted - 1], truth.state)
    out, _ = verify_with_slots(second, slots, weights, accepted=accepted)
    assert_close(out, truth.run(second, Q))


def test_a_long_run_of_slot_steps_with_changing_acceptance(draw, weights, truth):
    slots, accepted = TokenSlots.start(truth.state, truth.window, tokens=Q), 1
    for following in (2, 5, 1, 1, 4, 3, 5, 5, 2):
        inputs = draw()
        out, slots = verify_with_slots(inputs, slots, weights, accepted=accepted)
        assert_close(out[:following], truth.run(inputs, following))
        assert slots.window.shape == (CHANNELS, TAPS - 1 + Q - 1)
        accepted = following


@pytest.mark.parametrize("accepted", range(Q + 1))
def test_a_recorded_step_commits_any_prefix(draw, weights, truth, accepted):
    state, window = truth.state, truth.window
    before = state.clone()
    first, second = draw(), draw()
    out, record = verify_with_record(first, state, window, weights)
    assert torch.equal(state, before)  # verifying leaves the committed state alone
    if accepted:
        assert_close(out[:accepted], truth.run(first, accepted))
    state, window = commit(state, record, weights, accepted=accepted)
    assert_close(state, truth.state)
    assert torch.equal(window, truth.window)
    out, _ = verify_with_record(second, state, window, weights)
    assert_close(out, truth.run(second, Q))


def test_both_schemes_with_the_unbounded_gate(draw, random, weights):
    soft = KdaConstants(weights.conv, weights.a_log, weights.dt_bias, lower_bound=None)
    state, window, inputs = random(HEADS, WIDTH, WIDTH), random(CHANNELS, TAPS - 1), draw()
    slot_out, slots = verify_with_slots(inputs, TokenSlots.start(state, window, tokens=Q), soft, accepted=1)
    record_out, record = verify_with_record(inputs, state, window, soft)
    assert_close(slot_out, record_out)
    assert_close(commit(state, record, soft, accepted=3)[0], slots.states[2])


@pytest.mark.parametrize("accepted", [1, 3, 6])
def test_the_model_rolls_back_by_snapshot(tiny64, conversation, prompt, accepted):
    """Snapshot, verify six tokens, restore, replay the accepted ones: equal to decoding them singly."""
    start, drafts, after = prompt(11), prompt(6, seed=1), prompt(1, seed=2)
    plain, verified = conversation(tiny64), conversation(tiny64)
    plain.step([(0, start)])
    single = torch.cat([plain.step([(0, [token])]) for token in drafts[:accepted]])
    verified.step([(0, start)])
    slot = torch.tensor([verified.slots[0]])
    kept = verified.cache.snapshot(slot)
    logits = verified.step([(0, drafts)], every_row=True)
    assert_close(logits[:accepted], single)
    verified.cache.restore(kept)
    verified.lengths[0] = len(start)
    verified.step([(0, drafts[:accepted])])
    assert_close(verified.state(0), plain.state(0))
    assert_close(verified.step([(0, after)]), plain.step([(0, after)]))
