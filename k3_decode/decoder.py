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
    MODEL = "no kernel serves this model"
    ARCHITECTURE = "no kernel serves this GPU"
    PHASE = "step reads prompt tokens"
    ROWS = f"rows outside 1..{MAX_ROWS}"
    TOKENS = f"tokens per request outside 1..{MAX_TOKENS_PER_REQUEST}"


class SpecializedPath(Protocol):
    """A decode path built ahead of time for one model and cache."""

    @property
    def max_rows(self) -> int:
        """Most rows of a step, at most `MAX_ROWS`."""

    @property
    def max_tokens_per_request(self) -> int:
        """Most rows of one request in a step, at most `MAX_TOKENS_PER_REQUEST`."""

    def kernel_digests(self, rows: int) -> frozenset[str]:
        """SHA-256 of every cubin that a step of so many rows launches."""

    def forward(self, batch: StepBatch, cache: K3Cache) -> torch.Tensor:
        """Equal `K3Model.forward` on a decode step within the tolerance table."""

    def ranked(self, batch: StepBatch, cache: K3Cache) -> tuple[torch.Tensor, torch.Tensor]:
        """Run the same step, and give its likeliest tokens alone.

        Returns:
            Ids ``[N, 2 or more]`` int64 of the batch's ``logit_rows``, the likeliest first, the lower one on a tie; and
            whether all logits of each row are finite, ``[N]`` bool. Neither means anything for padding.
        """


class SpecializedPaths(Protocol):
    """Makes the specialized path of a model for each of its caches."""

    def for_cache(self, cache: K3Cache) -> SpecializedPath:
        """Make the path that steps over one cache."""


@dataclass(frozen=True)
class Specialization:
    """What there is of the specialized path for a model.

    Attributes:
        paths: Makes paths; None where there is none.
        refusals: Why there is none; empty where there is.
        detail: The refusal in words, empty where there is none.
    """

    paths: SpecializedPaths | None
    refusals: tuple[Reason, ...] = ()
    detail: str = ""


NOT_BUILT = Specialization(None, (Reason.KERNELS,))
"""No kernels, and nothing more to say."""


@dataclass(frozen=True)
class PathChoice:
    """The decision for one step. ``reasons`` is empty exactly when ``path`` is specialized."""

    path: Path
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Ranked:
    """What a greedy choice needs of a step.

    Attributes:
        ids: Likeliest tokens of each wanted row, best first, the lower id on a tie; at least two.
        finite: Whether all logits of the row are finite.
    """

    ids: list[list[int]]
    finite: list[bool]


class Decoder:
    """Plans, runs and records the steps of one model over one cache.

    Args:
        model: The model; also the stock path.
        cache: Its cache, written by every step.
        mode: The path asked for.
        specialization: What there is of the specialized path; its path over this cache is made here.
        ledger: Where steps are counted; a fresh one if None.
    """

    def __init__(
        self,
        model: K3Model,
        cache: K3Cache,
        *,
        mode: DecodeMode,
        specialization: Specialization = NOT_BUILT,
        ledger: Ledger | None = None,
    ) -> None:
        self.model = model
        self.cache = cache
        self.mode: DecodeMode = mode
        self.ledger = ledger if ledger is not None else Ledger()
        self._standing = standing_reasons(mode, model.device, specialization=specialization)
        paths = specialization.paths
        self._specialized = None if self._standing or paths is None else paths.for_cache(cache)

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.device

    def plan(self, shape: StepShape) -> PathChoice:
        """Decide the path of a step, with every reason against the specialized one."""
        reasons = self._standing + tuple(_shape_reasons(shape, self._specialized))
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
            self.ledger.record(shape, plan.path, kernel_digests=self._specialized.kernel_digests(shape.rows))
        else:
            logits = self.model.forward(batch, self.cache)
            self.ledger.record(shape, plan.path, reasons=plan.reasons)
        return logits

    def ranked(self, batch: StepBatch, shape: StepShape) -> Ranked | None:
        """Run and count one step whose logits nobody asks for, if it runs specialized.

        Args:
            batch: As of `forward`.
            shape: The same.

        Returns:
            Its likeliest tokens, which the step's own kernels have found; None where the step would run stock, and
            nothing has run.
        """
        if self.plan(shape).path is Path.STOCK or self._specialized is None:
            return None
        ids, finite = self._specialized.ranked(batch, self.cache)
        self.ledger.record(shape, Path.SPECIALIZED, kernel_digests=self._specialized.kernel_digests(shape.rows))
        read = torch.cat([ids, finite.unsqueeze(1)], dim=1).tolist()  # one copy from the device, one wait for it
        return Ranked([row[:-1] for row in read], [bool(row[-1]) for row in read])


def standing_reasons(
    mode: DecodeMode, device: torch.device, *, specialization: Specialization = NOT_BUILT
) -> tuple[Reason, ...]:
    """List the reasons that rule the specialized path out for every step, whatever its shape.

    Args:
        mode: Decode path asked for.
        device: Where the model is.
        specialization: What there is of the specialized path.
    """
    checks = {Reason.MODE: mode == "stock", Reason.DEVICE: device.type != "cuda"}
    return tuple(reason for reason, holds in checks.items() if holds) + specialization.refusals


def _shape_reasons(shape: StepShape, path: SpecializedPath | None) -> Sequence[Reason]:
    rows = MAX_ROWS if path is None else path.max_rows
    tokens = MAX_TOKENS_PER_REQUEST if path is None else path.max_tokens_per_request
    checks = {
        Reason.PHASE: shape.phase != "decode",
        Reason.ROWS: not 1 <= shape.rows <= rows,
        Reason.TOKENS: not 1 <= shape.tokens_per_request <= tokens,
    }
    return [reason for reason, holds in checks.items() if holds]
