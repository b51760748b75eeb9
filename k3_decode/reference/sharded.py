"""All tensor-parallel ranks of a model in one process, for tests and small golden runs."""

import pathlib
from collections.abc import Sequence

import torch
from torch import Tensor

from k3_decode.config import ExpertAct, K3Config
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.cache import K3Cache
from k3_decode.reference.exchange import Exchange, InProcess
from k3_decode.reference.model import K3Model, LayerTrace, forward_ranks
from k3_decode.reference.plan import Form
from k3_decode.reference.sharding import Front


class ShardedModel:
    """Rank models run in lockstep, exchanging what real ranks exchange and nothing else.

    Args:
        ranks: All ranks of one group, in order.
        exchange: Collectives; the default adds and joins in this process.
    """

    def __init__(self, ranks: Sequence[K3Model], exchange: Exchange | None = None) -> None:
        self.ranks = tuple(ranks)
        self.config = self.ranks[0].config
        self.dtype = self.ranks[0].dtype
        self._exchange = exchange or InProcess()

    @classmethod
    def synthetic(
        cls, config: K3Config, seed: int, dtype: torch.dtype, *, tp_size: int, front: Front = "replicated"
    ) -> "ShardedModel":
        """Make every rank of a synthetic model; see :meth:`K3Model.synthetic`."""
        ranks = range(tp_size)
        return cls([K3Model.synthetic(config, seed, dtype, tp_rank=r, tp_size=tp_size, front=front) for r in ranks])

    @classmethod
    def from_checkpoint(
        cls,
        path: pathlib.Path | str,
        *,
        dtype: torch.dtype,
        tp_size: int,
        front: Front = "replicated",
        expert_act: ExpertAct = "bf16",
    ) -> "ShardedModel":
        """Load every rank of a checkpoint; see :meth:`K3Model.from_checkpoint`."""
        return cls([
            K3Model.from_checkpoint(
                path, dtype=dtype, tp_rank=rank, tp_size=tp_size, front=front, expert_act=expert_act
            )
            for rank in range(tp_size)
        ])  # fmt: skip

    def new_cache(self, *, num_slots: int, num_blocks: int, block_size: int) -> list[K3Cache]:
        """Allocate one cache per rank; see :meth:`K3Model.new_cache`."""
        return [
            rank.new_cache(num_slots=num_slots, num_blocks=num_blocks, block_size=block_size) for rank in self.ranks
        ]

    @torch.inference_mode()
    def forward(
        self,
        batch: StepBatch,
        cache: Sequence[K3Cache],
        *,
        kda_form: Form = "auto",
        mla_form: Form = "auto",
        trace: list[LayerTrace] | None = None,
    ) -> Tensor:
        """Run one step on every rank; see :meth:`K3Model.forward`."""
        return forward_ranks(
            self.ranks, batch, cache, exchange=self._exchange, kda_form=kda_form, mla_form=mla_form, trace=trace
        )
