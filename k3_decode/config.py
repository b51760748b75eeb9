"""Shapes and constants of a Kimi K3 text model, the published one and its scaled-down relatives."""

import dataclasses
from collections.abc import Mapping
from typing import Literal

from k3_decode.errors import ConfigError
from k3_decode.hf_config import HfSection, quantization_config, refuse_variants

MXFP4_GROUP = 32
"""Elements that share one MXFP4 scale, along the input axis."""

ExpertAct = Literal["bf16", "mxfp8"]
LayerKind = Literal["kda", "mla"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class K3Config:
    """One K3 text model: every number its mathematics and its checkpoint depend on.

    Source:
        k3-model.md section 1 (the real model) and section 7 (scaled-down models).
    """

    name: str
    """Our name for it, a key of ``CONFIGS``; ``custom`` for one read from a foreign ``config.json``."""
    hidden_size: int
    num_layers: int
    vocab_size: int
    mla_layers: tuple[int, ...]
    """1-based indices of the gated MLA layers, ascending; all others are KDA."""
    num_heads: int
    """Heads of KDA and of MLA alike."""
    kda_head_dim: int
    """Key and value width of one KDA head."""
    q_lora_rank: int
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    """Width of the key part all heads share. K3 does not rotate it."""
    v_head_dim: int
    num_experts: int
    top_k: int
    latent_size: int
    """Width in which the routed experts work."""
    expert_size: int
    """Intermediate width of one routed expert."""
    shared_size: int
    """Intermediate width of the fused shared experts."""
    dense_size: int
    """Intermediate width of the dense feed-forward layers."""
    attn_res_block_size: int
    """Layers per attention-residual block."""
    conv_width: int = 4
    first_dense: int = 1
    """Leading layers with a dense feed-forward instead of experts."""
    gate_lower_bound: float | None = -5.0
    """Lower bound of the KDA log decay; None selects the unbounded softplus gate."""
    situ_beta: float = 4.0
    situ_linear_beta: float | None = 25.0
    rms_eps: float = 1e-5
    mla_latent_norm_eps: float = 1e-5
    """Epsilon of MLA's two latent norms: 1e-5 as served, 1e-6 as in the published modelling file."""
    routed_scaling_factor: float = 1.0
    expert_act: ExpertAct = "bf16"
    """Format of activations entering the routed experts' products."""
    bos_token_id: int = 256
    eos_token_id: int = 257
    pad_token_id: int = 258
    max_positions: int = 1_048_576

    def __post_init__(self) -> None:
        positive = (
            "hidden_size", "num_layers", "vocab_size", "num_heads", "kda_head_dim", "q_lora_rank", "kv_lora_rank",
            "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "num_experts", "top_k", "latent_size",
            "expert_size", "shared_size", "dense_size", "attn_res_block_size", "conv_width", "max_positions",
        )  # fmt: skip
        for field in positive:
            value = getattr(self, field)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigError(f"{field}: expected a positive integer, got {value!r}")
        if list(self.mla_layers) != sorted(set(self.mla_layers)):
            raise ConfigError(f"mla_layers: expected ascending distinct layers, got {self.mla_layers}")
        if self.mla_layers and not (self.mla_layers[0] >= 1 and self.mla_layers[-1] <= self.num_layers):
            raise ConfigError(f"mla_layers: expected layers 1..{self.num_layers}, got {self.mla_layers}")
        if self.top_k > self.num_experts:
            raise ConfigError(f"top_k: expected at most num_experts = {self.num_experts}, got {self.top_k}")
        if not 0 <= self.first_dense <= self.num_layers:
            raise ConfigError(f"first_dense: expected 0..{self.num_layers}, got {self.first_dense}")
        for field in ("latent_size", "expert_size"):
            if getattr(self, field) % MXFP4_GROUP:
                raise ConfigError(f"{field}: expected a multiple of {MXFP4_GROUP}, got {getattr(self, field)}")
        if self.shared_size % self.expert_size:
            raise ConfigError(
                f"shared_size: expected a multiple of expert_size = {self.expert_size}, got {self.shared_size}"
            )
        if self.gate_lower_bound is not None and not self.gate_lower_bound < 0:
            raise ConfigError(f"gate_lower_bound: expected a negative number or None, got {self.gate_lower_bound}")
        if self.expert_act not in ("bf16", "mxfp8"):
            raise ConfigError(f"expert_act: expected bf16 or mxfp8, got {self.expert_act!r}")

    @property
    def projection_size(self) -> int:
        """Width of KDA's q, k, v and gate projections: heads times head width."""
        return self.num_heads * self.kda_head_dim

    @property
    def qk_head_dim(self) -> int:
        """Width of one MLA query or key head."""
        return self.qk_nope_head_dim + self.qk_rope_head_dim

    @property
    def cache_width(self) -> int:
        """Elements of one MLA cache row: the latent and the shared key part."""
        return self.kv_lora_rank + self.qk_rope_head_dim

    @property
    def num_shared_experts(self) -> int:
        """Shared experts fused into the shared MLP."""
        return self.shared_size // self.expert_size

    @property
    def num_attn_res_blocks(self) -> int:
        """Attention-residual blocks, the last of which may be short."""
        return -(-self.num_layers // self.attn_res_block_size)

    @property
    def a_log_size(self) -> int:
        """Stored length of ``A_log``: the heads first, zero padding up to one head width."""
        return max(self.num_heads, self.kda_head_dim)

    @property
    def kda_layer_indices(self) -> tuple[int, ...]:
        """0-based indices of the KDA layers."""
        return tuple(layer for layer in range(self.num_layers) if self.layer_kind(layer) == "kda")

    @property
    def mla_layer_indices(self) -> tuple[int, ...]:
        """0-based indices of the MLA layers."""
        return tuple(layer - 1 for layer in self.mla_layers)

    def layer_kind(self, layer: int) -> LayerKind:
        """Tell the attention of a layer.

        Args:
            layer: 0-based layer index.

        Returns:
            ``mla`` or ``kda``.
        """
        return "mla" if layer + 1 in self.mla_layers else "kda"

    def is_dense(self, layer: int) -> bool:
        """Tell whether the 0-based ``layer`` has a dense feed-forward instead of experts."""
        return layer < self.first_dense

    @classmethod
    def from_hf(cls, document: Mapping[str, object], *, name: str = "custom") -> "K3Config":
        """Read a ``config.json`` in the published shape.

        Args:
            document: The parsed file; the text model may be nested under ``text_config`` or stand alone.
            name: Name for a model that is none of ``CONFIGS``.

        Returns:
            The configuration.

        Raises:
            ConfigError: A needed key is missing or has a wrong type, or a key asks for a variant
                (rotary MLA, grouped routing, other activations or quantization) that K3 does not have.

        Source:
            k3-model.md section 1, tag C.
        """
        top = HfSection(document)
        text = top.section("text_config") if "text_config" in top else top
        refuse_variants(text)
        linear = text.section("linear_attn_config")
        layers, heads = text.integer("num_hidden_layers"), text.integer("num_attention_heads")
        linear.expect("num_heads", heads)
        mla, kda = linear.integers("full_attn_layers"), linear.integers("kda_layers")
        if sorted(mla + kda) != list(range(1, layers + 1)):
            raise ConfigError(f"linear_attn_config: kda_layers and full_attn_layers do not partition 1..{layers}")

        def token_id(key: str) -> int:
            return (top if key in top else text).integer(key)

        found = cls(
            name=name,
            hidden_size=text.integer("hidden_size"),
            num_layers=layers,
            vocab_size=text.integer("vocab_size"),
            mla_layers=mla,
            num_heads=heads,
            kda_head_dim=linear.integer("head_dim"),
            conv_width=linear.integer("short_conv_kernel_size"),
            q_lora_rank=text.integer("q_lora_rank"),
            kv_lora_rank=text.integer("kv_lora_rank"),
            qk_nope_head_dim=text.integer("qk_nope_head_dim"),
            qk_rope_head_dim=text.integer("qk_rope_head_dim"),
            v_head_dim=text.integer("v_head_dim"),
            num_experts=text.integer("num_experts"),
            top_k=text.integer("num_experts_per_token"),
            latent_size=text.integer("routed_expert_hidden_size"),
            expert_size=text.integer("moe_intermediate_size"),
            shared_size=text.integer("moe_intermediate_size") * text.integer("num_shared_experts"),
            dense_size=text.integer("intermediate_size"),
            first_dense=text.integer("first_k_dense_replace"),
            attn_res_block_size=text.integer("attn_res_block_size"),
            gate_lower_bound=linear.optional_number("gate_lower_bound"),
            situ_beta=text.number("activation_situ_beta"),
            situ_linear_beta=text.optional_number("activation_situ_linear_beta"),
            rms_eps=text.number("rms_norm_eps"),
            routed_scaling_factor=text.number("routed_scaling_factor"),
            bos_token_id=token_id("bos_token_id"),
            eos_token_id=token_id("eos_token_id"),
            pad_token_id=token_id("pad_token_id"),
            max_positions=text.integer("max_position_embeddings"),
        )
        known = (config for config in CONFIGS.values() if dataclasses.replace(found, name=config.name) == config)
        return next(known, found)

    def to_hf(self) -> dict[str, object]:
        """Write the configuration as the published ``config.json`` does.

        Returns:
            A JSON-ready document that :meth:`from_hf` reads back. ``expert_act`` and
            ``mla_latent_norm_eps`` are choices of the server, not of the checkpoint, and are not in it.
        """
        ids = {key: getattr(self, key) for key in ("bos_token_id", "eos_token_id", "pad_token_id")}
        kinds = {kind: [i + 1 for i in range(self.num_layers) if self.layer_kind(i) == kind] for kind in ("kda", "mla")}
        linear: dict[str, object] = {
            "full_attn_layers": kinds["mla"],
            "head_dim": self.kda_head_dim,
            "kda_layers": kinds["kda"],
            "num_heads": self.num_heads,
            "short_conv_kernel_size": self.conv_width,
            "use_full_rank_gate": True,
        }
        if self.gate_lower_bound is not None:
            linear["gate_lower_bound"] = self.gate_lower_bound
        text: dict[str, object] = {
            "model_type": "kimi_linear",
            "activation_situ_beta": self.situ_beta,
            "activation_situ_linear_beta": self.situ_linear_beta,
            "attn_res_block_size": self.attn_res_block_size,
            "dtype": "bfloat16",
            "first_k_dense_replace": self.first_dense,
            "hidden_act": "situ",
            "hidden_size": self.hidden_size,
            "intermediate_size": self.dense_size,
            "kv_lora_rank": self.kv_lora_rank,
            "latent_moe_use_norm": True,
            "linear_attn_config": linear,
            "max_position_embeddings": self.max_positions,
            "mla_use_nope": True,
            "mla_use_output_gate": True,
            "moe_intermediate_size": self.expert_size,
            "moe_layer_freq": 1,
            "moe_renormalize": True,
            "moe_router_activation_func": "sigmoid",
            "num_attention_heads": self.num_heads,
            "num_expert_group": 1,
            "num_experts": self.num_experts,
            "num_experts_per_token": self.top_k,
            "num_hidden_layers": self.num_layers,
            "num_key_value_heads": self.num_heads,
            "num_nextn_predict_layers": 0,
            "num_shared_experts": self.num_shared_experts,
            "q_lora_rank": self.q_lora_rank,
            "qk_nope_head_dim": self.qk_nope_head_dim,
            "qk_rope_head_dim": self.qk_rope_head_dim,
            "quantization_config": quantization_config(MXFP4_GROUP),
            "rms_norm_eps": self.rms_eps,
            "routed_expert_hidden_size": self.latent_size,
            "routed_scaling_factor": self.routed_scaling_factor,
            "tie_word_embeddings": False,
            "topk_group": 1,
            "topk_method": "noaux_tc",
            "use_grouped_topk": True,
            "v_head_dim": self.v_head_dim,
            "vocab_size": self.vocab_size,
            **ids,
        }
        return {
            "architectures": ["KimiK3ForConditionalGeneration"],
            "model_type": "kimi_k3",
            "tie_word_embeddings": False,
            **ids,
            "text_config": text,
        }


def _configs() -> dict[str, K3Config]:
    tiny = K3Config(
        name="k3-tiny", hidden_size=96, num_layers=13, vocab_size=512, mla_layers=(4, 8, 12, 13), num_heads=8,
        kda_head_dim=16, q_lora_rank=48, kv_lora_rank=64, qk_nope_head_dim=16, qk_rope_head_dim=8, v_head_dim=16,
        num_experts=16, top_k=4, latent_size=64, expert_size=64, shared_size=128, dense_size=256,
        attn_res_block_size=5,
    )  # fmt: skip
    small = K3Config(
        name="k3-small", hidden_size=1024, num_layers=13, vocab_size=8192, mla_layers=(4, 8, 12, 13), num_heads=8,
        kda_head_dim=128, q_lora_rank=384, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64,
        v_head_dim=128, num_experts=64, top_k=8, latent_size=512, expert_size=256, shared_size=512,
        dense_size=4096, attn_res_block_size=5,
    )  # fmt: skip
    full = K3Config(
        name="k3", hidden_size=7168, num_layers=93, vocab_size=163_840, mla_layers=(*range(4, 93, 4), 93),
        num_heads=96, kda_head_dim=128, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128,
        qk_rope_head_dim=64, v_head_dim=128, num_experts=896, top_k=16, latent_size=3584, expert_size=3072,
        shared_size=6144, dense_size=33_792, attn_res_block_size=12, bos_token_id=163_584, eos_token_id=163_586,
        pad_token_id=163_839,
    )  # fmt: skip
    rank8 = dataclasses.replace(
        full, name="k3-rank-tp8", num_heads=12, expert_size=384, shared_size=768, dense_size=4224,
        vocab_size=20_480, bos_token_id=256, eos_token_id=257, pad_token_id=258,
    )  # fmt: skip
    rank16 = dataclasses.replace(
        full, name="k3-rank-tp16", num_heads=6, expert_size=192, shared_size=384, dense_size=2112,
        vocab_size=10_240, bos_token_id=256, eos_token_id=257, pad_token_id=258,
    )  # fmt: skip
    found = [tiny, small, full, rank8, rank16]
    for rank, suffix in ((rank8, "r8"), (rank16, "r16")):
        shallow, deep = (4, 8, 12, 13), (*range(4, 29, 4), 29)
        found.append(dataclasses.replace(
            rank, name=f"k3-mini-{suffix}", num_layers=13, mla_layers=shallow, attn_res_block_size=2,
        ))  # fmt: skip
        found.append(dataclasses.replace(
            rank, name=f"k3-mini-{suffix}-deep", num_layers=29, mla_layers=deep, attn_res_block_size=4,
        ))  # fmt: skip
    return {config.name: config for config in found}


def of_ranks(config: K3Config, ranks: int) -> K3Config:
    """Give a whole model the shapes of one of so many ranks, as `k3-rank-tp8` has them of one of eight.

    Raises:
        ConfigError: Its heads or widths do not divide.
    """
    sizes = {name: getattr(config, name) for name in ("num_heads", "expert_size", "shared_size", "dense_size")}
    for name, size in {**sizes, "vocab_size": config.vocab_size}.items():
        if size % ranks:
            raise ConfigError(f"{name}: expected a multiple of {ranks} ranks, got {size}")
    shares = {name: size // ranks for name, size in sizes.items()}
    return dataclasses.replace(
        config, name=f"{config.name}-of-{ranks}", vocab_size=config.vocab_size // ranks, **shares
    )  # fmt: skip


CONFIGS: dict[str, K3Config] = _configs()
"""Named configurations: ``k3`` is the published model; ``k3-rank-tp8`` and ``k3-rank-tp16`` have the shapes of
one rank of it at full depth, ``k3-mini-r*`` the same at few layers (k3-model.md section 7)."""
