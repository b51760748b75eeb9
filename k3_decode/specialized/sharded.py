"""A latent mixture of experts as one of several ranks computes it: its share of the front and of the up-projection.

The router, the latent projection and the up-projection are divided by rows over the ranks; what the other ranks
contribute is read where an exchange would have left it. The exchange itself, and the sums over ranks, are not here:
this is the work of one rank between them, which a bench on a single GPU can time.

Source: k3-decode.md section 4.
"""

import dataclasses
from dataclasses import dataclass

import torch
from torch import Tensor

from k3_decode.config import K3Config
from k3_decode.kernels.gemv import Gemv
from k3_decode.kernels.library import KernelLibrary
from k3_decode.kernels.operator import Operator
from k3_decode.kernels.tactics import Product, joint_tail, product, wide_tail
from k3_decode.kernels.tail import Tail
from k3_decode.kernels.tail_wide import WideTail
from k3_decode.specialized.buffers import StepBuffers
from k3_decode.specialized.launch import StepLauncher
from k3_decode.specialized.operators import StepOperators
from k3_decode.specialized.weights import Moe


@dataclass(frozen=True)
class ShardedOperators:
    """The products that differ from those of `StepOperators`.

    Attributes:
        config: The model, with the shapes of one rank.
        ranks: Ranks that divide the front and the up-projection.
        rows: A bucket of `k3_decode.kernels.tactics`.
    """

    config: K3Config
    ranks: int
    rows: int

    @property
    def outputs(self) -> tuple[int, int, int]:
        """Router, latent and shared rows of this rank's front."""
        c = self.config
        return c.num_experts // self.ranks, c.latent_size // self.ranks, 2 * c.shared_size

    @property
    def front(self) -> Product:
        """This rank's router and latent rows, and the shared experts' gate and linear rows."""
        return product(self.config.hidden_size, sum(self.outputs), self.rows, out="f32")

    @property
    def tail(self) -> Tail | WideTail | None:
        """Both products after the experts, where they are one launch."""
        c = self.config
        if self.rows > 2:
            return wide_tail(c.latent_size, c.shared_size, self.rows)
        chosen = joint_tail(c.latent_size, c.shared_size, self.rows)
        return dataclasses.replace(
            chosen, eps=c.rms_eps, beta=c.situ_beta, linear_beta=c.situ_linear_beta
        )  # fmt: skip

    @property
    def shared(self) -> Product:
        """The shared experts' output rows, where they are a launch of their own."""
        return product(self.config.shared_size, self.config.hidden_size, self.rows)

    @property
    def up(self) -> Product:
        """This rank's rows of the latent up-projection, likewise."""
        return product(self.config.latent_size, self.config.hidden_size // self.ranks, self.rows)

    def every(self) -> list[Operator]:
        """List them."""
        return [self.front, self.shared, self.up] if self.tail is None else [self.front, self.tail]


class ShardedMoe:
    """Launches one rank's share of a layer's experts.

    Args:
        operators: The products of the share.
        library: Built kernels, these among them.
        step: Launches the part that is not divided.
        weights: The layer's weights, whole; only this rank's rows are read.
        buffers: Memory of the step; its ``front`` holds the logits and latents that the exchange left.
    """

    def __init__(
        self,
        operators: ShardedOperators,
        library: KernelLibrary,
        step: StepLauncher,
        weights: Moe,
        buffers: StepBuffers,
    ) -> None:
        c, rows = operators.config, operators.rows
        self._ops, self._library, self._step = operators, library, step
        self._weights, self._buffers = weights, buffers
        router, latent, shared = operators.outputs
        whole = [c.num_experts, c.latent_size, c.shared_size * 2]
        starts = [sum(whole[:i]) for i in range(3)]
        own = zip(starts, (router, latent, shared), strict=True)
        self.front = torch.cat([weights.front[start : start + count] for start, count in own])
        self._up = weights.tail[: c.hidden_size // operators.ranks, : c.latent_size].contiguous()
        self._down = weights.tail[:, c.latent_size :].contiguous()
        self._published = buffers.front.new_empty(rows, router + latent + shared)
        self._columns = buffers.delta.new_empty(rows, c.hidden_size // operators.ranks)

    def launch(self) -> None:
        """Launch the share's kernels, in order."""
        ops, w, b, c = self._ops, self._weights, self._buffers, self._ops.config
        tail, tail_input = ops.tail, StepOperators(c, ops.rows).tail_input
        self._product(ops.front, self.front, b.normed, self._published)
        logits, z = b.front[:, : c.num_experts], b.front[:, c.num_experts : c.num_experts + c.latent_size]
        gates = self._published[:, -2 * c.shared_size :]
        self._step.experts(w, logits, z)
        if isinstance(tail, Tail):
            self._run(tail, self._down, self._up, gates, b.latent, w.norm, b.delta, self._columns)
            return
        assert tail_input is not None
        self._run(tail_input, b.latent, gates, w.norm, b.joined)
        if tail is not None:
            self._run(tail, self._down, self._up, b.joined, b.delta, self._columns)
        else:
            self._product(ops.shared, self._down, b.joined[:, c.latent_size :], b.delta)
            self._product(ops.up, self._up, b.joined[:, : c.latent_size], self._columns)

    def _product(self, operator: Product, weights: Tensor, x: Tensor, y: Tensor) -> None:
        extra = (x, self._weights.norm) if isinstance(operator, Gemv) else ()
        self._run(operator, weights, x, *extra, y)

    def _run(self, operator: Operator, *tensors: Tensor) -> None:
        self._library.kernel(operator)(*tensors)


def sharded_operators(config: K3Config, ranks: int, *, buckets: tuple[int, ...]) -> list[Operator]:
    """List every operator of a model's steps that only a sharded front needs."""
    return [operator for rows in buckets for operator in ShardedOperators(config, ranks, rows).every()]
