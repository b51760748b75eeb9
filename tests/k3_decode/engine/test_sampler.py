import math
from collections import Counter

import pytest
import torch

from k3_decode.engine.request import SamplingParams
from k3_decode.engine.sampler import Draw, finite_rows, logprobs, sample


def params(**changes) -> SamplingParams:
    return SamplingParams(**({"max_tokens": 1, "seed": 0, "temperature": 1.0} | changes))


def draws(count: int, **changes) -> list[Draw]:
    return [Draw(params(**changes), position=position) for position in range(count)]


def histogram(logits: list[float], count: int = 4000, **changes) -> Counter[int]:
    return Counter(sample(torch.tensor([logits]).expand(count, -1), draws(count, **changes)))


def test_greedy_takes_the_largest_and_the_lowest_id_on_a_tie():
    logits = torch.tensor([[0.0, 2.0, 1.0], [3.0, 3.0, 3.0], [-5.0, -1.0, -1.0]])
    assert sample(logits, draws(3, temperature=0.0)) == [1, 0, 1]


def test_draws_follow_the_distribution():
    probabilities = [0.5, 0.3, 0.15, 0.05]
    found = histogram([math.log(p) for p in probabilities])
    for token, probability in enumerate(probabilities):
        deviation = math.sqrt(probability * (1 - probability) / 4000)
        assert abs(found[token] / 4000 - probability) < 4 * deviation


def test_temperature_sharpens_and_flattens():
    logits = [math.log(p) for p in (0.6, 0.4)]
    cold, hot = histogram(logits, temperature=0.25)[0], histogram(logits, temperature=100.0)[0]
    assert abs(cold / 4000 - 0.6**4 / (0.6**4 + 0.4**4)) < 0.03
    assert abs(hot / 4000 - 0.5) < 0.04
    assert set(histogram(logits, temperature=1e-300)) == {0}


@pytest.mark.parametrize(
    ("changes", "possible"),
    [
        ({"top_p": 0.5}, {0}),
        ({"top_p": 0.51}, {0, 1}),
        ({"top_p": 1e-9}, {0}),
        ({"top_p": 1.0}, {0, 1, 2, 3}),
        ({"top_k": 1}, {0}),
        ({"top_k": 3}, {0, 1, 2}),
        ({"top_k": 100}, {0, 1, 2, 3}),
        ({"top_k": 3, "top_p": 0.7}, {0, 1}),
    ],
)
def test_cut_offs_leave_only_the_likeliest(changes, possible):
    assert set(histogram([math.log(p) for p in (0.5, 0.25, 0.15, 0.1)], **changes)) == possible


def test_a_row_does_not_depend_on_its_neighbours():
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(6, 50, generator=generator)
    rows = [
        Draw(params(seed=seed, temperature=t, top_p=p, top_k=k), position=seed)
        for seed, (t, p, k) in enumerate(
            [(1.0, 1.0, 0), (0.0, 1.0, 0), (0.5, 0.9, 0), (2.0, 1.0, 5), (1.0, 0.3, 0), (0.7, 0.8, 9)]
        )
    ]
    together = sample(logits, rows)
    assert together == [sample(logits[row : row + 1], [draw])[0] for row, draw in enumerate(rows)]
    assert together[::-1] == sample(logits.flip(0), rows[::-1])


def test_seeds_and_positions_give_different_draws():
    logits = torch.zeros(1, 1000)
    by_position = {sample(logits, [Draw(params(), position=position)])[0] for position in range(20)}
    by_seed = {sample(logits, [Draw(params(seed=seed), position=0)])[0] for seed in (0, 1, 2, 2**64 - 1)}
    assert len(by_position) > 15
    assert len(by_seed) == 4


def test_a_banned_token_is_never_chosen():
    logits = torch.tensor([[9.0, 1.0, 0.0], [9.0, 1.0, 0.0]])
    greedy, free = Draw(params(temperature=0.0), position=0, banned=0), Draw(params(temperature=0.0), position=0)
    assert sample(logits, [greedy, free]) == [1, 0]
    assert logits[0, 0] == 9.0
    banned = [Draw(params(), position=position, banned=0) for position in range(200)]
    assert 0 not in sample(logits[:1].expand(200, -1), banned)


def test_logprobs_are_normalised_and_agree_with_their_list():
    logits = torch.tensor([[0.0, 1.0, 1.0, -3.0], [2.0, 0.0, 0.0, 0.0]])
    first, second = logprobs(logits, [2, 3], [3, 0])
    assert first.token == 2
    assert [token for token, _ in first.top] == [1, 2, 0]
    assert first.logprob == first.top[1][1] == first.top[0][1]
    assert first.logprob == pytest.approx(float(logits[0].log_softmax(-1)[2]))
    assert second.top == ()


def test_nothing_to_do_gives_nothing():
    empty = torch.zeros(0, 5)
    assert sample(empty, []) == []
    assert logprobs(empty, [], []) == []
    assert finite_rows(empty) == []


def test_rows_with_infinities_are_named():
    logits = torch.tensor([[0.0, 1.0], [torch.inf, 0.0], [torch.nan, 0.0]])
    assert finite_rows(logits) == [True, False, False]
