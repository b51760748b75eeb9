"""Which part of every tensor a tensor-parallel rank holds."""

import dataclasses
from typing import Literal

from k3_decode.config import MXFP4_GROUP, K3Config
from k3_decode.errors import ArgumentError
from k3_decode.reference.tensors import TensorSpec

Front = Literal["replicated", "sharded"]
"""Router and latent projections: whole on every rank, or by output rows with an exchange of logits and latents."""


@dataclasses.dataclass(frozen=True)
class Shard:
    """One rank's place in a tensor-parallel group.

    Raises:
        ArgumentError: The rank is not in the group.

    Source:
        k3-model.md section 4.
    """

    rank: int = 0
    size: int = 1
    front: Front = "replicated"

    def __post_init__(self) -> None:
        if self.size < 1 or not 0 <= self.rank < self.size:
            raise ArgumentError("Shard", "rank", expected=f"0..{self.size - 1}", got=self.rank)

    def check(self, config: K3Config) -> None:
        """Refuse a model that cannot be divided evenly.

        Raises:
            ArgumentError: Heads, a feed-forward width or the vocabulary do not divide by the group's size, or an
                expert's share would split a packed byte.
        """
        fields = ["num_heads", "dense_size", "shared_size", "expert_size", "vocab_size"]
        if self.front == "sharded":
            fields += ["num_experts", "latent_size", "hidden_size"]
        for field in fields:
            value = getattr(config, field)
            if value % self.size:
                raise ArgumentError("Shard", field, expected=f"a multiple of tp_size {self.size}", got=value)
        width = config.expert_size // self.size
        if width % 2:
            raise ArgumentError("Shard", "expert_size", expected="an even width per rank", got=width)

    def part(self, length: int) -> slice:
        """Give this rank's equal part of an axis."""
        share = length // self.size
        return slice(self.rank * share, (self.rank + 1) * share)

    def index(self, spec: TensorSpec, config: K3Config) -> tuple[slice, ...]:
        """Give the slices of a stored tensor that this rank holds.

        Args:
            spec: The tensor; not one of a routed expert, which :meth:`expert_window` divides.
            config: The model.

        Returns:
            One slice per axis.
        """
        whole = [slice(0, length) for length in spec.shape]
        if spec.split == "heads":
            return (self.part(config.num_heads),)
        if spec.split == "rows" or (spec.split == "front" and self.front == "sharded"):
            whole[0] = self.part(spec.shape[0])
        elif spec.split == "columns":
            whole[1] = self.part(spec.shape[1])
        return tuple(whole)

    def expert_window(self, config: K3Config) -> "ExpertWindow":
        """Give this rank's part of every routed expert's intermediate width."""
        live = self.part(config.expert_size)
        start = live.start // MXFP4_GROUP * MXFP4_GROUP
        return ExpertWindow(live=live, stored=slice(start, -(-live.stop // MXFP4_GROUP) * MXFP4_GROUP))


@dataclasses.dataclass(frozen=True)
class ExpertWindow:
    """A rank's part of the expert width, widened to whole MXFP4 groups.

    Where a share is no multiple of 32 (k3-tiny at TP 4 has 16), the rank stores the whole groups around it and zeros
    in place of what belongs to its neighbours. Scales then keep their groups, and zero rows add nothing.
    """

    live: slice
    """Columns of the intermediate width that this rank computes."""
    stored: slice
    """Columns it stores: ``live`` and zero padding up to group boundaries."""

    @property
    def width(self) -> int:
        """Stored columns."""
        return int(self.stored.stop - self.stored.start)

    @property
    def offset(self) -> int:
        """First live column among the stored ones."""
        return int(self.live.start - self.stored.start)

    @property
    def live_width(self) -> int:
        """Live columns."""
        return int(self.live.stop - self.live.start)
