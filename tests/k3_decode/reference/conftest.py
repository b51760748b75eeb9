import dataclasses
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from k3_decode.config import CONFIGS, K3Config
from k3_decode.reference.model import K3Model, StepBatch
from k3_decode.reference.sharded import ShardedModel


class Conversation:
    """Runs requests through a model, keeping their slots, scattered blocks and lengths."""

    BLOCK = 4

    def __init__(self, model: K3Model | ShardedModel, *, requests: int = 3, max_tokens: int = 80) -> None:
        self.model = model
        per_request = -(-max_tokens // self.BLOCK)
        blocks = torch.randperm(requests * per_request, generator=torch.Generator().manual_seed(1)) + 1
        self.tables = blocks.view(requests, per_request)
        self.slots = list(range(requests, 0, -1))
        self.lengths = [0] * requests
        self.cache = model.new_cache(
            num_slots=requests + 1, num_blocks=requests * per_request + 1, block_size=self.BLOCK
        )

    def batch(self, parts: list[tuple[int | None, list[int]]], *, every_row: bool = False) -> StepBatch:
        """Lay out ``(request, tokens)`` parts; a request of None is padding."""
        starts = [0]
        for _, tokens in parts:
            starts.append(starts[-1] + len(tokens))
        zero = torch.zeros_like(self.tables[0])
        last = [stop - 1 for stop in starts[1:]]
        return StepBatch(
            tokens=torch.tensor([token for _, tokens in parts for token in tokens]),
            query_starts=torch.tensor(starts),
            context_lens=torch.tensor([0 if r is None else self.lengths[r] for r, _ in parts]),
            slots=torch.tensor([0 if r is None else self.slots[r] for r, _ in parts]),
            block_tables=torch.stack([zero if r is None else self.tables[r] for r, _ in parts]),
            logit_rows=torch.tensor(list(range(starts[-1])) if every_row else last),
        )

    def step(self, parts: list[tuple[int | None, list[int]]], *, every_row: bool = False, **options: object) -> Tensor:
        logits = self.model.forward(self.batch(parts, every_row=every_row), self.cache, **options)
        for request, tokens in parts:
            if request is not None:
                self.lengths[request] += len(tokens)
        return logits

    def state(self, request: int) -> tuple[Tensor, Tensor]:
        """All KDA states of a request: convolution windows and recurrent states, stacked over layers."""
        slot, cache = self.slots[request], self.cache
        return (
            torch.stack([tensor[slot] for tensor in cache.conv.values()]),
            torch.stack([tensor[slot] for tensor in cache.recurrent.values()]),
        )

    def rows(self, request: int) -> Tensor:
        """All MLA rows of a request, ``[layers, tokens, width]``."""
        return torch.stack(
            [
                tensor[self.tables[request]].flatten(0, 1)[: self.lengths[request]]
                for tensor in self.cache.latent.values()
            ]
        )


@pytest.fixture(scope="session")
def conversation() -> type[Conversation]:
    return Conversation


@pytest.fixture(scope="session")
def tiny() -> K3Config:
    return CONFIGS["k3-tiny"]


@pytest.fixture(scope="session")
def tiny64(tiny: K3Config) -> K3Model:
    """k3-tiny in oracle mode; nobody may change its weights."""
    return K3Model.synthetic(tiny, 0, torch.float64, dequantize_experts=True)


@pytest.fixture
def random() -> Callable[..., Tensor]:
    """Draw float64 normals from one generator, so a test's tensors differ and never change."""
    generator = torch.Generator().manual_seed(20)
    return lambda *shape: torch.randn(*shape, dtype=torch.float64, generator=generator)


@pytest.fixture(scope="session")
def prompt() -> Callable[..., list[int]]:
    def draw(length: int, seed: int = 0) -> list[int]:
        return torch.randint(0, 512, (length,), generator=torch.Generator().manual_seed(seed)).tolist()

    return draw


@pytest.fixture(scope="session")
def micro(tiny: K3Config) -> K3Config:
    """The smallest model with every kind of layer: dense and MoE, KDA and MLA, three residual blocks; 16 heads."""
    return dataclasses.replace(
        tiny, name="micro", num_layers=5, mla_layers=(3, 5), attn_res_block_size=2, num_heads=16, num_experts=16,
    )  # fmt: skip
