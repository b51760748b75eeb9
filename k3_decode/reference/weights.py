"""One rank's weights, built tensor by tensor from any source of checkpoint tensors."""

import dataclasses
from typing import Protocol

import torch
from torch import Tensor

from k3_decode.config import MXFP4_GROUP, K3Config
from k3_decode.errors import ArgumentError
from k3_decode.reference import mla
from k3_decode.reference.experts import DecodedExperts, PackedExperts
from k3_decode.reference.precision import accumulate_dtype
from k3_decode.reference.sharding import Shard
from k3_decode.reference.tensors import PREFIX, TensorSpec, global_table, layer_table


class TensorSource(Protocol):
    """Where checkpoint tensors come from."""

    def read(self, spec: TensorSpec, index: tuple[slice, ...]) -> Tensor:
        """Read part of a tensor.

        Args:
            spec: Which tensor, with its full shape and storage type.
            index: One slice per axis.

        Returns:
            The part, on the CPU, in the storage type.
        """


@dataclasses.dataclass(frozen=True, eq=False)
class MixWeights:
    """Attention-residual mix: ``gamma`` and ``query``, both ``[H]``."""

    gamma: Tensor
    query: Tensor


@dataclasses.dataclass(frozen=True, eq=False)
class KdaWeights:
    """Kimi Delta Attention of one rank; ``P`` = its heads times head width."""

    in_proj: Tensor
    """``[4 * P + head_dim + heads, H]``: q, k, v, output gate, decay bottleneck, step size."""
    f_b: Tensor
    """``[P, head_dim]``."""
    conv: Tensor
    """``[3 * P, conv_width]`` for q, k, v."""
    a_log: Tensor
    """``[heads]``."""
    dt_bias: Tensor
    """``[heads, head_dim]``."""
    o_norm: Tensor
    """``[head_dim]``."""
    o_proj: Tensor
    """``[H, P]``."""


@dataclasses.dataclass(frozen=True, eq=False)
class MlaWeights:
    """Gated MLA of one rank."""

    in_proj: Tensor
    """``[q_lora + kv_lora + rope + heads * v_head_dim, H]``: query latent, key-value latent, shared key, gate."""
    q_a_norm: Tensor
    q_b: Tensor
    """``[heads * qk_head_dim, q_lora]``."""
    kv_a_norm: Tensor
    w_uk: Tensor
    """``[heads, nope, kv_lora]``."""
    w_uv: Tensor
    """``[heads, v, kv_lora]``."""
    o_proj: Tensor
    """``[H, heads * v_head_dim]``."""


@dataclasses.dataclass(frozen=True, eq=False)
class MlpWeights:
    """Gated MLP of one rank: ``gate_up`` ``[2 * I, H]``, ``down`` ``[H, I]``."""

    gate_up: Tensor
    down: Tensor


@dataclasses.dataclass(frozen=True, eq=False)
class MoeWeights:
    """Latent mixture of experts of one rank."""

    router: Tensor
    """``[E, H]``, or this rank's rows where the front is sharded; kept in the accumulation dtype."""
    bias: Tensor
    """``[E]``."""
    down: Tensor
    """``[L, H]``, or this rank's rows."""
    norm: Tensor
    """``[L]``."""
    up: Tensor
    """``[H, L]``, or this rank's rows."""
    shared: MlpWeights
    experts: PackedExperts | DecodedExperts


@dataclasses.dataclass(frozen=True, eq=False)
class LayerWeights:
    """One layer of one rank."""

    attention_mix: MixWeights
    input_norm: Tensor
    attention: KdaWeights | MlaWeights
    mlp_mix: MixWeights
    post_norm: Tensor
    feed_forward: MlpWeights | MoeWeights


@dataclasses.dataclass(frozen=True, eq=False)
class ModelWeights:
    """Everything one rank holds."""

    embed: Tensor
    """``[vocab / TP, H]``."""
    layers: tuple[LayerWeights, ...]
    output_mix: MixWeights
    norm: Tensor
    head: Tensor
    """``[vocab / TP, H]``."""

    @classmethod
    def build(
        cls,
        source: TensorSource,
        config: K3Config,
        shard: Shard,
        *,
        dtype: torch.dtype,
        device: torch.device,
        dequantize_experts: bool,
    ) -> "ModelWeights":
        """Read one rank's weights.

        Args:
            source: Where the tensors come from.
            config: The model.
            shard: Which rank.
            dtype: Dtype of the matrices; vectors and the router take its accumulation dtype.
            device: Where to put them.
            dequantize_experts: Keep the routed experts decoded instead of packed.

        Raises:
            ArgumentError: The model does not divide by the group's size, or ``dtype`` is none of the three.
            CheckpointError: The source lacks a tensor or has another shape or type.
        """
        if dtype not in (torch.float32, torch.bfloat16, torch.float64):
            raise ArgumentError("K3Model", "dtype", expected="float32, bfloat16 or float64", got=dtype)
        shard.check(config)
        reader = _Reader(source, config, shard, dtype, device)
        layers = []
        for layer in range(config.num_layers):
            reader.open(layer_table(config, layer), f"{PREFIX}model.layers.{layer}.")
            layers.append(_layer(reader, layer, dequantize_experts))
        reader.open(global_table(config), PREFIX)
        return cls(
            embed=reader.matrix("model.embed_tokens.weight"),
            layers=tuple(layers),
            output_mix=_mix(reader, "model.output_attn_res"),
            norm=reader.wide("model.norm.weight"),
            head=reader.matrix("lm_head.weight"),
        )


class _Reader:
    """Reads this rank's part of named tensors under a prefix."""

    def __init__(
        self, source: TensorSource, config: K3Config, shard: Shard, dtype: torch.dtype, device: torch.device
    ) -> None:
        self.config, self.shard, self.dtype, self.device = config, shard, dtype, device
        self._source = source
        self._specs: dict[str, TensorSpec] = {}

    def open(self, table: list[TensorSpec], prefix: str) -> None:
        self._specs = {spec.name.removeprefix(prefix): spec for spec in table}

    def matrix(self, *names: str) -> Tensor:
        """Read matrices in the model dtype and stack their rows."""
        parts = [self._part(name).to(self.device, self.dtype) for name in names]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def wide(self, *names: str) -> Tensor:
        """Read tensors in the accumulation dtype and stack their rows."""
        parts = [self._part(name).to(self.device, accumulate_dtype(self.dtype)) for name in names]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def raw(self, name: str, index: tuple[slice, ...]) -> Tensor:
        """Read part of a tensor as stored."""
        return self._source.read(self._specs[name], index)

    def _part(self, name: str) -> Tensor:
        spec = self._specs[name]
        return self._source.read(spec, self.shard.index(spec, self.config))


def _mix(reader: _Reader, name: str) -> MixWeights:
    return MixWeights(gamma=reader.wide(f"{name}_norm.weight"), query=reader.wide(f"{name}_proj.weight").squeeze(0))


def _layer(reader: _Reader, layer: int, dequantize_experts: bool) -> LayerWeights:
    config = reader.config
    return LayerWeights(
        attention_mix=_mix(reader, "self_attention_res"),
        input_norm=reader.wide("input_layernorm.weight"),
        attention=_kda(reader) if config.layer_kind(layer) == "kda" else _mla(reader),
        mlp_mix=_mix(reader, "mlp_res"),
        post_norm=reader.wide("post_attention_layernorm.weight"),
        feed_forward=_mlp(reader, "mlp.") if config.is_dense(layer) else _moe(reader, dequantize_experts),
    )


def _kda(reader: _Reader) -> KdaWeights:
    projections = ("q_proj", "k_proj", "v_proj", "g_proj", "f_a_proj", "b_proj")
    return KdaWeights(
        in_proj=reader.matrix(*(f"self_attn.{name}.weight" for name in projections)),
        f_b=reader.matrix("self_attn.f_b_proj.weight"),
        conv=reader.wide(*(f"self_attn.{part}_conv1d.weight" for part in "qkv")).squeeze(1),
        a_log=reader.wide("self_attn.A_log"),
        dt_bias=reader.wide("self_attn.dt_bias").view(-1, reader.config.kda_head_dim),
        o_norm=reader.wide("self_attn.o_norm.weight"),
        o_proj=reader.matrix("self_attn.o_proj.weight"),
    )


def _mla(reader: _Reader) -> MlaWeights:
    config, kv_b = reader.config, reader.matrix("self_attn.kv_b_proj.weight")
    heads = config.num_heads // reader.shard.size
    w_uk, w_uv = mla.split_kv_b(kv_b, num_heads=heads, key_dim=config.qk_nope_head_dim)
    projections = ("q_a_proj", "kv_a_proj_with_mqa", "g_proj")
    return MlaWeights(
        in_proj=reader.matrix(*(f"self_attn.{name}.weight" for name in projections)),
        q_a_norm=reader.wide("self_attn.q_a_layernorm.weight"),
        q_b=reader.matrix("self_attn.q_b_proj.weight"),
        kv_a_norm=reader.wide("self_attn.kv_a_layernorm.weight"),
        w_uk=w_uk,
        w_uv=w_uv,
        o_proj=reader.matrix("self_attn.o_proj.weight"),
    )


def _mlp(reader: _Reader, prefix: str) -> MlpWeights:
    gate_up = reader.matrix(f"{prefix}gate_proj.weight", f"{prefix}up_proj.weight")
    return MlpWeights(gate_up=gate_up, down=reader.matrix(f"{prefix}down_proj.weight"))


def _moe(reader: _Reader, dequantize_experts: bool) -> MoeWeights:
    moe = "block_sparse_moe."
    packed = _experts(reader)
    return MoeWeights(
        router=reader.wide(f"{moe}gate.weight"),
        bias=reader.wide(f"{moe}gate.e_score_correction_bias"),
        down=reader.matrix(f"{moe}routed_expert_down_proj.weight"),
        norm=reader.wide(f"{moe}routed_expert_norm.weight"),
        up=reader.matrix(f"{moe}routed_expert_up_proj.weight"),
        shared=_mlp(reader, f"{moe}shared_experts."),
        experts=packed.decoded(reader.dtype) if dequantize_experts else packed,
    )


def _experts(reader: _Reader) -> PackedExperts:
    """Read every expert's share; columns around a share that are not this rank's become zero."""
    config, window = reader.config, reader.shard.expert_window(reader.config)
    count, latent, width, live = config.num_experts, config.latent_size, window.width, window.live_width

    def empty(*shape: int) -> Tensor:
        return torch.zeros(count, *shape, dtype=torch.uint8)

    packed = PackedExperts(
        w13_packed=empty(2 * width, latent // 2),
        w13_scale=empty(2 * width, latent // MXFP4_GROUP),
        w2_packed=empty(latent, width // 2),
        w2_scale=empty(latent, width // MXFP4_GROUP),
    )
    every = slice(0, latent)
    half, groups = slice(0, latent // 2), slice(0, latent // MXFP4_GROUP)
    live_bytes = slice(window.live.start // 2, window.live.stop // 2)
    stored_groups = slice(window.stored.start // MXFP4_GROUP, window.stored.stop // MXFP4_GROUP)
    for expert in range(count):
        name = f"block_sparse_moe.experts.{expert}."
        for part, base in (("w1", 0), ("w3", width)):
            rows = slice(base + window.offset, base + window.offset + live)
            packed.w13_packed[expert, rows] = reader.raw(f"{name}{part}.weight_packed", (window.live, half))
            packed.w13_scale[expert, rows] = reader.raw(f"{name}{part}.weight_scale", (window.live, groups))
        columns = slice(window.offset // 2, (window.offset + live) // 2)
        packed.w2_packed[expert, :, columns] = reader.raw(f"{name}w2.weight_packed", (every, live_bytes))
        packed.w2_scale[expert] = reader.raw(f"{name}w2.weight_scale", (every, stored_groups))
    return PackedExperts(
        w13_packed=packed.w13_packed.to(reader.device),
        w13_scale=packed.w13_scale.to(reader.device),
        w2_packed=packed.w2_packed.to(reader.device),
        w2_scale=packed.w2_scale.to(reader.device),
    )
