"""Checks of norms, activation, experts, router and number formats."""

import functools
from collections.abc import Iterator

import torch
from torch import Tensor

from k3_decode.bench.case import Case, Inputs
from k3_decode.config import MXFP4_GROUP, K3Config
from k3_decode.reference import moe, mxfp4, mxfp8, norm
from k3_decode.reference.experts import PackedExperts
from k3_decode.reference.situ import situ


def feed_forward_cases(inputs: Inputs) -> Iterator[Case]:
    """Yield the cases of one distribution and token count."""
    yield from _norms(inputs)
    yield from _situ(inputs)
    yield from _mxfp8(inputs)
    yield from _experts(inputs)


def exact_cases(config: K3Config, *, seed: int) -> Iterator[Case]:
    """Yield the cases in which nothing may be rounded."""
    yield from _router_ties(config)
    yield from _mxfp4(config, torch.Generator().manual_seed(seed))


def _norms(inputs: Inputs) -> Iterator[Case]:
    width, eps = inputs.config.hidden_size, inputs.config.rms_eps
    x, gain = inputs.draw(inputs.tokens, width), 1.0 + 0.1 * inputs.weight(width)
    yield inputs.case(
        "rms_norm",
        "float32 against the formula in float64",
        f"width={width}",
        lambda: norm.rms_norm(x, gain, eps=eps),
        lambda: x.double() / (x.double().pow(2).mean(-1, keepdim=True) + eps).sqrt() * gain.double(),
    )
    yield inputs.case(
        "l2_norm",
        "float32 against the formula in float64",
        f"width={width}",
        lambda: norm.l2_norm(x),
        lambda: x.double() / (x.double().pow(2).sum(-1, keepdim=True) + 1e-6).sqrt(),
    )


def _situ(inputs: Inputs) -> Iterator[Case]:
    config = inputs.config
    gate, linear = inputs.draw(inputs.tokens, config.dense_size), inputs.draw(inputs.tokens, config.dense_size)
    beta, linear_beta = config.situ_beta, config.situ_linear_beta

    def formula() -> Tensor:
        a, u = gate.double(), linear.double()
        bounded = u if linear_beta is None else linear_beta * torch.tanh(u / linear_beta)
        return beta * torch.tanh(a / beta) / (1 + torch.exp(-a)) * bounded

    yield inputs.case(
        "situ",
        "float32 against the formula in float64",
        f"width={config.dense_size}",
        lambda: situ(gate, linear, beta=beta, linear_beta=linear_beta),
        formula,
    )


def _mxfp8(inputs: Inputs) -> Iterator[Case]:
    width = inputs.config.latent_size
    x = inputs.draw(inputs.tokens, width)
    yield inputs.case(
        "mxfp8.round_trip",
        "quantized and decoded against the input",
        f"width={width}",
        lambda: mxfp8.round_trip(x),
        lambda: x.double(),
    )


def _experts(inputs: Inputs) -> Iterator[Case]:
    config, generator = inputs.config, inputs.generator
    experts = _packed_experts(config, generator)
    z = inputs.draw(inputs.tokens, config.latent_size)
    logits = torch.randn((inputs.tokens, config.num_experts), generator=generator)
    bias = torch.zeros(config.num_experts)
    ids, weights = moe.route(logits, bias, top_k=config.top_k, scaling=config.routed_scaling_factor)

    def one_by_one() -> Tensor:
        w13, w2 = experts.gather(torch.arange(config.num_experts), dtype=torch.float64)
        out = torch.zeros(z.shape, dtype=torch.float64)
        for token in range(inputs.tokens):
            for expert, weight in zip(ids[token].tolist(), weights[token].double().tolist(), strict=True):
                gate, linear = (w13[expert] @ z[token].double()).chunk(2)
                hidden = situ(gate, linear, beta=config.situ_beta, linear_beta=config.situ_linear_beta)
                out[token] += weight * (w2[expert] @ hidden)
        return out

    yield inputs.case(
        "moe.routed_experts",
        "float32, grouped by expert, against float64, token by token",
        f"experts={config.num_experts} top_k={config.top_k} latent={config.latent_size}",
        lambda: moe.routed_experts(
            z, ids, weights, experts, beta=config.situ_beta, linear_beta=config.situ_linear_beta, act="bf16"
        ),
        one_by_one,
    )
    yield inputs.case(
        "moe.route",
        "weights in float32 against float64",
        f"experts={config.num_experts} top_k={config.top_k}",
        lambda: weights,
        lambda: moe.route(logits.double(), bias, top_k=config.top_k, scaling=config.routed_scaling_factor)[1],
    )


def _packed_experts(config: K3Config, generator: torch.Generator) -> PackedExperts:
    """Draw MXFP4 experts whose products stay of order one."""
    experts, latent, width = config.num_experts, config.latent_size, config.expert_size

    def packed(out: int, inputs: int) -> tuple[Tensor, Tensor]:
        nibbles = torch.randint(0, 256, (experts, out, inputs // 2), dtype=torch.uint8, generator=generator)
        scale = torch.randint(121, 124, (experts, out, inputs // MXFP4_GROUP), dtype=torch.uint8, generator=generator)
        return nibbles, scale

    return PackedExperts(*packed(2 * width, latent), *packed(latent, width))


def _router_ties(config: K3Config) -> Iterator[Case]:
    logits = torch.zeros(3, config.num_experts)
    logits[1, 1::2] = 1.0
    logits[2, -1] = 1.0
    everyone = torch.arange(config.num_experts)
    expected = torch.stack(
        [
            everyone[: config.top_k],
            torch.cat([everyone[1::2], everyone[::2]])[: config.top_k],
            torch.cat([everyone[-1:], everyone[:-1]])[: config.top_k],
        ]
    )
    yield Case(
        "moe.ties",
        "experts picked among equal scores: the lower ids",
        f"experts={config.num_experts} top_k={config.top_k}",
        "constant",
        lambda: moe.route(logits, torch.zeros(config.num_experts), top_k=config.top_k, scaling=1.0)[0].double(),
        expected.double,
    )


def _mxfp4(config: K3Config, generator: torch.Generator) -> Iterator[Case]:
    out, inputs = config.expert_size, config.latent_size
    packed = torch.randint(0, 256, (out, inputs // 2), dtype=torch.uint8, generator=generator)
    scale = torch.randint(100, 155, (out, inputs // MXFP4_GROUP), dtype=torch.uint8, generator=generator)

    def decoded() -> Tensor:
        nibbles = torch.stack([packed % 16, packed // 16], dim=-1).flatten(-2).double()
        sign, magnitude = 1 - 2 * (nibbles >= 8).double(), nibbles % 8
        exponent, mantissa = (magnitude / 2).floor(), magnitude % 2
        # e2m1: bias 1, one mantissa bit; exponent 0 holds the subnormals 0 and 0.5.
        value = torch.where(exponent == 0, mantissa / 2, (1 + mantissa / 2) * 2 ** (exponent - 1))
        return sign * value * (2 ** (scale.double() - 127)).repeat_interleave(MXFP4_GROUP, dim=-1)

    for dtype in (torch.bfloat16, torch.float32):
        yield Case(
            "mxfp4.dequantize",
            f"{str(dtype).removeprefix('torch.')} against the bit fields in float64",
            f"out={out} in={inputs}",
            "uniform-codes",
            functools.partial(mxfp4.dequantize, packed, scale, dtype=dtype),
            decoded,
        )
