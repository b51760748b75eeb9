"""A model with random weights made on the device: what the synthetic checkpoint is, in seconds instead of minutes."""

import dataclasses
import math
from collections.abc import Iterator

import torch
from torch import Tensor

from k3_decode.config import K3Config
from k3_decode.reference.experts import PackedExperts
from k3_decode.reference.model import K3Model
from k3_decode.reference.sharding import Shard
from k3_decode.reference.synthetic import MXFP4_RMS
from k3_decode.reference.weights import (
    KdaWeights,
    LayerWeights,
    MixWeights,
    MlaWeights,
    MlpWeights,
    ModelWeights,
    MoeWeights,
)
from k3_decode.specialized.weights import StepWeights


class RandomWeights:
    """Draws tensors of one model; the same seed gives the same model on one kind of device.

    Args:
        config: The model.
        seed: Of the generator.
        device: Where to draw.
    """

    def __init__(self, config: K3Config, seed: int, device: torch.device) -> None:
        self.config = config
        self._device = device
        self._generator = torch.Generator(device=device).manual_seed(seed)

    def matrix(self, *shape: int, gain: float = 1.0) -> Tensor:
        """Draw bfloat16 of deviation ``gain / sqrt(inputs)``."""
        return self._normal(*shape).mul_(gain / math.sqrt(shape[-1])).bfloat16()

    def vector(self, *shape: int, low: float = 0.75, high: float = 1.25) -> Tensor:
        """Draw float32 uniformly."""
        return torch.rand(shape, generator=self._generator, device=self._device).mul_(high - low).add_(low)

    def experts(self) -> PackedExperts:
        """Draw every expert's codes and scales."""
        c = self.config

        def codes(*shape: int) -> Tensor:
            return torch.randint(
                0, 256, shape, dtype=torch.uint8, generator=self._generator, device=self._device
            )  # fmt: skip

        def scales(inputs: int, *shape: int) -> Tensor:
            centre = 127 - round(math.log2(MXFP4_RMS * math.sqrt(inputs)))
            return torch.randint(
                centre - 1, centre + 2, shape, dtype=torch.uint8, generator=self._generator, device=self._device
            )

        count, latent, width = c.num_experts, c.latent_size, c.expert_size
        return PackedExperts(
            w13_packed=codes(count, 2 * width, latent // 2),
            w13_scale=scales(latent, count, 2 * width, latent // 32),
            w2_packed=codes(count, latent, width // 2),
            w2_scale=scales(width, count, latent, width // 32),
        )

    def model(self) -> K3Model:
        """Draw a bfloat16 model."""
        layers = tuple(self.layers())
        return K3Model(self.config, dataclasses.replace(self.outside(), layers=layers), Shard(0, 1, "replicated"))

    def prepared(self) -> tuple[K3Model, StepWeights]:
        """Draw a model straight into the layouts of the kernels, layer by layer.

        Returns:
            The model without its layers, of which a path takes shapes and device; and the weights.
        """
        outside = self.outside()
        weights = StepWeights.prepare_layers(outside, self.layers(), self.config.expert_act)
        return K3Model(self.config, outside, Shard(0, 1, "replicated")), weights

    def layers(self) -> Iterator[LayerWeights]:
        """Draw the layers one at a time, none held here."""
        return (self._layer(layer) for layer in range(self.config.num_layers))

    def outside(self) -> ModelWeights:
        """Draw what is outside the layers."""
        c = self.config
        return ModelWeights(
            embed=self._normal(c.vocab_size, c.hidden_size).bfloat16(),
            layers=(),
            output_mix=self._mix(),
            norm=self.vector(c.hidden_size),
            head=self.matrix(c.vocab_size, c.hidden_size, gain=2.0),
        )

    def kda(self) -> KdaWeights:
        """Draw a KDA layer."""
        c, size = self.config, self.config.projection_size
        return KdaWeights(
            in_proj=self.matrix(4 * size + c.kda_head_dim + c.num_heads, c.hidden_size),
            f_b=self.matrix(size, c.kda_head_dim),
            conv=self._normal(3 * size, c.conv_width).mul_(c.conv_width**-0.5),
            a_log=self.vector(c.num_heads, low=-0.5, high=0.5),
            dt_bias=self.vector(c.num_heads, c.kda_head_dim, low=-5.0, high=1.0),
            o_norm=self.vector(c.kda_head_dim),
            o_proj=self.matrix(c.hidden_size, size, gain=0.5),
        )

    def mla(self) -> MlaWeights:
        """Draw an MLA layer."""
        c, heads = self.config, self.config.num_heads
        kv_b = self.matrix(heads * (c.qk_nope_head_dim + c.v_head_dim), c.kv_lora_rank).view(heads, -1, c.kv_lora_rank)
        return MlaWeights(
            in_proj=self.matrix(c.q_lora_rank + c.cache_width + heads * c.v_head_dim, c.hidden_size),
            q_a_norm=self.vector(c.q_lora_rank),
            q_b=self.matrix(heads * c.qk_head_dim, c.q_lora_rank),
            kv_a_norm=self.vector(c.kv_lora_rank),
            w_uk=kv_b[:, : c.qk_nope_head_dim],
            w_uv=kv_b[:, c.qk_nope_head_dim :],
            o_proj=self.matrix(c.hidden_size, heads * c.v_head_dim, gain=0.5),
        )

    def moe(self) -> MoeWeights:
        """Draw a mixture-of-experts layer."""
        c = self.config
        return MoeWeights(
            router=self.matrix(c.num_experts, c.hidden_size, gain=4.0).float(),
            bias=self.vector(c.num_experts, low=-0.1, high=0.1),
            down=self.matrix(c.latent_size, c.hidden_size),
            norm=self.vector(c.latent_size),
            up=self.matrix(c.hidden_size, c.latent_size, gain=0.25),
            shared=self._mlp(c.shared_size),
            experts=self.experts(),
        )

    def _layer(self, layer: int) -> LayerWeights:
        c = self.config
        return LayerWeights(
            attention_mix=self._mix(),
            input_norm=self.vector(c.hidden_size),
            attention=self.kda() if c.layer_kind(layer) == "kda" else self.mla(),
            mlp_mix=self._mix(),
            post_norm=self.vector(c.hidden_size),
            feed_forward=self._mlp(c.dense_size) if c.is_dense(layer) else self.moe(),
        )

    def _mix(self) -> MixWeights:
        hidden = self.config.hidden_size
        return MixWeights(gamma=self.vector(hidden), query=self._normal(hidden).mul_(hidden**-0.5))

    def _mlp(self, width: int) -> MlpWeights:
        hidden = self.config.hidden_size
        return MlpWeights(gate_up=self.matrix(2 * width, hidden), down=self.matrix(hidden, width))

    def _normal(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self._generator, device=self._device)
