"""The whole model a second time, from named checkpoint tensors, in loops that follow the formulas of k3-model.md.

Nothing of the implementation is used but the drawing of the tensors.
"""

import dataclasses
import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from k3_decode.config import K3Config
from k3_decode.reference.model import K3Model
from k3_decode.reference.synthetic import SyntheticSource
from k3_decode.reference.tensors import tensor_table

E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


class ByHand:
    def __init__(self, config: K3Config, seed: int) -> None:
        source = SyntheticSource(config, seed)
        self.config = config
        self.tensors = {spec.name: source.draw(spec) for spec in tensor_table(config)}

    def get(self, name: str) -> Tensor:
        return self.tensors[f"language_model.{name}"].double()

    def expert(self, layer: int, expert: int, part: str) -> Tensor:
        name = f"language_model.model.layers.{layer}.block_sparse_moe.experts.{expert}.{part}"
        packed, scale = self.tensors[f"{name}.weight_packed"].int(), self.tensors[f"{name}.weight_scale"].double()
        table = torch.tensor(E2M1 + [-x for x in E2M1], dtype=torch.float64)
        out = torch.empty(packed.shape[0], 2 * packed.shape[1], dtype=torch.float64)
        out[:, 0::2], out[:, 1::2] = table[packed % 16], table[packed // 16]
        return out * torch.exp2(scale - 127).repeat_interleave(32, dim=1)

    def norm(self, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        return x / math.sqrt(x.square().mean().item() + eps) * weight

    def mix(self, vectors: list[Tensor], name: str) -> Tensor:
        gamma, query = self.get(f"{name}_norm.weight"), self.get(f"{name}_proj.weight")[0]
        scores = [self.norm(v, gamma, self.config.rms_eps) @ query for v in vectors]
        top = max(scores)
        weights = [math.exp(s - top) for s in scores]
        return sum(w / sum(weights) * v for w, v in zip(weights, vectors, strict=True))

    def situ(self, a: Tensor, u: Tensor) -> Tensor:
        beta, linear = self.config.situ_beta, self.config.situ_linear_beta
        bounded = u if linear is None else linear * (u / linear).tanh()
        return beta * (a / beta).tanh() / (1 + (-a).exp()) * bounded

    def mlp(self, x: Tensor, name: str) -> Tensor:
        a, u = self.get(f"{name}gate_proj.weight") @ x, self.get(f"{name}up_proj.weight") @ x
        return self.get(f"{name}down_proj.weight") @ self.situ(a, u)

    def kda(self, xs: list[Tensor], name: str) -> list[Tensor]:
        heads, width = self.config.num_heads, self.config.kda_head_dim
        w = {part: self.get(f"{name}{part}_proj.weight") for part in ("q", "k", "v", "g", "f_a", "f_b", "b", "o")}
        taps = {part: self.get(f"{name}{part}_conv1d.weight")[:, 0] for part in "qkv"}
        a_log, bias = self.get(f"{name}A_log"), self.get(f"{name}dt_bias")
        norm_weight = self.get(f"{name}o_norm.weight")
        past = {part: [torch.zeros(heads * width, dtype=torch.float64)] * 3 for part in "qkv"}
        states = [torch.zeros(width, width, dtype=torch.float64) for _ in range(heads)]
        outputs = []
        for x in xs:
            mixed = {}
            for part in "qkv":
                past[part] = [*past[part], w[part] @ x]
                c = sum(taps[part][:, i] * past[part][-4 + i] for i in range(4))
                mixed[part] = c / (1 + (-c).exp())
            r = w["f_b"] @ (w["f_a"] @ x) + bias
            beta, gate = w["b"] @ x, w["g"] @ x
            concatenated = []
            for n in range(heads):
                own = slice(n * width, (n + 1) * width)
                q, k, v = mixed["q"][own], mixed["k"][own], mixed["v"][own]
                q = q / math.sqrt(q @ q + 1e-6) * width**-0.5
                k = k / math.sqrt(k @ k + 1e-6)
                if self.config.gate_lower_bound is None:
                    g = -math.exp(a_log[n]) * r[own].exp().log1p()
                else:
                    g = self.config.gate_lower_bound / (1 + (-math.exp(a_log[n]) * r[own]).exp())
                decayed = states[n] * g.exp()
                u = (v - decayed @ k) / (1 + math.exp(-beta[n]))
                states[n] = decayed + torch.outer(u, k)
                o = self.norm(states[n] @ q, norm_weight, self.config.rms_eps)
                concatenated.append(o / (1 + (-gate[own]).exp()))
            outputs.append(w["o"] @ torch.cat(concatenated))
        return outputs

    def mla(self, xs: list[Tensor], name: str) -> list[Tensor]:
        c = self.config
        nope, rank, value = c.qk_nope_head_dim, c.kv_lora_rank, c.v_head_dim
        kv_b = self.get(f"{name}kv_b_proj.weight").view(c.num_heads, nope + value, rank)
        latents, shared, outputs = [], [], []
        for x in xs:
            kv = self.get(f"{name}kv_a_proj_with_mqa.weight") @ x
            latents.append(self.norm(kv[:rank], self.get(f"{name}kv_a_layernorm.weight"), c.mla_latent_norm_eps))
            shared.append(kv[rank:])
            low = self.get(f"{name}q_a_proj.weight") @ x
            low = self.norm(low, self.get(f"{name}q_a_layernorm.weight"), c.mla_latent_norm_eps)
            queries = (self.get(f"{name}q_b_proj.weight") @ low).view(c.num_heads, -1)
            heads = []
            for n in range(c.num_heads):
                scores, values = [], []
                for latent, rotary in zip(latents, shared, strict=True):
                    expanded = kv_b[n] @ latent
                    score = queries[n, :nope] @ expanded[:nope] + queries[n, nope:] @ rotary
                    scores.append((score * (nope + c.qk_rope_head_dim) ** -0.5).item())
                    values.append(expanded[nope:])
                weights = [math.exp(s - max(scores)) for s in scores]
                heads.append(sum(w / sum(weights) * v for w, v in zip(weights, values, strict=True)))
            gate = self.get(f"{name}g_proj.weight") @ x
            outputs.append(self.get(f"{name}o_proj.weight") @ (torch.cat(heads) / (1 + (-gate).exp())))
        return outputs

    def moe(self, x: Tensor, layer: int) -> Tensor:
        c, name = self.config, f"model.layers.{layer}.block_sparse_moe."
        scores = 1 / (1 + (-(self.get(f"{name}gate.weight") @ x)).exp())
        biased = scores + self.get(f"{name}gate.e_score_correction_bias")
        picked = sorted(range(c.num_experts), key=lambda e: (-biased[e].item(), e))[: c.top_k]
        total = sum(scores[e] for e in picked) + 1e-20
        z = self.get(f"{name}routed_expert_down_proj.weight") @ x
        r = torch.zeros_like(z)
        for e in picked:
            hidden = self.situ(self.expert(layer, e, "w1") @ z, self.expert(layer, e, "w3") @ z)
            r += scores[e] / total * c.routed_scaling_factor * (self.expert(layer, e, "w2") @ hidden)
        routed = self.norm(r, self.get(f"{name}routed_expert_norm.weight"), c.rms_eps)
        return self.get(f"{name}routed_expert_up_proj.weight") @ routed + self.mlp(x, f"{name}shared_experts.")

    def logits(self, tokens: list[int]) -> Tensor:
        c = self.config
        sums: list[Tensor | None] = [self.get("model.embed_tokens.weight")[token] for token in tokens]
        blocks: list[list[Tensor]] = [[] for _ in tokens]
        for layer in range(c.num_layers):
            name = f"model.layers.{layer}."
            mixed = [self.mix([*b, p], f"{name}self_attention_res") for b, p in zip(blocks, sums, strict=True)]
            if layer % c.attn_res_block_size == 0:
                for b, p in zip(blocks, sums, strict=True):
                    b.append(p)
                sums = [None] * len(tokens)
            xs = [self.norm(x, self.get(f"{name}input_layernorm.weight"), c.rms_eps) for x in mixed]
            attend = self.mla if layer + 1 in c.mla_layers else self.kda
            ys = attend(xs, f"{name}self_attn.")
            sums = [y if p is None else p + y for p, y in zip(sums, ys, strict=True)]
            mixed = [self.mix([*b, p], f"{name}mlp_res") for b, p in zip(blocks, sums, strict=True)]
            xs = [self.norm(x, self.get(f"{name}post_attention_layernorm.weight"), c.rms_eps) for x in mixed]
            zs = [self.mlp(x, f"{name}mlp.") if layer < c.first_dense else self.moe(x, layer) for x in xs]
            sums = [p + z for p, z in zip(sums, zs, strict=True)]
        out = [self.mix([*b, p], "model.output_attn_res") for b, p in zip(blocks, sums, strict=True)]
        out = [self.norm(h, self.get("model.norm.weight"), c.rms_eps) for h in out]
        return torch.stack([self.get("lm_head.weight") @ h for h in out])


@pytest.mark.parametrize("form", ["decode", "prefill"])
def test_k3_tiny_equals_the_model_by_hand(tiny, tiny64, conversation, prompt, form):
    tokens = prompt(5)
    got = conversation(tiny64).step([(0, tokens)], every_row=True, kda_form=form, mla_form=form)
    assert_close(got, ByHand(tiny, 0).logits(tokens), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "change",
    [
        {"gate_lower_bound": None},
        {"situ_linear_beta": None, "situ_beta": 2.0},
        {"routed_scaling_factor": 2.5, "rms_eps": 1e-3, "mla_latent_norm_eps": 1e-2},
        {"first_dense": 3, "attn_res_block_size": 1},
        {"v_head_dim": 24, "qk_nope_head_dim": 12, "kda_head_dim": 8},
    ],
)
def test_variants_equal_the_model_by_hand(micro, conversation, prompt, change):
    config, tokens = dataclasses.replace(micro, num_heads=4, **change), prompt(4)
    model = K3Model.synthetic(config, 7, torch.float64)
    got = conversation(model).step([(0, tokens)], every_row=True)
    assert_close(got, ByHand(config, 7).logits(tokens), rtol=1e-9, atol=1e-9)
