"""Every tensor of a K3 checkpoint: name, shape, storage type, and how ranks split it."""

import math
from typing import Literal, NamedTuple

import torch

from k3_decode.config import MXFP4_GROUP, K3Config

StorageType = Literal["BF16", "F32", "U8"]

Split = Literal["replicated", "rows", "columns", "heads", "front"]
"""How tensor-parallel ranks divide a tensor.

``rows``: output rows (heads are contiguous rows, so this is also the split by head, and the split by vocabulary).
``columns``: input columns, whose product is a partial sum. ``heads``: the entry of each head in a vector whose tail is
padding. ``front``: whole on every rank, or by rows where the front of the MoE is sharded.
"""

PREFIX = "language_model."
"""What the published checkpoint puts before every text tensor."""

TORCH_TYPES: dict[str, torch.dtype] = {"BF16": torch.bfloat16, "F32": torch.float32, "U8": torch.uint8}


class TensorSpec(NamedTuple):
    """One stored tensor."""

    name: str
    """Full name in the published checkpoint."""
    shape: tuple[int, ...]
    dtype: StorageType
    split: Split

    @property
    def numel(self) -> int:
        """Stored elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Stored bytes."""
        return self.numel * TORCH_TYPES[self.dtype].itemsize

    @property
    def parameters(self) -> int:
        """Model parameters: two for a packed byte, none for a scale."""
        if self.dtype == "U8":
            return 2 * self.numel if self.name.endswith("weight_packed") else 0
        return self.numel


def tensor_table(config: K3Config) -> list[TensorSpec]:
    """List the text model's tensors, layer by layer, then the global ones.

    Args:
        config: The model.

    Returns:
        One entry per stored tensor; 497,052 for the published model.

    Source:
        k3-model.md section 4.
    """
    table = [spec for layer in range(config.num_layers) for spec in layer_table(config, layer)]
    return table + global_table(config)


def global_table(config: K3Config) -> list[TensorSpec]:
    """List the tensors outside the layers."""
    hidden, vocab = config.hidden_size, config.vocab_size
    return [
        TensorSpec(f"{PREFIX}model.embed_tokens.weight", (vocab, hidden), "BF16", "rows"),
        TensorSpec(f"{PREFIX}model.norm.weight", (hidden,), "BF16", "replicated"),
        TensorSpec(f"{PREFIX}model.output_attn_res_norm.weight", (hidden,), "BF16", "replicated"),
        TensorSpec(f"{PREFIX}model.output_attn_res_proj.weight", (1, hidden), "BF16", "replicated"),
        TensorSpec(f"{PREFIX}lm_head.weight", (vocab, hidden), "BF16", "rows"),
    ]


def layer_table(config: K3Config, layer: int) -> list[TensorSpec]:
    """List the tensors of one layer.

    Args:
        config: The model.
        layer: 0-based index.
    """
    hidden = config.hidden_size
    entries: list[tuple[str, tuple[int, ...], StorageType, Split]] = [
        ("input_layernorm.weight", (hidden,), "BF16", "replicated"),
        ("post_attention_layernorm.weight", (hidden,), "BF16", "replicated"),
        ("self_attention_res_norm.weight", (hidden,), "BF16", "replicated"),
        ("mlp_res_norm.weight", (hidden,), "BF16", "replicated"),
        ("self_attention_res_proj.weight", (1, hidden), "BF16", "replicated"),
        ("mlp_res_proj.weight", (1, hidden), "BF16", "replicated"),
    ]
    entries += _kda(config) if config.layer_kind(layer) == "kda" else _mla(config)
    entries += _mlp("mlp.", hidden, config.dense_size) if config.is_dense(layer) else _moe(config)
    prefix = f"{PREFIX}model.layers.{layer}."
    return [TensorSpec(prefix + name, shape, dtype, split) for name, shape, dtype, split in entries]


_Entry = tuple[str, tuple[int, ...], StorageType, Split]


def _kda(config: K3Config) -> list[_Entry]:
    hidden, heads, head, wide = config.hidden_size, config.num_heads, config.kda_head_dim, config.projection_size
    return [
        *((f"self_attn.{part}_proj.weight", (wide, hidden), "BF16", "rows") for part in "qkvg"),
        ("self_attn.f_a_proj.weight", (head, hidden), "BF16", "replicated"),
        ("self_attn.f_b_proj.weight", (wide, head), "BF16", "rows"),
        ("self_attn.b_proj.weight", (heads, hidden), "BF16", "rows"),
        *((f"self_attn.{part}_conv1d.weight", (wide, 1, config.conv_width), "F32", "rows") for part in "qkv"),
        ("self_attn.A_log", (config.a_log_size,), "F32", "heads"),
        ("self_attn.dt_bias", (wide,), "F32", "rows"),
        ("self_attn.o_norm.weight", (head,), "F32", "replicated"),
        ("self_attn.o_proj.weight", (hidden, wide), "BF16", "columns"),
    ]


def _mla(config: K3Config) -> list[_Entry]:
    hidden, heads, wide = config.hidden_size, config.num_heads, config.num_heads * config.v_head_dim
    key_value = config.qk_nope_head_dim + config.v_head_dim
    return [
        ("self_attn.q_a_proj.weight", (config.q_lora_rank, hidden), "BF16", "replicated"),
        ("self_attn.q_a_layernorm.weight", (config.q_lora_rank,), "BF16", "replicated"),
        ("self_attn.q_b_proj.weight", (heads * config.qk_head_dim, config.q_lora_rank), "BF16", "rows"),
        ("self_attn.kv_a_proj_with_mqa.weight", (config.cache_width, hidden), "BF16", "replicated"),
        ("self_attn.kv_a_layernorm.weight", (config.kv_lora_rank,), "BF16", "replicated"),
        ("self_attn.kv_b_proj.weight", (heads * key_value, config.kv_lora_rank), "BF16", "rows"),
        ("self_attn.g_proj.weight", (wide, hidden), "BF16", "rows"),
        ("self_attn.o_proj.weight", (hidden, wide), "BF16", "columns"),
    ]


def _mlp(prefix: str, hidden: int, width: int) -> list[_Entry]:
    return [
        (f"{prefix}gate_proj.weight", (width, hidden), "BF16", "rows"),
        (f"{prefix}up_proj.weight", (width, hidden), "BF16", "rows"),
        (f"{prefix}down_proj.weight", (hidden, width), "BF16", "columns"),
    ]


def _moe(config: K3Config) -> list[_Entry]:
    hidden, latent, width, moe = config.hidden_size, config.latent_size, config.expert_size, "block_sparse_moe."
    entries: list[_Entry] = [
        (f"{moe}gate.weight", (config.num_experts, hidden), "BF16", "front"),
        (f"{moe}gate.e_score_correction_bias", (config.num_experts,), "F32", "replicated"),
        (f"{moe}routed_expert_down_proj.weight", (latent, hidden), "BF16", "front"),
        (f"{moe}routed_expert_norm.weight", (latent,), "BF16", "replicated"),
        (f"{moe}routed_expert_up_proj.weight", (hidden, latent), "BF16", "front"),
        *_mlp(f"{moe}shared_experts.", hidden, config.shared_size),
    ]
    for expert in range(config.num_experts):
        for part, rows, columns, split in _expert_parts(latent, width):
            name = f"{moe}experts.{expert}.{part}"
            entries.append((f"{name}.weight_packed", (rows, columns // 2), "U8", split))
            entries.append((f"{name}.weight_scale", (rows, columns // MXFP4_GROUP), "U8", split))
    return entries


def _expert_parts(latent: int, width: int) -> tuple[tuple[str, int, int, Split], ...]:
    return (("w1", width, latent, "rows"), ("w2", latent, width, "columns"), ("w3", width, latent, "rows"))


def vision_shapes(hidden_size: int) -> list[tuple[int, ...]]:
    """List the shapes of the published checkpoint's vision tower and projector, all BF16.

    This package does not run them; they are here so that the checkpoint's totals can be checked.

    Args:
        hidden_size: Width of the text model the projector ends in.

    Returns:
        168 shapes holding 447,358,976 parameters for a text width of 7168.

    Source:
        k3-model.md sections 0 and 1: 27 blocks, width 1024, attention width 1536, MLP 4096, patch 14, 64 x 64
        positions, 2 x 2 merge, projector 4096 -> 4096 -> text width, and a norm of the text width.
    """
    width, attention, mlp, patch, grid, merged = 1024, 1536, 4096, 14, 64, 4096
    block = [(3 * attention, width), (width, attention), (mlp, width), (width, mlp), (width,), (width,)]
    tower = [(width,), (width, 3, patch, patch), (grid, grid, width)]
    projector = [(merged, merged), (hidden_size, merged), (hidden_size,)]
    return block * 27 + tower + projector
