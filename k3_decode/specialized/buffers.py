"""Device memory of one step: what it is told, what it hands from kernel to kernel, and what it answers."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from k3_decode.config import K3Config
from k3_decode.kernels.head_top import PARTS
from k3_decode.kernels.operator import Argument, Operator
from k3_decode.kernels.route import UNIT, latent_arguments
from k3_decode.reference.cache import K3Cache
from k3_decode.specialized.operators import TOP, StepOperators

_E4M3_NAN = 0x7F


@dataclass(frozen=True, eq=False)
class StepInputs:
    """What a step of M rows of R requests is told, written before it starts.

    Padding has slot 0, cache row -1 and context -1.
    """

    tokens: Tensor
    """``[M]`` int32."""
    slots: Tensor
    """``[R]`` int32 KDA slot of each request."""
    starts: Tensor
    """``[R]`` int32, tokens before the first of the request's rows."""
    accepted: Tensor
    """``[R]`` int32, tokens of the step before that stay; read where requests have several rows."""
    context_lens: Tensor
    """``[M]`` int32, tokens before each row."""
    cache_rows: Tensor
    """``[M]`` int32, where each row's MLA latent goes."""
    tables: Tensor
    """``[M, pages]`` int32."""

    @classmethod
    def allocate(cls, rows: int, requests: int, pages: int, device: torch.device) -> "StepInputs":
        """Make inputs of padding rows only."""

        def full(value: int, *shape: int) -> Tensor:
            return torch.full(shape, value, dtype=torch.int32, device=device)

        return cls(
            tokens=full(0, rows),
            slots=full(0, requests),
            starts=full(-1, requests),
            accepted=full(0, requests),
            context_lens=full(-1, rows),
            cache_rows=full(-1, rows),
            tables=full(0, rows, pages),
        )


@dataclass(frozen=True, eq=False)
class Records:
    """What a verification step leaves of its tokens, so that the next can fold the accepted ones into the state."""

    inputs: dict[int, Tensor]
    """By KDA layer: ``[slots, q, 3P]`` bfloat16 convolution inputs."""
    vectors: dict[int, Tensor]
    """By KDA layer: ``[slots, heads, q, 3, 128]`` float32 decay, key and correction."""

    @classmethod
    def allocate(cls, config: K3Config, cache: K3Cache, tokens: int) -> "Records":
        """Make them for every slot of a cache, filled with NaN: a record is read only once it was written."""
        inputs, vectors = {}, {}
        for layer, state in cache.recurrent.items():
            slots, heads, head = state.shape[:3]
            inputs[layer] = cache.conv[layer].new_full((slots, tokens, 3 * config.projection_size), math.nan)
            vectors[layer] = state.new_full((slots, heads, tokens, 3, head), math.nan)
        return cls(inputs, vectors)


@dataclass(frozen=True, eq=False)
class StepBuffers:
    """What kernels of a step hand to one another, and the logits."""

    blocks: Tensor
    running: Tensor
    delta: Tensor
    normed: Tensor
    projected: Tensor
    attended: Tensor
    query_latent: Tensor
    queries: Tensor
    absorbed: Tensor
    partial: Tensor
    sums: Tensor
    counters: Tensor
    """Zeros, which every launch of MLA's core leaves as zeros."""
    attended_latents: Tensor
    dense: Tensor
    activated: Tensor
    front: Tensor
    scaled: Tensor
    inverses: Tensor
    ids: Tensor
    weights: Tensor
    places: Tensor
    unit_experts: Tensor
    unit_tokens: Tensor
    hidden: Tensor
    unit_rows: Tensor
    latent: Tensor
    joined: Tensor
    logits: Tensor
    top_partial: Tensor
    top_counters: Tensor
    """Zeros, which every launch of the head's ranking leaves as zeros."""
    top_values: Tensor
    top_ids: Tensor

    @classmethod
    def allocate(cls, operators: StepOperators, device: torch.device) -> "StepBuffers":
        """Make them for a step, filled with NaN (integers with -1), so that a value read too early shows."""

        def bf16(*shape: int) -> Tensor:
            return torch.full(shape, math.nan, dtype=torch.bfloat16, device=device)

        def f32(*shape: int) -> Tensor:
            return torch.full(shape, math.nan, dtype=torch.float32, device=device)

        def u8(*shape: int) -> Tensor:
            return torch.full(shape, _E4M3_NAN, dtype=torch.uint8, device=device)

        def i32(*shape: int) -> Tensor:
            return torch.full(shape, -1, dtype=torch.int32, device=device)

        def extents(argument: Argument) -> tuple[int, ...]:
            known = {"m": rows, "g": -(-heads // operators.mla_core.heads)}
            return tuple(size if isinstance(size, int) else known[size] for size in argument.shape)

        def shape(operator: Operator, name: str) -> tuple[int, ...]:
            return extents(next(each for each in operator.arguments if each.name == name))

        c, rows, heads = operators.config, operators.rows, operators.config.num_heads
        units = rows * c.top_k
        codes, scales = latent_arguments(c.latent_size, c.expert_act)
        widest = max(
            4 * c.projection_size + c.kda_head_dim + heads, c.q_lora_rank + c.cache_width + heads * c.v_head_dim
        )
        return cls(
            blocks=bf16(c.num_attn_res_blocks, rows, c.hidden_size),
            running=bf16(rows, c.hidden_size),
            delta=bf16(rows, c.hidden_size),
            normed=bf16(rows, c.hidden_size),
            projected=bf16(rows, -(-widest // 64) * 64),
            attended=bf16(rows, heads * max(c.kda_head_dim, c.v_head_dim)),
            query_latent=bf16(rows, c.q_lora_rank),
            queries=bf16(rows, heads * c.qk_head_dim),
            absorbed=bf16(rows, heads, c.cache_width) if operators.cache == "bf16" else u8(rows, heads, c.cache_width),
            partial=f32(*shape(operators.mla_core, "partial")),
            sums=f32(*shape(operators.mla_core, "sums")),
            counters=torch.zeros(shape(operators.mla_core, "counters"), dtype=torch.int32, device=device),
            attended_latents=bf16(rows, heads, c.kv_lora_rank),
            dense=f32(rows, 2 * c.dense_size),
            activated=bf16(rows, c.dense_size),
            front=f32(rows, c.num_experts + c.latent_size + 2 * c.shared_size),
            scaled=i32(*extents(codes)),
            inverses=f32(*extents(scales)),
            ids=i32(rows, c.top_k),
            weights=f32(rows, c.top_k),
            places=i32(rows, c.top_k),
            unit_experts=i32(units),
            unit_tokens=i32(units, UNIT),
            hidden=bf16(units, UNIT, c.expert_size),
            unit_rows=f32(units if rows > 8 else 0, UNIT, c.latent_size),
            latent=f32(rows, c.latent_size),
            joined=bf16(rows, c.latent_size + c.shared_size),
            logits=f32(rows, c.vocab_size),
            top_partial=i32(rows, PARTS, 2, TOP),
            top_counters=torch.zeros(rows, dtype=torch.int32, device=device),
            top_values=f32(rows, TOP),
            top_ids=i32(rows, TOP),
        )

    def poison(self) -> None:
        """Fill everything again as `allocate` did, but for what every launch leaves as it found it."""
        for name in self.__dataclass_fields__:
            tensor: Tensor = getattr(self, name)
            if not name.endswith("counters"):
                poison = math.nan if tensor.is_floating_point() else -1
                tensor.fill_(_E4M3_NAN if tensor.dtype == torch.uint8 else poison)
