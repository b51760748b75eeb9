"""Stable latent mixture of experts: routing, and the routed experts in latent space."""

from typing import Protocol

import torch
from torch import Tensor

from k3_decode.config import ExpertAct
from k3_decode.reference import mxfp8
from k3_decode.reference.precision import accumulate_dtype
from k3_decode.reference.situ import situ

DECODED_ELEMENTS = 1 << 26
"""Default bound on expert weights decoded at once: 256 MiB in float32."""


class Experts(Protocol):
    """Routed experts of one rank, however they are stored."""

    @property
    def parameters_each(self) -> int:
        """Weights of one expert."""

    def gather(self, ids: Tensor, *, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Give the weights of experts ``ids`` (``[U]`` int64, ascending).

        Returns:
            Gate and linear rows ``[U, 2 * I, L]`` (gate first) and output rows ``[U, L, I]``, in ``dtype``.
        """


def route(logits: Tensor, bias: Tensor, *, top_k: int, scaling: float) -> tuple[Tensor, Tensor]:
    """Choose each token's experts and weigh them.

    ``s = sigmoid(logits)``; the ``top_k`` largest of ``s + bias`` are picked, ties going to the lower id; the weights
    are ``s_e / (sum of the picked s + 1e-20) * scaling``, so the bias moves the choice and never the weights.

    Args:
        logits: ``[T, E]``, float32 or float64.
        bias: ``[E]``, ``e_score_correction_bias``.
        top_k: Experts per token.
        scaling: The config's ``routed_scaling_factor``.

    Returns:
        Expert ids ``[T, top_k]`` int64, best first, and weights ``[T, top_k]`` in the dtype of ``logits``.

    Source:
        k3-model.md section 3.5.
    """
    scores = logits.sigmoid()
    ids = (scores + bias).sort(dim=-1, descending=True, stable=True).indices[:, :top_k]
    picked = scores.gather(1, ids)
    return ids, picked / (picked.sum(-1, keepdim=True) + 1e-20) * scaling


def routed_experts(
    z: Tensor,
    ids: Tensor,
    weights: Tensor,
    experts: Experts,
    *,
    beta: float,
    linear_beta: float | None,
    act: ExpertAct,
    decoded_elements: int = DECODED_ELEMENTS,
) -> Tensor:
    """Run the picked experts and sum their outputs in latent space, before the latent norm.

    ``r = sum_e w_e * W2_e situ(W1_e z, W3_e z)``

    Args:
        z: ``[T, L]``, the latent input.
        ids: ``[T, k]`` int64.
        weights: ``[T, k]``.
        experts: This rank's share of every expert.
        beta: SiTU bound of the gate.
        linear_beta: SiTU bound of the linear half.
        act: ``bf16`` keeps activations in the dtype of ``z``. ``mxfp8`` passes ``z`` and the hidden activation through
            MXFP8 and rounds every expert's output and the weights to the dtype of ``z``.
        decoded_elements: Expert weights to decode at once, in elements; more take several rounds.

    Returns:
        ``[T, L]`` in the dtype of ``z``: this rank's partial sum.

    Source:
        k3-model.md sections 3.5 and 3.6.
    """
    wide = accumulate_dtype(z.dtype)
    compute = wide if act == "mxfp8" else z.dtype
    inputs = mxfp8.round_trip(z.to(wide)) if act == "mxfp8" else z
    tokens, top_k = ids.shape
    flat = ids.flatten()
    order = flat.argsort(stable=True)
    counts = flat.bincount()
    used = counts.nonzero().squeeze(1)
    counts = counts[used]
    outputs = torch.empty(tokens * top_k, z.shape[1], dtype=z.dtype, device=z.device)
    done, per_round = 0, max(1, decoded_elements // experts.parameters_each)
    for first in range(0, used.shape[0], per_round):
        chosen, sizes = used[first : first + per_round], counts[first : first + per_round]
        members = order[done : done + int(sizes.sum())]
        done += members.shape[0]
        # Row of each member in the padded [experts, most tokens of one] table.
        column = torch.arange(members.shape[0], device=z.device) - (sizes.cumsum(0) - sizes).repeat_interleave(sizes)
        row = torch.arange(chosen.shape[0], device=z.device).repeat_interleave(sizes)
        padded = inputs.new_zeros(chosen.shape[0], int(sizes.max()), z.shape[1])
        padded[row, column] = inputs[members // top_k]
        w13, w2 = experts.gather(chosen, dtype=compute)
        gate, linear = (padded @ w13.transpose(1, 2)).chunk(2, dim=-1)
        hidden = situ(gate, linear, beta=beta, linear_beta=linear_beta)
        if act == "mxfp8":
            hidden = mxfp8.round_trip(hidden)
        outputs[members] = (hidden @ w2.transpose(1, 2))[row, column].to(z.dtype)
    if act == "mxfp8":
        weights = weights.to(z.dtype)
    picked = outputs.view(tokens, top_k, z.shape[1]).to(wide)
    return (weights.to(wide).unsqueeze(1) @ picked).squeeze(1).to(z.dtype)
