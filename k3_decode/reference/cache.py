"""What crosses steps: paged MLA rows, KDA convolution windows and KDA recurrent states."""

import dataclasses

import torch
from torch import Tensor

from k3_decode.config import K3Config
from k3_decode.reference.precision import accumulate_dtype


@dataclasses.dataclass(frozen=True, eq=False)
class K3Cache:
    """Caches of one rank, by 0-based layer index.

    Block 0 and slot 0 are reserved: padding points at them, nothing live may use them, and no step writes them.

    Source:
        k3-model.md sections 5.1 and 5.2.
    """

    latent: dict[int, Tensor]
    """MLA layers: ``[blocks, block_size, kv_lora_rank + qk_rope_head_dim]``, normed latent then shared key."""
    conv: dict[int, Tensor]
    """KDA layers: ``[slots, 3 * heads * head_dim, conv_width - 1]``, raw q, k, v projections, oldest first."""
    recurrent: dict[int, Tensor]
    """KDA layers: ``[slots, heads, head_dim (value), head_dim (key)]``, float32 (float64 in oracle mode)."""
    num_slots: int
    num_blocks: int
    block_size: int

    @classmethod
    def allocate(
        cls,
        config: K3Config,
        *,
        num_slots: int,
        num_blocks: int,
        block_size: int,
        num_heads: int,
        dtype: torch.dtype,
        latent_dtype: torch.dtype,
        device: torch.device,
    ) -> "K3Cache":
        """Make zeroed caches.

        Args:
            config: Model whose layers are cached.
            num_slots: KDA state slots, slot 0 included.
            num_blocks: MLA blocks, block 0 included.
            block_size: Tokens per MLA block.
            num_heads: Heads of this rank.
            dtype: Model dtype, which the convolution windows have.
            latent_dtype: Dtype of the MLA rows: the model dtype or ``torch.float8_e4m3fn``.
            device: Where to put them.
        """
        channels, head = 3 * num_heads * config.kda_head_dim, config.kda_head_dim
        latent_shape = (num_blocks, block_size, config.cache_width)
        conv_shape, state_shape = (num_slots, channels, config.conv_width - 1), (num_slots, num_heads, head, head)
        state_dtype = accumulate_dtype(dtype)
        kda, mla = config.kda_layer_indices, config.mla_layer_indices
        return cls(
            latent={i: torch.zeros(latent_shape, dtype=latent_dtype, device=device) for i in mla},
            conv={i: torch.zeros(conv_shape, dtype=dtype, device=device) for i in kda},
            recurrent={i: torch.zeros(state_shape, dtype=state_dtype, device=device) for i in kda},
            num_slots=num_slots,
            num_blocks=num_blocks,
            block_size=block_size,
        )

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(t.nbytes for tensors in (self.latent, self.conv, self.recurrent) for t in tensors.values())

    def snapshot(self, slots: Tensor) -> "StateSnapshot":
        """Copy the KDA states of ``slots`` (``[S]`` int64), to go back to with :meth:`restore`.

        Note:
            MLA rows need no snapshot: a rejected row is overwritten before anything reads it.
        """
        return StateSnapshot(
            slots=slots.clone(),
            conv={layer: tensor[slots].clone() for layer, tensor in self.conv.items()},
            recurrent={layer: tensor[slots].clone() for layer, tensor in self.recurrent.items()},
        )

    def restore(self, snapshot: "StateSnapshot", *, into: Tensor | None = None) -> None:
        """Write a snapshot back, into the slots it came from or into others.

        Args:
            snapshot: What :meth:`snapshot` returned.
            into: ``[S]`` int64 slots to write instead, in the snapshot's order.
        """
        slots = snapshot.slots if into is None else into
        for layer, tensor in snapshot.conv.items():
            self.conv[layer][slots] = tensor
        for layer, tensor in snapshot.recurrent.items():
            self.recurrent[layer][slots] = tensor


@dataclasses.dataclass(frozen=True, eq=False)
class StateSnapshot:
    """KDA states of a few slots at one moment."""

    slots: Tensor
    """``[S]`` int64, where they came from."""
    conv: dict[int, Tensor]
    """Per KDA layer ``[S, channels, conv_width - 1]``."""
    recurrent: dict[int, Tensor]
    """Per KDA layer ``[S, heads, head_dim, head_dim]``."""
