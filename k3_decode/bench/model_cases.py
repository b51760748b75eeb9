"""Whole-model checks: different ways to compute the same logits must agree."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from k3_decode.bench.case import Case
from k3_decode.config import K3Config
from k3_decode.engine.pools import blocks_for
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.model import Form, K3Model, LayerTrace
from k3_decode.reference.norm import rms_norm
from k3_decode.reference.weights import MoeWeights

LENGTHS = (2, 17, 33)
"""Tokens of each sequence."""

BLOCK_SIZE = 16

ROUTER_MARGIN = 2e-4
"""Lead of the last picked expert that float32 rounding cannot take away; measured errors are below 2e-5."""


def model_cases(config: K3Config, *, seed: int) -> Iterator[Case]:
    """Yield the cases of a synthetic model."""
    wide = K3Model.synthetic(config, seed, torch.float64, dequantize_experts=True)
    narrow = K3Model.synthetic(config, seed, torch.float32, dequantize_experts=True)
    generator = torch.Generator().manual_seed(seed)
    sequences = [_decided_tokens(wide, length, generator) for length in LENGTHS]
    for tokens in sequences:
        yield from _one_sequence(wide, narrow, tokens)
    yield Case(
        "model.forms",
        "several sequences in one batch against each alone, float64",
        f"tokens={'+'.join(map(str, LENGTHS))}",
        "uniform-tokens",
        lambda: _logits(wide, sequences),
        lambda: torch.cat([_logits(wide, [each]) for each in sequences]),
    )


def _one_sequence(wide: K3Model, narrow: K3Model, tokens: Sequence[int]) -> Iterator[Case]:
    def case(operator: str, name: str, model: K3Model, *, pieces: Sequence[int] = (), form: Form = "prefill") -> Case:
        return Case(
            operator,
            name,
            f"tokens={len(tokens)}",
            "uniform-tokens",
            lambda: _logits(model, [tokens], pieces=pieces, form=form),
            lambda: _logits(wide, [tokens], form="prefill"),
        )

    length = len(tokens)
    yield case("model.float32", "one prefill in float32 against float64", narrow)
    yield case(
        "model.float32", "decoding in float32 against one prefill in float64", narrow, pieces=[1] * length, form="auto"
    )
    yield case("model.forms", "decode forms against prefill forms, float64", wide, form="decode")
    yield case("model.forms", "token by token against one prefill, float64", wide, pieces=[1] * length, form="auto")
    split = [length - length // 2, length // 2]
    yield case("model.forms", "prefill in two chunks against one, float64", wide, pieces=split)


def _decided_tokens(model: K3Model, length: int, generator: torch.Generator) -> list[int]:
    """Draw tokens until every router choice of the model on them is clear.

    Between experts whose scores differ by less than rounding either choice is right, and the two give other logits.
    """
    while True:
        tokens: list[int] = torch.randint(model.config.vocab_size, (length,), generator=generator).tolist()
        trace: list[LayerTrace] = []
        _logits(model, [tokens], form="prefill", trace=trace)
        if min(_router_margin(model, layer) for layer in trace) > ROUTER_MARGIN:
            return tokens


def _router_margin(model: K3Model, layer: LayerTrace) -> float:
    """Return the smallest lead of a picked expert over the best one that was not."""
    weights, config = model.weights.layers[layer.layer], model.config
    if not isinstance(weights.feed_forward, MoeWeights):
        return 1.0
    hidden = rms_norm(layer.mlp_input, weights.post_norm, eps=config.rms_eps)
    scores = (hidden @ weights.feed_forward.router.T).sigmoid() + weights.feed_forward.bias
    ordered = scores.sort(dim=-1, descending=True).values
    return float((ordered[:, config.top_k - 1] - ordered[:, config.top_k]).min())


def _logits(
    model: K3Model,
    sequences: Sequence[Sequence[int]],
    *,
    pieces: Sequence[int] = (),
    form: Form = "auto",
    trace: list[LayerTrace] | None = None,
) -> Tensor:
    """Compute the logits of every token, all sequences in one batch.

    Args:
        model: The model.
        sequences: Token ids.
        pieces: Tokens in each step, for a single sequence; one step for all of it if empty.
        form: See `K3Model.forward`.
        trace: See `K3Model.forward`.
    """
    needed = [blocks_for(len(each), block_size=BLOCK_SIZE) for each in sequences]
    cache = model.new_cache(num_slots=len(sequences) + 1, num_blocks=sum(needed) + 1, block_size=BLOCK_SIZE)
    width = max(needed)
    tables = [
        [*range(1 + sum(needed[:row]), 1 + sum(needed[: row + 1])), *[0] * (width - needed[row])]
        for row in range(len(sequences))
    ]
    found, done = [], 0
    for piece in pieces or [max(map(len, sequences))]:
        parts = [each[done : done + piece] for each in sequences]
        starts = [sum(map(len, parts[:row])) for row in range(len(parts) + 1)]
        batch = StepBatch(
            tokens=torch.tensor([token for part in parts for token in part]),
            query_starts=torch.tensor(starts),
            context_lens=torch.tensor([done] * len(parts)),
            slots=torch.arange(1, len(parts) + 1),
            block_tables=torch.tensor(tables),
            logit_rows=torch.arange(starts[-1]),
        )
        found.append(model.forward(batch, cache, kda_form=form, mla_form=form, trace=trace))
        done += piece
    return torch.cat(found)
