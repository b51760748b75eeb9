"""A model's weights in the layouts the kernels read. Matrices that share an input are joined; nothing is padded."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from k3_decode.config import ExpertAct
from k3_decode.errors import ArgumentError
from k3_decode.kernels.packing import pack_down, pack_up
from k3_decode.reference.experts import PackedExperts
from k3_decode.reference.weights import (
    KdaWeights,
    LayerWeights,
    MixWeights,
    MlaWeights,
    MlpWeights,
    ModelWeights,
    MoeWeights,
)


@dataclass(frozen=True, eq=False)
class Mix:
    """One mix and the norm after it."""

    query: Tensor
    """``[H]`` float32: pseudo-query times the mix's norm weight."""
    weight: Tensor
    """``[H]`` float32, of the norm after the mix."""


@dataclass(frozen=True, eq=False)
class Kda:
    """KDA of one layer; fields as in the reference, vectors float32."""

    in_proj: Tensor
    f_b: Tensor
    conv: Tensor
    a_log: Tensor
    dt_bias: Tensor
    o_norm: Tensor
    o_proj: Tensor


@dataclass(frozen=True, eq=False)
class Mla:
    """MLA of one layer; ``w_uk`` is ``[heads, latent, nope]``, the transpose of the reference's."""

    in_proj: Tensor
    q_a_norm: Tensor
    q_b: Tensor
    kv_a_norm: Tensor
    w_uk: Tensor
    w_uv: Tensor
    o_proj: Tensor


@dataclass(frozen=True, eq=False)
class Dense:
    """Dense feed-forward of one layer."""

    gate_up: Tensor
    down: Tensor


@dataclass(frozen=True, eq=False)
class Moe:
    """Latent mixture of experts of one layer."""

    front: Tensor
    """``[E + L + 2 * S, H]``: router, latent projection, shared gate and linear rows."""
    bias: Tensor
    up: Tensor
    up_scales: Tensor
    down: Tensor
    down_scales: Tensor
    norm: Tensor
    tail: Tensor
    """``[H, L + S]``: latent up-projection beside the shared experts' output rows."""


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer."""

    attention_mix: Mix
    attention: Kda | Mla
    mlp_mix: Mix
    feed_forward: Dense | Moe


@dataclass(frozen=True, eq=False)
class StepWeights:
    """Everything a step reads."""

    embed: Tensor
    layers: tuple[Layer, ...]
    output_mix: Mix
    head: Tensor
    expert_act: ExpertAct
    """Activations that the experts' layout is for."""

    @classmethod
    def prepare(cls, weights: ModelWeights, expert_act: ExpertAct = "bf16") -> "StepWeights":
        """Lay a model's weights out.

        Args:
            weights: Of a bfloat16 model on a CUDA device, experts packed.
            expert_act: Activations that the experts will meet, as the model's configuration says.

        Raises:
            ArgumentError: The weights are of another dtype, or the experts decoded.

        Note:
            Tensors that need no other layout are shared with ``weights``, not copied.
        """
        return cls.prepare_layers(weights, weights.layers, expert_act)

    @classmethod
    def prepare_layers(
        cls, weights: ModelWeights, layers: Iterable[LayerWeights], expert_act: ExpertAct = "bf16"
    ) -> "StepWeights":
        """Lay out a model whose layers come one at a time, so that no two need be held in both layouts.

        Args:
            weights: The rest of the model; its own layers are not used.
            layers: As in `prepare`.
            expert_act: As in `prepare`.

        Raises:
            ArgumentError: As in `prepare`.
        """
        if weights.embed.dtype != torch.bfloat16:
            raise ArgumentError("StepWeights.prepare", "weights", expected="bfloat16", got=weights.embed.dtype)
        return cls(
            embed=weights.embed,
            layers=tuple(_layer(layer, expert_act) for layer in layers),
            output_mix=_mix(weights.output_mix, weights.norm),
            head=weights.head,
            expert_act=expert_act,
        )


def _mix(weights: MixWeights, norm: Tensor) -> Mix:
    return Mix(query=(weights.gamma.float() * weights.query.float()).contiguous(), weight=norm.float().contiguous())


def _layer(layer: LayerWeights, act: ExpertAct) -> Layer:
    attention = layer.attention
    feed_forward = layer.feed_forward
    return Layer(
        attention_mix=_mix(layer.attention_mix, layer.input_norm),
        attention=_kda(attention) if isinstance(attention, KdaWeights) else _mla(attention),
        mlp_mix=_mix(layer.mlp_mix, layer.post_norm),
        feed_forward=_dense(feed_forward) if isinstance(feed_forward, MlpWeights) else _moe(feed_forward, act),
    )


def _kda(weights: KdaWeights) -> Kda:
    return Kda(
        in_proj=weights.in_proj,
        f_b=weights.f_b.contiguous(),
        conv=weights.conv.float().contiguous(),
        a_log=weights.a_log.float().contiguous(),
        dt_bias=weights.dt_bias.float().flatten().contiguous(),
        o_norm=weights.o_norm.float().contiguous(),
        o_proj=weights.o_proj.contiguous(),
    )


def _mla(weights: MlaWeights) -> Mla:
    return Mla(
        in_proj=weights.in_proj,
        q_a_norm=weights.q_a_norm.float().contiguous(),
        q_b=weights.q_b.contiguous(),
        kv_a_norm=weights.kv_a_norm.float().contiguous(),
        w_uk=weights.w_uk.transpose(1, 2).contiguous(),
        w_uv=weights.w_uv.contiguous(),
        o_proj=weights.o_proj.contiguous(),
    )


def _dense(weights: MlpWeights) -> Dense:
    return Dense(gate_up=weights.gate_up.contiguous(), down=weights.down.contiguous())


def _moe(weights: MoeWeights, act: ExpertAct) -> Moe:
    if not isinstance(weights.experts, PackedExperts):
        raise ArgumentError("StepWeights.prepare", "experts", expected="packed MXFP4", got="decoded experts")
    up, up_scales = pack_up(weights.experts.w13_packed, weights.experts.w13_scale, act)
    down, down_scales = pack_down(weights.experts.w2_packed, weights.experts.w2_scale, act)
    return Moe(
        front=torch.cat([weights.router.bfloat16(), weights.down, weights.shared.gate_up]),
        bias=weights.bias.float().contiguous(),
        up=up,
        up_scales=up_scales,
        down=down,
        down_scales=down_scales,
        norm=weights.norm.float().contiguous(),
        tail=torch.cat([weights.up, weights.shared.down], dim=1),
    )
