"""Chooses tokens from logits, each row by its own parameters and by nothing else in the batch.

A draw is a function of the request's seed and of how many tokens it has generated: a counter-based generator gives
one uniform number, which is looked up in the cumulative distribution. No generator state exists that another request,
an abort or a preemption could disturb.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from k3_decode.engine.request import SamplingParams, TokenLogprob
from k3_decode.spans import operator


@dataclass(frozen=True)
class Draw:
    """One row to choose a token for.

    Attributes:
        params: The request's parameters.
        position: Tokens it has generated so far.
        banned: Token that may not be chosen, or None.
    """

    params: SamplingParams
    position: int
    banned: int | None = None


@operator
def sample(logits: torch.Tensor, draws: Sequence[Draw]) -> list[int]:
    """Choose one token a row.

    Args:
        logits: ``[N, vocab]`` float32 or float64, finite.
        draws: N rows' parameters.

    Returns:
        N token ids.
    """
    if not draws:
        return []
    banned = [(row, draw.banned) for row, draw in enumerate(draws) if draw.banned is not None]
    if banned:
        rows, tokens = zip(*banned, strict=True)
        logits = logits.index_put((_index(rows, logits), _index(tokens, logits)), logits.new_tensor(-torch.inf))
    chosen = logits.argmax(dim=-1)
    random = [row for row, draw in enumerate(draws) if draw.params.temperature > 0]
    if random:
        index = _index(random, logits)
        chosen[index] = _draw(logits[index], [draws[row] for row in random])
    return [int(token) for token in chosen.tolist()]


def _draw(logits: torch.Tensor, draws: Sequence[Draw]) -> torch.Tensor:
    """Draw from temperature-scaled, top-k and top-p limited rows; ``[N]`` int64."""
    temperature = logits.new_tensor([draw.params.temperature for draw in draws], dtype=torch.float64)
    top_p = logits.new_tensor([draw.params.top_p for draw in draws], dtype=torch.float64)
    vocab = logits.shape[-1]
    top_k = logits.new_tensor([draw.params.top_k or vocab for draw in draws], dtype=torch.int64)
    uniform = logits.new_tensor([_uniform(draw) for draw in draws], dtype=torch.float64)

    wide = logits.double()
    # Shifted first, so that even a tiny temperature cannot overflow.
    scaled = (wide - wide.amax(dim=-1, keepdim=True)) / temperature[:, None]
    probabilities, order = scaled.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before = probabilities.cumsum(dim=-1) - probabilities
    rank = torch.arange(vocab, device=logits.device)
    kept = probabilities.where((before < top_p[:, None]) & (rank < top_k[:, None]), 0.0)
    cumulative = kept.cumsum(dim=-1)
    place = torch.searchsorted(cumulative, (uniform * cumulative[:, -1])[:, None], right=True)
    last = (kept > 0).sum(dim=-1, keepdim=True) - 1
    return order.gather(-1, place.minimum(last)).squeeze(-1)


def _uniform(draw: Draw) -> float:
    generator = np.random.Generator(np.random.Philox(key=draw.params.seed, counter=[0, 0, 0, draw.position]))
    return float(generator.random())


def logprobs(logits: torch.Tensor, tokens: Sequence[int], tops: Sequence[int]) -> list[TokenLogprob]:
    """Report log probabilities of given tokens and of the likeliest ones.

    Args:
        logits: ``[N, vocab]`` float32 or float64.
        tokens: The token of each row.
        tops: How many of the likeliest tokens to list in each row.

    Returns:
        One entry a row. A listed token has the same number as ``logprob`` to the last bit.
    """
    if not tokens:
        return []
    table = torch.log_softmax(logits, dim=-1)
    own = table.gather(-1, _index(tokens, logits)[:, None]).squeeze(-1).tolist()
    # A stable sort, because ties must list the lower id first: greedy decoding takes that one.
    widest = max(tops)
    if widest:
        values, ids = (part[:, :widest].tolist() for part in table.sort(dim=-1, descending=True, stable=True))
    else:
        values, ids = [[] for _ in tokens], [[] for _ in tokens]
    return [
        TokenLogprob(token, logprob, tuple(zip(ids[row][:top], values[row][:top], strict=True)))
        for row, (token, logprob, top) in enumerate(zip(tokens, own, tops, strict=True))
    ]


def finite_rows(logits: torch.Tensor) -> list[bool]:
    """Tell for each row whether all its logits are finite."""
    return [bool(each) for each in torch.isfinite(logits).all(dim=-1).tolist()]


def _index(values: Sequence[int], like: torch.Tensor) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int64, device=like.device)
