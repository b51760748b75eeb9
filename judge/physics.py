"""The least time in which a machine can decode one step: bytes by bandwidth, work by peak, exchanges by latency.

Everything is counted at its least, so that no honest run is faster: every token goes to the same experts, the latent
projections are split over all ranks, the cache holds FP8, what a last-level cache could keep is not read at all, and
the three times overlap perfectly. A run that is faster anyway did not do the work.

Source: k3-model.md section 6, design A; the tests hold these formulas against the numbers printed there.
"""

from dataclasses import dataclass

from worker.bundle.environment import Environment
from worker.bundle.record import Amount, Record, Unknown
from worker.bundle.schema import Arm, Cell, SyntheticSpeculation

BANDWIDTH_SLACK = 1.05
"""By how much a step may read faster than the fastest probe of the same run."""
LINK_LATENCY_US = 0.5
"""Least time of one exchange between two GPUs; a store over NVLink takes longer."""
EXCHANGES_PER_LAYER = 2
GPU_CACHE_BYTES, CPU_CACHE_BYTES = 256e6, 2.5e9
"""More than any last-level cache of today holds: of the bytes of a step, these may not come from memory."""
MXFP4 = ("mxfp4", "mxfp4-pack-quantized")
"""How engines name the quantization that the bytes below are of."""
MXFP4_BYTES = 17 / 32
"""Per weight, with its share of the scale."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What the bytes of one model depend on; names as in its configuration."""

    hidden: int = 7168
    layers: int = 93
    mla_layers: int = 24
    vocab: int = 163_840
    heads: int = 96
    kda_dim: int = 128
    q_lora: int = 1536
    kv_lora: int = 512
    nope: int = 128
    rope: int = 64
    v_dim: int = 128
    experts: int = 896
    top_k: int = 16
    latent: int = 3584
    expert: int = 3072
    shared: int = 6144
    dense: int = 33_792
    conv: int = 4


_R8 = {"heads": 12, "expert": 384, "shared": 768, "dense": 4224, "vocab": 20_480}
_R16 = {"heads": 6, "expert": 192, "shared": 384, "dense": 2112, "vocab": 10_240}
_SHALLOW, _DEEP = {"layers": 13, "mla_layers": 4}, {"layers": 29, "mla_layers": 8}
SHAPES: dict[str, Shape] = {
    "k3": Shape(),
    "k3-rank-tp8": Shape(**_R8),
    "k3-rank-tp16": Shape(**_R16),
    "k3-mini-r8": Shape(**_R8, **_SHALLOW),
    "k3-mini-r16": Shape(**_R16, **_SHALLOW),
    "k3-mini-r8-deep": Shape(**_R8, **_DEEP),
    "k3-mini-r16-deep": Shape(**_R16, **_DEEP),
    "k3-small": Shape(
        hidden=1024, **_SHALLOW, vocab=8192, heads=8, q_lora=384, experts=64, top_k=8, latent=512, expert=256,
        shared=512, dense=4096,
    ),
    "k3-tiny": Shape(
        hidden=96, **_SHALLOW, vocab=512, heads=8, kda_dim=16, q_lora=48, kv_lora=64, nope=16, rope=8, v_dim=16,
        experts=16, top_k=4, latent=64, expert=64, shared=128, dense=256,
    ),
}  # fmt: skip
"""Models whose steps can be bounded, by the name that an arm declares."""


@dataclass(frozen=True)
class Silicon:
    """What a GPU class can do at most: bytes/s of its memory, dense FLOP/s in BF16 and in FP8."""

    bandwidth: float
    bf16: float
    fp8: float


SILICON: dict[str, Silicon] = {
    "GB300": Silicon(8.0e12, 2.5e15, 5.0e15),
    "H200": Silicon(4.8e12, 0.989e15, 1.979e15),
}
"""By a part of the name that NVML gives."""


@dataclass(frozen=True)
class Work:
    """What one rank does in one step, at least."""

    bytes_read: float
    flop_bf16: float
    flop_fp8: float


class PhysicsBound(Record):
    """The least time of a cell's step, and how far the measured one is from it."""

    least_us: Amount
    limited_by: str
    """``memory``, ``arithmetic`` or ``links``."""
    headroom: float
    """1 - least / measured: the share of the step that a perfect program could save; below 0: faster than possible."""


def attention_bytes(shape: Shape, tp: int) -> tuple[float, float]:
    """Weights of the attention of one KDA and of one MLA layer on one rank, with the residual's, bytes."""
    s, q, heads = shape, shape.heads * shape.kda_dim // tp, shape.heads // tp
    rows = 4 * q + s.kda_dim + heads
    kda = -(-rows // 16) * 16 * s.hidden * 2 + q * s.kda_dim * 2 + 3 * q * s.conv * 4 + s.hidden * q * 2
    kda += (heads + q + s.kda_dim) * 4
    out = s.heads * s.v_dim // tp
    mla = (s.q_lora + s.kv_lora + s.rope) * s.hidden * 2 + 2 * out * s.hidden * 2 + (s.q_lora + s.kv_lora) * 2
    mla += heads * ((s.nope + s.rope) * s.q_lora + (s.nope + s.v_dim) * s.kv_lora) * 2
    residual = 6 * s.hidden * 2
    return kda + residual, mla + residual


def expert_layer_bytes(shape: Shape, tp: int, *, distinct: float) -> tuple[float, float]:
    """Weights of one expert layer on one rank: what every token reads, and ``distinct`` experts, bytes."""
    s = shape
    every = (s.experts + s.latent) // tp * s.hidden * 2 + s.hidden // tp * s.latent * 2
    every += 3 * s.shared // tp * s.hidden * 2 + s.latent * 2 + s.experts * 4
    return every, distinct * 3 * (s.expert // tp) * s.latent * MXFP4_BYTES


def state_bytes(shape: Shape, tp: int, *, requests: int, context: int, dcp: int) -> tuple[float, float]:
    """State of one KDA layer, read and written, and cache of one MLA layer, read, bytes on one rank."""
    s, q = shape, shape.heads * shape.kda_dim // tp
    kda = requests * 2 * (s.heads // tp * s.kda_dim**2 * 4 + 3 * q * (s.conv - 1) * 2)
    return kda, requests * (context / dcp + 1) * (s.kv_lora + s.rope)


def step_work(
    shape: Shape,
    *,
    tp: int,
    requests: int,
    tokens: int = 1,
    context: int = 0,
    dcp: int = 1,
    distinct: float | None = None,
) -> Work:
    """Bytes and operations of one step on one rank.

    Args:
        shape: The model.
        tp: Tensor parallelism.
        requests: Decoded together.
        tokens: Verified for each request: 1 without speculation.
        context: Tokens in the cache of each request.
        dcp: Decode context parallelism.
        distinct: Experts that the step reads in each layer; None: the fewest, each token the same.
    """
    s, m, moe = shape, requests * tokens, shape.layers - 1
    kda_w, mla_w = attention_bytes(s, tp)
    every, experts = expert_layer_bytes(s, tp, distinct=s.top_k if distinct is None else distinct)
    kda_state, cache = state_bytes(s, tp, requests=requests, context=context, dcp=dcp)
    kda_layers = s.layers - s.mla_layers
    dense, head = 3 * s.dense // tp * s.hidden, s.vocab // tp * s.hidden
    read = (
        kda_layers * (kda_w + kda_state) + s.mla_layers * (mla_w + cache) + moe * (every + experts) + 2 * (dense + head)
    )
    q, heads = s.heads * s.kda_dim // tp, s.heads // tp
    kda = 2 * (s.hidden * (4 * q + s.kda_dim + heads) + q * s.kda_dim + q * s.hidden) + heads * 7 * s.kda_dim**2
    out = s.heads * s.v_dim // tp
    mla: float = 2 * (s.hidden * (s.q_lora + s.kv_lora + s.rope + 2 * out) + heads * (s.nope + s.rope) * s.q_lora)
    mla += 2 * heads * ((s.nope + s.v_dim) * s.kv_lora + context / dcp * (2 * s.kv_lora + s.rope))
    front = 2 * (s.hidden * (s.experts + 2 * s.latent) / tp + 3 * s.shared // tp * s.hidden)
    bf16 = m * (kda_layers * kda + s.mla_layers * mla + moe * front + 2 * (dense + head))
    return Work(read, bf16, m * moe * 2 * s.top_k * 3 * (s.expert // tp) * s.latent)


def least_time_us(
    work: Work, *, bandwidth: float, cache_bytes: float, silicon: Silicon | None, exchanges: int
) -> tuple[float, str]:
    """The longest of three times that overlap at best, and which it is.

    Args:
        work: Of one rank.
        bandwidth: Bytes/s that memory gives at most.
        cache_bytes: Bytes that need not come from memory.
        silicon: Peaks; None: unknown, so arithmetic takes no time.
        exchanges: Between GPUs, one after the other.
    """
    times = {
        "memory": 1e6 * max(work.bytes_read - cache_bytes, 0.0) / bandwidth,
        "arithmetic": 1e6 * (work.flop_bf16 / silicon.bf16 + work.flop_fp8 / silicon.fp8) if silicon else 0.0,
        "links": exchanges * LINK_LATENCY_US,
    }
    longest = max(times, key=lambda name: times[name])
    return times[longest], longest


def bound(arm: Arm, cell: Cell, environment: Environment | Unknown) -> tuple[float, str] | None:
    """The least time of a decode step of one cell, in microseconds, and what limits it.

    Returns:
        None where it is not known: another metric or model, a coordinate or bandwidth that is unknown, a model that a
        cache could hold.
    """
    shape = SHAPES.get(arm.model) if arm.quantization in MXFP4 else None
    tp, requests = cell.tensor_parallel, cell.batch
    if cell.metric != "step_latency_us" or shape is None or tp == "unknown" or requests == "unknown":
        return None
    if environment == "unknown" or environment.gpus == "unknown" or shape.heads % tp:
        return None
    names = {gpu.name for gpu in environment.gpus}
    silicon = next((one for part, one in SILICON.items() if any(part in name for name in names)), None)
    bandwidth = _bandwidth(environment, silicon, gpu=bool(names))
    if bandwidth is None or len(names) > 1:
        return None
    drafts = 0 if cell.speculation == "unknown" or cell.speculation.kind == "none" else cell.speculation.drafts
    if isinstance(cell.speculation, SyntheticSpeculation):
        drafts = 0  # what is simulated need not be verified
    context = 0 if cell.context_tokens == "unknown" else cell.context_tokens
    dcp = tp if cell.context_parallel == "unknown" else cell.context_parallel
    work = step_work(shape, tp=tp, requests=requests, tokens=1 + drafts, context=context, dcp=dcp)
    cache_bytes = GPU_CACHE_BYTES if names else CPU_CACHE_BYTES
    exchanges = EXCHANGES_PER_LAYER * shape.layers if tp > 1 else 0
    least_us, limit = least_time_us(
        work, bandwidth=bandwidth, cache_bytes=cache_bytes, silicon=silicon, exchanges=exchanges
    )
    return (least_us, limit) if least_us > 0 else None


def headroom(least: tuple[float, str] | None, measured_us: float | None) -> PhysicsBound | None:
    """A bound with its distance from what was measured; None without one of them."""
    if least is None or measured_us is None or measured_us <= 0:
        return None
    return PhysicsBound(least_us=least[0], limited_by=least[1], headroom=1 - least[0] / measured_us)


def _bandwidth(environment: Environment, silicon: Silicon | None, *, gpu: bool) -> float | None:
    """The run's own probe, but no more than the memory of that GPU gives; without a probe, what it gives."""
    probe, most = environment.bandwidth, silicon.bandwidth if silicon else None
    probed = None
    if probe != "unknown" and probe.read_gb_per_s and (probe.device == "gpu") == gpu:
        probed = max(probe.read_gb_per_s) * 1e9 * BANDWIDTH_SLACK
    known = [one for one in (probed, most) if one]
    return min(known) if known else None
