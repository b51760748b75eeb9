"""Checks of the attention operators: KDA, MLA and the attention residuals."""

import functools
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from k3_decode.bench.case import Case, Inputs
from k3_decode.reference import attention_residual, kda, mla


def attention_cases(inputs: Inputs) -> Iterator[Case]:
    """Yield the cases of one distribution and token count."""
    yield from _kda_front(inputs)
    yield from _kda_rule(inputs)
    yield from _mla(inputs)
    yield from _attention_residual(inputs)


def _kda_front(inputs: Inputs) -> Iterator[Case]:
    config, tokens = inputs.config, inputs.tokens
    channels, width, heads, head = config.projection_size, config.conv_width, config.num_heads, config.kda_head_dim
    raw, window, taps = (
        inputs.draw(1, tokens, channels),
        inputs.draw(1, channels, width - 1),
        inputs.weight(channels, width),
    )

    def convolve() -> Tensor:
        padded = torch.cat([window, raw.transpose(1, 2)], dim=-1).double()
        return functional.silu(functional.conv1d(padded, taps.double().unsqueeze(1), groups=channels)).transpose(1, 2)

    yield inputs.case(
        "kda.short_conv",
        "float32 against a grouped convolution in float64",
        f"channels={channels} width={width}",
        lambda: kda.short_conv(raw, window, taps)[0],
        convolve,
    )
    gate, a_log, bias = inputs.draw(tokens, heads, head), 0.5 * inputs.weight(heads), inputs.weight(heads, head) - 2.0
    bound = config.gate_lower_bound

    def decay() -> Tensor:
        steep = a_log.double().exp().unsqueeze(-1) * (gate.double() + bias.double())
        return (0.0 if bound is None else bound) / (1 + torch.exp(-steep))

    yield inputs.case(
        "kda.log_decay",
        "float32 against the formula in float64",
        f"heads={heads} head={head}",
        lambda: kda.log_decay(gate, a_log=a_log, dt_bias=bias, lower_bound=bound),
        decay,
    )


def _kda_rule(inputs: Inputs) -> Iterator[Case]:
    heads, head = inputs.config.num_heads, inputs.config.kda_head_dim
    table = (1, inputs.tokens, heads, head)
    q, k = kda.normalize_qk(inputs.draw(*table), inputs.draw(*table))
    v, g = inputs.draw(*table), -5.0 * inputs.draw(*table).sigmoid()
    beta, state = inputs.draw(*table[:3]).sigmoid(), inputs.draw(1, heads, head, head)
    narrow = (q, k, v, g, beta, state)
    wide = (q.double(), k.double(), v.double(), g.double(), beta.double(), state.double())
    shape, half = f"heads={heads} head={head}", inputs.tokens // 2

    def halves() -> Tensor:
        q, k, v, g, beta, state = wide
        _, middle = kda.chunked(q[:, :half], k[:, :half], v[:, :half], g[:, :half], beta[:, :half], state)
        return _joined(kda.chunked(q[:, half:], k[:, half:], v[:, half:], g[:, half:], beta[:, half:], middle))

    yield inputs.case(
        "kda.recurrent",
        "recurrence in float32 against the same in float64",
        shape,
        lambda: _joined(kda.recurrent(*narrow)),
        lambda: _joined(kda.recurrent(*wide)),
    )
    yield inputs.case(
        "kda.chunked",
        "chunks in float32 against the recurrence in float64",
        shape,
        lambda: _joined(kda.chunked(*narrow)),
        lambda: _joined(kda.recurrent(*wide)),
    )
    yield inputs.case(
        "kda.chunked_exact",
        "chunks in float64 against the recurrence in float64",
        shape,
        lambda: _joined(kda.chunked(*wide)),
        lambda: _joined(kda.recurrent(*wide)),
    )
    if half:
        yield inputs.case(
            "kda.chunked_exact",
            "state carried between two calls, float64, against one recurrence",
            shape,
            halves,
            lambda: _joined(kda.recurrent(*wide), from_token=half),
        )


def _joined(result: tuple[Tensor, Tensor], *, from_token: int = 0) -> Tensor:
    """Flatten outputs from a token on, and the final state, into one row of numbers."""
    outputs, state = result
    return torch.cat([outputs[:, from_token:].flatten(), state.flatten()])


def _mla(inputs: Inputs) -> Iterator[Case]:
    config, tokens = inputs.config, inputs.tokens
    heads, latent, scale = config.num_heads, config.kv_lora_rank, config.qk_head_dim**-0.5
    context = 2 * tokens
    q, rows = inputs.draw(tokens, heads, config.qk_head_dim), inputs.draw(context + tokens, config.cache_width)
    w_uk = inputs.weight(heads, config.qk_nope_head_dim, latent)
    w_uv = inputs.weight(heads, config.v_head_dim, latent)
    mask = torch.arange(context + tokens) <= (context + torch.arange(tokens)).unsqueeze(-1)

    def absorbed(*tensors: Tensor) -> Tensor:
        queries, cache, key, value = tensors
        query = mla.absorb_query(queries, key).unsqueeze(0)
        found, _ = mla.absorbed_attention(query, cache.unsqueeze(0), mask.unsqueeze(0), latent_dim=latent, scale=scale)
        return mla.expand_value(found.squeeze(0), value)

    def expanded(*tensors: Tensor) -> Tensor:
        queries, cache, key, value = tensors
        return mla.expanded_attention(queries, cache, key, value, context=context, scale=scale)

    narrow = (q, rows, w_uk, w_uv)
    wide = tuple(each.double() for each in narrow)
    shape = f"context={context} heads={heads} latent={latent}"
    yield inputs.case(
        "mla.absorbed",
        "absorbed in float32 against expanded in float64",
        shape,
        lambda: absorbed(*narrow),
        lambda: expanded(*wide),
    )
    yield inputs.case(
        "mla.expanded",
        "expanded in float32 against expanded in float64",
        shape,
        lambda: expanded(*narrow),
        lambda: expanded(*wide),
    )
    yield inputs.case(
        "mla.absorbed_exact",
        "absorbed in float64 against expanded in float64",
        shape,
        lambda: absorbed(*wide),
        lambda: expanded(*wide),
    )


def _attention_residual(inputs: Inputs) -> Iterator[Case]:
    config = inputs.config
    width, eps = config.hidden_size, config.rms_eps
    gamma, query = 1.0 + 0.1 * inputs.weight(width), inputs.weight(width)
    for count in (1, 2, config.num_attn_res_blocks + 1):
        sources = [inputs.draw(inputs.tokens, width) for _ in range(count)]
        yield inputs.case(
            "attention_residual",
            "float32 against the formula in float64",
            f"sources={count} width={width}",
            functools.partial(attention_residual.mix, sources, gamma=gamma, query=query, eps=eps),
            functools.partial(_mixed, sources, gamma, query, eps),
        )


def _mixed(sources: Sequence[Tensor], gamma: Tensor, query: Tensor, eps: float) -> Tensor:
    """Write the mix out source by source in float64."""
    wide = [source.double() for source in sources]
    scores = [(v * gamma.double() * query.double()).sum(-1) / (v.pow(2).mean(-1) + eps).sqrt() for v in wide]
    largest = torch.stack(scores).amax(0)
    weights = [(score - largest).exp() for score in scores]
    total = torch.stack(weights).sum(0)
    return torch.stack([(w / total).unsqueeze(-1) * v for w, v in zip(weights, wide, strict=True)]).sum(0)
