"""Feed-forward layers across ranks: the dense MLP and the latent mixture of experts."""

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional

from k3_decode.config import K3Config
from k3_decode.reference import moe
from k3_decode.reference.exchange import Exchange
from k3_decode.reference.norm import rms_norm
from k3_decode.reference.sharding import Front
from k3_decode.reference.situ import situ
from k3_decode.reference.weights import MlpWeights, MoeWeights
from k3_decode.spans import operator


@operator
def mlp(x: Tensor, weights: MlpWeights, config: K3Config) -> Tensor:
    """Run one rank's share of a gated MLP: ``down(situ(gate x, up x))``.

    Args:
        x: ``[T, H]``.
        weights: This rank's weights.
        config: The model.

    Returns:
        ``[T, H]``, a partial sum.
    """
    gate, up = functional.linear(x, weights.gate_up).chunk(2, dim=-1)
    hidden = situ(gate, up, beta=config.situ_beta, linear_beta=config.situ_linear_beta)
    return functional.linear(hidden, weights.down)


@operator
def latent_moe(x: Tensor, ranks: Sequence[MoeWeights], config: K3Config, exchange: Exchange, *, front: Front) -> Tensor:
    """Run a mixture-of-experts layer on all ranks of this process.

    ::

        logits = router x;  z = down x                    (joined from row shards where the front is sharded)
        r = sum over ranks of their experts' partial sums (before the norm, which is not linear)
        out = up RMSNorm(r) + sum over ranks of shared(x)

    Args:
        x: ``[T, H]``, normed hidden, the same on every rank.
        ranks: Weights of this process's ranks, in order.
        config: The model.
        exchange: Collectives.
        front: Whether router and latent projections are sharded by rows.

    Returns:
        ``[T, H]``, complete.

    Source:
        k3-model.md sections 3.5 and 4.
    """

    def project(parts: list[Tensor]) -> Tensor:
        return exchange.join(parts) if front == "sharded" else parts[0]

    owners = ranks if front == "sharded" else ranks[:1]
    first = ranks[0]
    wide = first.router.dtype
    logits = project([functional.linear(x.to(wide), rank.router) for rank in owners])
    z = project([functional.linear(x, rank.down) for rank in owners])
    ids, weights = moe.route(logits, first.bias, top_k=config.top_k, scaling=config.routed_scaling_factor)
    partials = [
        moe.routed_experts(
            z, ids, weights, rank.experts,
            beta=config.situ_beta, linear_beta=config.situ_linear_beta, act=config.expert_act,
        )
        for rank in ranks
    ]  # fmt: skip
    latent = rms_norm(exchange.sum(partials), first.norm, eps=config.rms_eps)
    routed = project([functional.linear(latent, rank.up) for rank in owners])
    return routed + exchange.sum([mlp(x, rank.shared, config) for rank in ranks])
