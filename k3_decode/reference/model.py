"""The Kimi K3 text model in plain PyTorch: the oracle every faster path is judged by."""

import dataclasses
import pathlib
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from k3_decode.config import ExpertAct, K3Config
from k3_decode.errors import ArgumentError
from k3_decode.reference.attention_residual import mix
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.cache import K3Cache, StateSnapshot
from k3_decode.reference.checkpoint import Checkpoint
from k3_decode.reference.exchange import Exchange, InProcess
from k3_decode.reference.feed_forward import latent_moe, mlp
from k3_decode.reference.kda_layer import kda_attention
from k3_decode.reference.mla_layer import mla_attention
from k3_decode.reference.norm import rms_norm
from k3_decode.reference.plan import Form, Group, StepPlan
from k3_decode.reference.precision import accumulate_dtype
from k3_decode.reference.sharding import Front, Shard
from k3_decode.reference.synthetic import SyntheticSource
from k3_decode.reference.weights import KdaWeights, MixWeights, MlaWeights, MlpWeights, ModelWeights, MoeWeights
from k3_decode.spans import operator

__all__ = ["Form", "K3Cache", "K3Model", "LayerTrace", "StateSnapshot", "StepBatch", "forward_ranks"]


@dataclasses.dataclass(frozen=True, eq=False)
class LayerTrace:
    """What one layer saw and left behind, for tests and for drafts that tap the target."""

    layer: int
    """0-based."""
    attention_sources: int
    """Sources of the mix before the attention."""
    mlp_sources: int
    """Sources of the mix before the feed-forward."""
    attention_input: Tensor
    """``[T, H]``, the mix before its norm."""
    mlp_input: Tensor
    """``[T, H]``, the mix before its norm."""
    running_sum: Tensor
    """``[T, H]``, after the feed-forward was added: the value DSpark drafts tap."""


class K3Model:
    """One rank of a K3 text model.

    Attributes:
        config: The model.
        dtype: float64 is the oracle mode, in which nothing is rounded.
        shard: Which rank of how many.
        weights: Its weights.
        device: Where they are.
    """

    def __init__(self, config: K3Config, weights: ModelWeights, shard: Shard) -> None:
        self.config = config
        self.weights = weights
        self.shard = shard
        self.dtype = weights.embed.dtype
        self.device = weights.embed.device

    @classmethod
    def from_checkpoint(
        cls,
        path: pathlib.Path | str,
        *,
        dtype: torch.dtype,
        tp_rank: int = 0,
        tp_size: int = 1,
        front: Front = "replicated",
        expert_act: ExpertAct = "bf16",
        dequantize_experts: bool = False,
        device: torch.device | str = "cpu",
    ) -> "K3Model":
        """Load one rank from a checkpoint folder, reading only that rank's slices.

        Args:
            path: Folder with ``config.json``, ``model.safetensors.index.json`` and the files it names.
            dtype: float32, bfloat16, or float64 for the oracle.
            tp_rank: This rank.
            tp_size: Ranks in the tensor-parallel group.
            front: Whether router and latent projections are whole on every rank or sharded.
            expert_act: Activation format of the routed experts.
            dequantize_experts: Decode the routed experts once. Faster on a CPU, up to sixteen times their bytes.
            device: Where to put the weights.

        Raises:
            ConfigError: ``config.json`` is no K3 model.
            CheckpointError: A tensor is missing or has another shape or dtype; it is named.
            ArgumentError: The model does not divide by ``tp_size``.
        """
        with Checkpoint(pathlib.Path(path)) as source:
            config = dataclasses.replace(source.config, expert_act=expert_act)
            shard = Shard(tp_rank, tp_size, front)
            weights = ModelWeights.build(
                source, config, shard,
                dtype=dtype, device=torch.device(device), dequantize_experts=dequantize_experts,
            )  # fmt: skip
        return cls(config, weights, shard)

    @classmethod
    def synthetic(
        cls,
        config: K3Config,
        seed: int,
        dtype: torch.dtype,
        *,
        tp_rank: int = 0,
        tp_size: int = 1,
        front: Front = "replicated",
        dequantize_experts: bool = False,
        device: torch.device | str = "cpu",
    ) -> "K3Model":
        """Make the model that the synthetic checkpoint of the same seed holds, without writing it.

        Args:
            config: The model.
            seed: Seed of the weights.
            dtype: float32, bfloat16, or float64 for the oracle.
            tp_rank: This rank.
            tp_size: Ranks in the tensor-parallel group.
            front: Whether router and latent projections are whole on every rank or sharded.
            dequantize_experts: Decode the routed experts once.
            device: Where to put the weights.
        """
        shard = Shard(tp_rank, tp_size, front)
        weights = ModelWeights.build(
            SyntheticSource(config, seed), config, shard,
            dtype=dtype, device=torch.device(device), dequantize_experts=dequantize_experts,
        )  # fmt: skip
        return cls(config, weights, shard)

    def new_cache(
        self, *, num_slots: int, num_blocks: int, block_size: int, latent_dtype: torch.dtype | None = None
    ) -> K3Cache:
        """Allocate zeroed caches for this rank.

        Args:
            num_slots: KDA state slots, the reserved slot 0 included.
            num_blocks: MLA cache blocks, the reserved block 0 included.
            block_size: Tokens per block.
            latent_dtype: Dtype of the MLA rows: the model's (default) or ``torch.float8_e4m3fn``.
        """
        return K3Cache.allocate(
            self.config,
            num_slots=num_slots,
            num_blocks=num_blocks,
            block_size=block_size,
            num_heads=self.config.num_heads // self.shard.size,
            dtype=self.dtype,
            latent_dtype=latent_dtype or self.dtype,
            device=self.device,
        )

    @torch.inference_mode()
    def forward(
        self,
        batch: StepBatch,
        cache: K3Cache,
        *,
        kda_form: Form = "auto",
        mla_form: Form = "auto",
        exchange: Exchange | None = None,
        trace: list[LayerTrace] | None = None,
    ) -> Tensor:
        """Run one step: decode, prefill, or a mixture.

        Args:
            batch: The tokens and where their state lives.
            cache: Read and updated in place.
            kda_form: ``decode`` forces the recurrent form, ``prefill`` the chunked one; ``auto`` chooses by length.
            mla_form: ``decode`` forces the absorbed form, ``prefill`` the expanded one; ``auto`` chooses by length.
            exchange: Collectives with the other ranks; needed when there are any.
            trace: Filled with one entry per layer when given.

        Returns:
            Logits ``[N, vocab]`` of ``batch.logit_rows``, float32 (float64 in oracle mode); zero for padding.

        Raises:
            ArgumentError: The batch contradicts itself or does not fit the cache, or a rank of several runs alone.
        """
        if exchange is None and self.shard.size > 1:
            raise ArgumentError(
                "K3Model.forward", "exchange", expected=f"collectives of {self.shard.size} ranks", got=None
            )
        return forward_ranks(
            [self], batch, [cache], exchange=exchange or InProcess(), kda_form=kda_form, mla_form=mla_form, trace=trace
        )


def forward_ranks(
    ranks: Sequence[K3Model],
    batch: StepBatch,
    caches: Sequence[K3Cache],
    *,
    exchange: Exchange,
    kda_form: Form = "auto",
    mla_form: Form = "auto",
    trace: list[LayerTrace] | None = None,
) -> Tensor:
    """Run one step on the ranks of this process in lockstep.

    The attention-residual loop, with ``p`` the running sum and ``blocks`` the finished blocks::

        p = embed(token)
        for every layer:
            x = mix(blocks, p)
            at a block start: blocks += [p], p = none      (after the mix, so p is not counted twice)
            p = p + attention(RMSNorm(x))
            p = p + feed_forward(RMSNorm(mix(blocks, p)))
        logits = lm_head(RMSNorm(mix(blocks, p)))

    Args:
        ranks: The ranks, in order.
        batch: The tokens and where their state lives.
        caches: One per rank, updated in place.
        exchange: Collectives.
        kda_form: See :meth:`K3Model.forward`.
        mla_form: See :meth:`K3Model.forward`.
        trace: See :meth:`K3Model.forward`.

    Returns:
        Logits as :meth:`K3Model.forward` returns them.

    Source:
        k3-model.md section 2.
    """
    config, eps = ranks[0].config, ranks[0].config.rms_eps
    plan = StepPlan(batch, caches[0], vocab_size=config.vocab_size)
    kda_groups, mla_groups = plan.groups(kda_form), plan.groups(mla_form)
    running = exchange.sum([_embed(rank, batch.tokens) for rank in ranks])
    blocks: list[Tensor] = []
    for index in range(config.num_layers):
        layers = [rank.weights.layers[index] for rank in ranks]
        first = layers[0]
        attention_sources = [*blocks, running]
        attention_input = _mix(attention_sources, first.attention_mix, eps)
        starts_block = index % config.attn_res_block_size == 0
        if starts_block:
            blocks.append(running)
        hidden = rms_norm(attention_input, first.input_norm, eps=eps)
        partials = [
            _attend(hidden, layer.attention, config, cache, index, plan, kda_groups, mla_groups)
            for layer, cache in zip(layers, caches, strict=True)
        ]
        attended = exchange.sum(partials)
        running = attended if starts_block else running + attended
        mlp_sources = [*blocks, running]
        mlp_input = _mix(mlp_sources, first.mlp_mix, eps)
        hidden = rms_norm(mlp_input, first.post_norm, eps=eps)
        running = running + _feed_forward(
            hidden, [layer.feed_forward for layer in layers], config, exchange, ranks[0].shard.front
        )
        if trace is not None:
            counts = (len(attention_sources), len(mlp_sources))
            trace.append(LayerTrace(index, *counts, attention_input, mlp_input, running))
    rows = batch.logit_rows
    last = ranks[0].weights
    out = _mix([source[rows] for source in [*blocks, running]], last.output_mix, eps)
    out = rms_norm(out, last.norm, eps=eps)
    logits = exchange.join([_head(rank, out) for rank in ranks]).to(accumulate_dtype(out.dtype))
    return logits if plan.padding is None else logits.masked_fill(plan.padding[rows].unsqueeze(-1), 0.0)


@operator
def _embed(rank: K3Model, tokens: Tensor) -> Tensor:
    """Look tokens up in this rank's part of the vocabulary; others contribute zero."""
    table = rank.weights.embed
    if rank.shard.size == 1:
        return table[tokens]
    local = tokens - rank.shard.rank * table.shape[0]
    mine = (local >= 0) & (local < table.shape[0])
    return table[local.where(mine, 0)].masked_fill(~mine.unsqueeze(-1), 0.0)


@operator
def _head(rank: K3Model, out: Tensor) -> Tensor:
    """This rank's part of the vocabulary's logits."""
    return functional.linear(out, rank.weights.head)


def _mix(sources: list[Tensor], weights: MixWeights, eps: float) -> Tensor:
    return mix(sources, gamma=weights.gamma, query=weights.query, eps=eps)


def _attend(
    hidden: Tensor,
    weights: KdaWeights | MlaWeights,
    config: K3Config,
    cache: K3Cache,
    layer: int,
    plan: StepPlan,
    kda_groups: tuple[list[Group], list[Group]],
    mla_groups: tuple[list[Group], list[Group]],
) -> Tensor:
    match weights:
        case KdaWeights():
            decode, prefill = kda_groups
            return kda_attention(
                hidden, weights, config,
                conv=cache.conv[layer], recurrent=cache.recurrent[layer], decode=decode, prefill=prefill,
            )  # fmt: skip
        case MlaWeights():
            decode, prefill = mla_groups
            return mla_attention(
                hidden, weights, config,
                cache=cache.latent[layer], live=plan.live, rows=plan.rows, decode=decode, prefill=prefill,
            )  # fmt: skip


def _feed_forward(
    hidden: Tensor,
    ranks: Sequence[MlpWeights | MoeWeights],
    config: K3Config,
    exchange: Exchange,
    front: Front,
) -> Tensor:
    dense = [weights for weights in ranks if isinstance(weights, MlpWeights)]
    if dense:
        return exchange.sum([mlp(hidden, weights, config) for weights in dense])
    experts = [weights for weights in ranks if isinstance(weights, MoeWeights)]
    return latent_moe(hidden, experts, config, exchange, front=front)
