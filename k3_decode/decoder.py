"""Runs one step of the model on the specialized or the stock path, and writes down which and why.

Stock is the plain forward of `k3_decode.reference.model`. Specialized is whatever implements `SpecializedPath`: the
kernels, where they are built. The decision is taken for every step anew and never in silence: a step that was asked
to be specialized and ran stock carries every reason that applied, not only the first.

Source: design section 10 (`decoder`); the ledger in `k3_decode.ledger`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

import torch

from k3_decode.ledger import Ledger, Path, StepShape
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.cache import K3Cache
from k3_decode.reference.model import K3Model

DecodeMode = Literal["specialized", "stock"]

MAX_ROWS = 64
"""Most token rows a specialized step takes."""

MAX_TOKENS_PER_REQUEST = 8
"""Most rows of one request in a specialized step: one token and seven drafts."""


class Reason(StrEnum):
    """Why a step did not run on the specialized path. The text is what ledgers and bundles show."""

    MODE = "decode mode is stock"
    DEVICE = "no CUDA device"
    KERNELS = "kernels not built"
    PHASE = "step reads prompt tokens"
    ROWS = f"rows outside 1..{MAX_ROWS}"
    TOKENS = f"tokens per request outside 1..{MAX_TOKENS_PER_REQUEST}"


class SpecializedPath(Protocol):
    """A decode path built ahead of time for one model and cache."""

    @property
    def kernel_digests(self) -> frozenset[str]:
        """SHA-256 of every cubin a step launches."""

    def forward(self, batch: StepBatch, cache: K3Cache) -> torch.Tensor:
        """Equal `K3Model.forward` on a decode step within the tolerance table."""


@dataclass(frozen=True)
class PathChoice:
    """The decision for one step. ``reasons`` is empty exactly when ``path`` is specialized."""

    path: Path
    reasons: tuple[Reason, ...]


class Decoder:
    """Plans, runs and records the steps of one model over one cache.

    Args:
        model: The model; also the stock path.
        cache: Its cache, written by every step.
        mode: The path asked for.
        specialized: The specialized path, or None where no kernels are built.
        ledger: Where steps are counted; a fresh one if None.
    """

    def __init__(
        self,
        model: K3Model,
        cache: K3Cache,
        *,
        mode: DecodeMode,
        specialized: SpecializedPath | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.model = model
        self.cache = cache
        self.mode: DecodeMode = mode
        self.ledger = ledger if ledger is not None else Ledger()
        self._specialized = specialized
        self._standing = standing_reasons(mode, model.device, specialized=specialized)

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.device

    def plan(self, shape: StepShape) -> PathChoice:
        """Decide the path of a step, with every reason against the specialized one."""
        reasons = self._standing + tuple(_shape_reasons(shape))
        return PathChoice(path=Path.STOCK if reasons else Path.SPECIALIZED, reasons=reasons)

    def forward(self, batch: StepBatch, shape: StepShape) -> torch.Tensor:
        """Run one step and count it.

        Args:
            batch: The step's tokens and where they live in the cache.
            shape: The step's coordinates in the ledger.

        Returns:
            Logits ``[N, vocab]`` of the batch's ``logit_rows``, float32 (float64 for a float64 model).

        Note:
            A step that raises is not counted: the ledger holds steps that ran.
        """
        plan = self.plan(shape)
        if plan.path is Path.SPECIALIZED and self._specialized is not None:
            logits = self._specialized.forward(batch, self.cache)
            self.ledger.record(shape, plan.path, kernel_digests=self._specialized.kernel_digests)
        else:
            logits = self.model.forward(batch, self.cache)
            self.ledger.record(shape, plan.path, reasons=plan.reasons)
        return logits


def standing_reasons(
    mode: DecodeMode, device: torch.device, *, specialized: SpecializedPath | None = None
) -> tuple[Reason, ...]:
    """List the reasons that rule the specialized path out for every step, whatever its shape.

    Args:
        mode: Decode path asked for.
        device: Where the model is.
        specialized: The specialized path, or None where no kernels are built.
    """
    checks = {
        Reason.MODE: mode == "stock",
        Reason.DEVICE: device.type != "cuda",
        Reason.KERNELS: specialized is None,
    }
    return tuple(reason for reason, holds in checks.items() if holds)


def _shape_reasons(shape: StepShape) -> Sequence[Reason]:
    checks = {
        Reason.PHASE: shape.phase != "decode",
        Reason.ROWS: not 1 <= shape.rows <= MAX_ROWS,
        Reason.TOKENS: not 1 <= shape.tokens_per_request <= MAX_TOKENS_PER_REQUEST,
    }
    return [reason for reason, holds in checks.items() if holds]
