"""Which operators a model's decode step consists of, by stage and row count."""

import dataclasses
from dataclasses import dataclass
from typing import Literal

from k3_decode.config import K3Config
from k3_decode.errors import ArgumentError
from k3_decode.kernels.attention_residual import AttentionResidual
from k3_decode.kernels.catalog import distinct
from k3_decode.kernels.expert_down import ExpertDown
from k3_decode.kernels.expert_units import ExpertDownUnits, ExpertSum
from k3_decode.kernels.expert_up import ExpertUp
from k3_decode.kernels.expert_up_row import ExpertUpRow
from k3_decode.kernels.gemv import Segment
from k3_decode.kernels.head_top import HeadTop
from k3_decode.kernels.kda import KdaDecode
from k3_decode.kernels.kda_verify import KdaVerify
from k3_decode.kernels.mla_absorb import MlaAbsorb
from k3_decode.kernels.mla_core import MlaCore
from k3_decode.kernels.mla_front import MlaFront
from k3_decode.kernels.mla_prepare import MlaPrepare
from k3_decode.kernels.mla_value import LATENT, MlaValue
from k3_decode.kernels.operator import Cache, Operator
from k3_decode.kernels.parts.decay import HEAD
from k3_decode.kernels.route import RouteRank
from k3_decode.kernels.route_row import RouteRow
from k3_decode.kernels.route_table import RouteTable
from k3_decode.kernels.rows import Activate, Embed, NormSitu
from k3_decode.kernels.tactics import (
    BUCKETS,
    Product,
    core,
    expert_down_row,
    expert_up_row,
    kda,
    kda_verify,
    mla_front,
    product,
    skinny,
)

Update = Literal["add", "restart", "keep"]

TOP = 8
"""Largest logits of a row that a step names: enough for greedy decoding, and to look at the choices beside it."""


def check_config(config: K3Config) -> None:
    """Refuse a model whose shapes no kernel serves.

    Raises:
        ArgumentError: Naming the first such shape.
    """
    limits: dict[str, tuple[int, int]] = {
        "kda_head_dim": (config.kda_head_dim % HEAD or config.kda_head_dim - HEAD, HEAD),
        "hidden_size": (config.hidden_size % 32, 32),
        "kv_lora_rank": (config.kv_lora_rank % LATENT or config.kv_lora_rank - LATENT, LATENT),
        "v_head_dim": (config.v_head_dim % 32, 32),
        "qk_nope_head_dim": (config.qk_nope_head_dim % 32, 32),
        "qk_rope_head_dim": (config.qk_rope_head_dim % 16, 16),
        "latent_size": (config.latent_size % 128, 128),
        "expert_size": (config.expert_size % 32, 32),
        "top_k": (config.top_k % 4, 4),
        "num_experts": (config.num_experts % 32, 32),
    }
    for field, (rest, unit) in limits.items():
        if rest:
            raise ArgumentError("specialized", field, expected=f"a multiple of {unit}", got=getattr(config, field))
    if config.gate_lower_bound is None or config.conv_width != 4:
        raise ArgumentError(
            "specialized", "config", expected="bounded decay, convolution width 4",
            got=(config.gate_lower_bound, config.conv_width),
        )  # fmt: skip


@dataclass(frozen=True)
class StepOperators:
    """The operators of one step.

    Attributes:
        config: The model, with the shapes of one rank.
        rows: Token rows: a bucket of `k3_decode.kernels.tactics`, or a multiple of ``tokens``.
        tokens: Tokens of each request. With several, each step folds in what was accepted of the step before.
        cache: Elements of the MLA cache.
    """

    config: K3Config
    rows: int
    tokens: int = 1
    cache: Cache = "bf16"

    @property
    def requests(self) -> int:
        """Requests of the step."""
        return self.rows // self.tokens

    @property
    def size(self) -> int:
        """Width of one KDA projection."""
        return self.config.num_heads * self.config.kda_head_dim

    @property
    def embed(self) -> Embed:
        """Token embedding."""
        return Embed(self.config.hidden_size)

    def mix(self, blocks: int, update: Update) -> AttentionResidual:
        """Attention residual and the norm after it."""
        return AttentionResidual(self.config.hidden_size, blocks, update, self.config.rms_eps)

    @property
    def kda_in(self) -> Product:
        """KDA's input projections."""
        outputs = 4 * self.size + self.config.kda_head_dim + self.config.num_heads
        return product(self.config.hidden_size, outputs, self.rows, settles=True)

    @property
    def kda(self) -> KdaDecode | KdaVerify:
        """KDA between its projections."""
        heads, bound = self.config.num_heads, self.config.gate_lower_bound
        chosen = kda(heads, self.rows) if self.tokens == 1 else kda_verify(heads, self.requests, self.tokens)
        return dataclasses.replace(
            chosen, lower_bound=-5.0 if bound is None else bound, eps=self.config.rms_eps
        )  # fmt: skip

    @property
    def kda_out(self) -> Product:
        """KDA's output projection."""
        return product(self.size, self.config.hidden_size, self.rows)

    @property
    def mla_in(self) -> Product:
        """MLA's input projections."""
        c = self.config
        outputs = c.q_lora_rank + c.cache_width + c.num_heads * c.v_head_dim
        return product(c.hidden_size, outputs, self.rows, settles=True)

    @property
    def mla_front(self) -> MlaFront | None:
        """What MLA does between its input projection and its attention, where one launch does it."""
        c = self.config
        widths = (c.q_lora_rank, c.kv_lora_rank, c.qk_nope_head_dim, c.qk_rope_head_dim)
        return mla_front(MlaFront(*widths, self.rows, self.cache, c.mla_latent_norm_eps), c.num_heads)

    @property
    def mla_prepare(self) -> MlaPrepare:
        """MLA's latent norms and the cache row, where they are a launch of their own, as the next two are."""
        c = self.config
        return MlaPrepare(c.q_lora_rank, c.kv_lora_rank, c.qk_rope_head_dim, self.cache, c.mla_latent_norm_eps)

    @property
    def mla_query(self) -> Product:
        """MLA's second query projection."""
        return product(self.config.q_lora_rank, self.config.num_heads * self.config.qk_head_dim, self.rows)

    @property
    def mla_absorb(self) -> MlaAbsorb:
        """Queries into the latent space."""
        c = self.config
        return MlaAbsorb(c.kv_lora_rank, c.qk_nope_head_dim, c.qk_rope_head_dim, self.cache)

    @property
    def mla_core(self) -> MlaCore:
        """Attention over the cache, merged."""
        c = self.config
        return core(c.kv_lora_rank, c.qk_rope_head_dim, self.rows, c.num_heads, c.qk_head_dim**-0.5, self.cache)

    @property
    def mla_value(self) -> MlaValue:
        """Values and gate."""
        c = self.config
        return MlaValue(c.kv_lora_rank, c.v_head_dim)

    @property
    def mla_out(self) -> Product:
        """MLA's output projection."""
        return product(self.config.num_heads * self.config.v_head_dim, self.config.hidden_size, self.rows)

    @property
    def dense_up(self) -> Product:
        """Gate and linear rows of the dense MLP."""
        return product(self.config.hidden_size, 2 * self.config.dense_size, self.rows, out="f32", settles=True)

    @property
    def dense_activate(self) -> Activate:
        """Activation of the dense MLP."""
        return Activate(self.config.dense_size, self.config.situ_beta, self.config.situ_linear_beta)

    @property
    def dense_down(self) -> Product:
        """Output rows of the dense MLP."""
        return product(self.config.dense_size, self.config.hidden_size, self.rows)

    @property
    def front(self) -> Product:
        """Router, latent projection, and the shared experts' gate and linear rows."""
        c = self.config
        return product(c.hidden_size, c.num_experts + c.latent_size + 2 * c.shared_size, self.rows, out="f32")

    @property
    def route(self) -> RouteRank | RouteRow:
        """Choice of experts."""
        c = self.config
        if self.rows == 1:
            return RouteRow(c.num_experts, c.top_k, c.routed_scaling_factor)
        return RouteRank(c.latent_size, c.num_experts, c.top_k, c.routed_scaling_factor, c.expert_act)

    @property
    def table(self) -> RouteTable | None:
        """Units of the chosen experts, where there are several rows."""
        return None if self.rows == 1 else RouteTable(self.config.num_experts, self.config.top_k)

    @property
    def expert_up(self) -> ExpertUp | ExpertUpRow:
        """First half of the routed experts."""
        c = self.config
        if self.rows == 1:
            chosen = expert_up_row(c.latent_size, c.expert_size, c.top_k, c.expert_act)
            return dataclasses.replace(chosen, beta=c.situ_beta, linear_beta=c.situ_linear_beta)
        return ExpertUp(c.latent_size, c.expert_size, c.situ_beta, c.situ_linear_beta, c.expert_act)

    @property
    def expert_down(self) -> ExpertDown | ExpertDownUnits:
        """Second half of the routed experts, and their weighted sum unless `expert_sum` makes it."""
        c = self.config
        if self.rows > 8:
            return ExpertDownUnits(c.latent_size, c.expert_size, c.expert_act)
        if self.rows == 1:
            return expert_down_row(c.latent_size, c.expert_size, c.top_k, c.expert_act)
        return ExpertDown(c.latent_size, c.expert_size, c.top_k, act=c.expert_act)

    @property
    def expert_sum(self) -> ExpertSum | None:
        """Weighted sum of the routed experts, where the second half works by unit."""
        return ExpertSum(self.config.latent_size, self.config.top_k) if self.rows > 8 else None

    @property
    def tail_input(self) -> NormSitu | None:
        """Joint input of the tail, where the tail does not make it itself."""
        c = self.config
        if self.rows <= 2:
            return None
        return NormSitu(c.latent_size, c.shared_size, c.rms_eps, c.situ_beta, c.situ_linear_beta)

    @property
    def tail(self) -> Product:
        """Latent up-projection and shared output rows in one product, over their joined columns."""
        c = self.config
        columns = c.latent_size + c.shared_size
        if self.rows > 2:
            return product(columns, c.hidden_size, self.rows)
        segments = (Segment("norm", c.latent_size), Segment("situ", c.shared_size))
        chosen = skinny(segments, c.hidden_size, self.rows)
        return dataclasses.replace(
            chosen, eps=c.rms_eps, beta=c.situ_beta, linear_beta=c.situ_linear_beta
        )  # fmt: skip

    @property
    def head(self) -> Product:
        """Logits."""
        return product(self.config.hidden_size, self.config.vocab_size, self.rows, out="f32")

    @property
    def head_top(self) -> HeadTop:
        """Largest logits of every row and their ids."""
        return HeadTop(TOP)

    def mixes(self) -> list[tuple[int, Update]]:
        """List blocks and update of every mix of the step, attention and feed-forward alternating, the output last."""
        found: list[tuple[int, Update]] = []
        blocks = 0
        for layer in range(self.config.num_layers):
            starts = layer % self.config.attn_res_block_size == 0
            found.append((blocks, "keep" if layer == 0 else "add"))
            blocks += starts
            found.append((blocks, "restart" if starts else "add"))
        return [*found, (blocks, "add")]

    def every(self) -> list[Operator]:
        """List every operator of the step once."""
        c = self.config
        used: list[Operator | None] = [
            self.embed,
            self.head,
            self.head_top,
            *(self.mix(*form) for form in self.mixes()),
        ]
        if c.kda_layer_indices:
            used += [self.kda_in, self.kda, self.kda_out]
        if c.mla_layer_indices:
            front = [self.mla_prepare, self.mla_query, self.mla_absorb] if self.mla_front is None else [self.mla_front]
            used += [self.mla_in, *front, self.mla_core, self.mla_value, self.mla_out]
        if c.first_dense:
            used += [self.dense_up, self.dense_activate, self.dense_down]
        if c.first_dense < c.num_layers:
            used += [self.front, self.route, self.table, self.expert_up, self.expert_down,
                     self.expert_sum, self.tail_input, self.tail]  # fmt: skip
        return distinct(operator for operator in used if operator is not None)


def step_operators(
    config: K3Config, *, buckets: tuple[int, ...] = BUCKETS, tokens: int = 1, cache: Cache = "bf16"
) -> list[Operator]:
    """List every operator of a model's decode steps of so many rows and tokens of a request, over one kind of cache.

    Raises:
        ArgumentError: A shape of the model has no kernel.
    """
    check_config(config)
    return distinct(operator for rows in buckets for operator in StepOperators(config, rows, tokens, cache).every())
