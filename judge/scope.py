"""The scope map: every cell of the declared scope with what there is to show for it, and the holes."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Annotated, Literal

from pydantic import Field

from judge.assess import Assessment
from judge.cells import CellSummary
from judge.claim import Scope
from judge.physics import PhysicsBound
from judge.selection import speculation_kind
from judge.thresholds import MIN_SPECIALIZED_SHARE
from worker.bundle.record import CommitSha, Count, Identifier, Positive, Record, Sha256

AspectName = Literal["performance", "correctness", "path"]
ASPECTS: tuple[AspectName, ...] = ("performance", "correctness", "path")
_KINDS: tuple[Literal["speed"], Literal["accuracy"]] = ("speed", "accuracy")
_Shown = tuple[Assessment, CellSummary]
"""A cell that may show something, and its bundle."""


class Aspect(Record):
    """One kind of evidence for one cell of the scope."""

    state: Literal["shown", "against", "missing"]
    """``against``: there is evidence, and it speaks against the change."""
    detail: Annotated[str, Field(max_length=300)]
    bundle_id: Sha256 | None
    cell: Identifier | None
    """Of the bundle."""


class ScopeCell(Record):
    """One combination of the declared values; None: any value of that axis."""

    batch: Positive | None
    tp: Positive | None
    context: Count | None
    speculation: Literal["none", "natural", "synthetic"] | None
    dcp: Positive | None
    performance: Aspect
    correctness: Aspect
    path: Aspect
    holes: tuple[AspectName, ...]
    """Aspects that are missing or speak against the change."""
    headroom: PhysicsBound | None
    """Of the candidate's decode step here: how far it is from the least time; None: not timed, or no bound is known."""


class ScopeFeature(Record):
    """One declared feature."""

    feature: Identifier
    evidence: Aspect


class ScopeMap(Record):
    """The declared scope, filled in."""

    cells: tuple[ScopeCell, ...]
    features: tuple[ScopeFeature, ...]
    holes: tuple[str, ...]
    """One sentence for each hole, in the order of cells: what a policy of "no hole in the declared scope" counts."""


def scope_map(scope: Scope, bundles: Sequence[Assessment], *, head_sha: CommitSha | None) -> ScopeMap:
    """Fill in a declared scope.

    Args:
        scope: What the pull request declares.
        bundles: What was assessed for it, oldest first; the newest that shows something is named.
        head_sha: The pull request's head; evidence for another commit counts for nothing. None: any commit counts.
    """
    usable = [one for one in reversed(bundles) if one.validity == "valid" and head_sha in (None, one.head_sha)]
    timed, scored = (tuple(_of(kind, usable)) for kind in _KINDS)
    places = product(*(axis or (None,) for axis in (scope.batch, scope.tp, scope.context, scope.dcp)))
    cells = tuple(
        _cell(timed, scored, batch=batch, tp=tp, context=context, speculation=speculation, dcp=dcp)
        for (batch, tp, context, dcp), speculation in product(places, scope.speculation or (None,))
    )
    features = tuple(_feature(name, scored) for name in scope.features or ())
    named = [f"{_named(cell)}: {aspect}, {getattr(cell, aspect).detail}" for cell in cells for aspect in cell.holes]
    named += [f"{one.feature}: {one.evidence.detail}" for one in features if one.evidence.state != "shown"]
    return ScopeMap(cells=cells, features=features, holes=tuple(named))


def _cell(
    every_timed: Sequence[_Shown],
    every_scored: Sequence[_Shown],
    *,
    batch: int | None,
    tp: int | None,
    context: int | None,
    speculation: Literal["none", "natural", "synthetic"] | None,
    dcp: int | None,
) -> ScopeCell:
    def fits(one: CellSummary, *, exactly: bool) -> bool:
        pairs = ((batch, one.cell.batch), (tp, one.cell.tensor_parallel), (dcp, one.cell.context_parallel))
        placed = all(wanted in (None, found) for wanted, found in pairs)
        there = context in (None, one.cell.context_tokens) or (not exactly and one.cell.context_tokens == "unknown")
        # Simulated acceptance has no answers of its own: the model's natural ones are what can be right or wrong.
        drafts = "natural" if speculation == "synthetic" and not exactly else speculation
        return placed and there and drafts in (None, speculation_kind(one.cell))

    timed = [(bundle, one) for bundle, one in every_timed if fits(one, exactly=True)]
    scored = [(bundle, one) for bundle, one in every_scored if fits(one, exactly=False)]
    performance = _first([_performance(bundle, one) for bundle, one in timed], "no timed cell")
    correctness = _first([_correctness(bundle, one) for bundle, one in scored], "no accuracy task at this cell")
    path = _first([_path(bundle, one) for bundle, one in (*timed, *scored)], "no ledger of this cell")
    aspects = dict(zip(ASPECTS, (performance, correctness, path), strict=True))
    return ScopeCell(
        batch=batch,
        tp=tp,
        context=context,
        speculation=speculation,
        dcp=dcp,
        performance=performance,
        correctness=correctness,
        path=path,
        holes=tuple(name for name in ASPECTS if aspects[name].state != "shown"),
        headroom=_headroom(timed, performance.bundle_id),
    )


def _headroom(timed: Sequence[_Shown], bundle_id: str | None) -> PhysicsBound | None:
    """Of the candidate, in the bundle that performance rests on."""
    candidates = [one.arm("candidate") for bundle, one in timed if bundle.bundle_id == bundle_id]
    return next((arm.physics for arm in candidates if arm is not None and arm.physics is not None), None)


def _of(kind: Literal["speed", "accuracy"], bundles: Sequence[Assessment]) -> Iterator[_Shown]:
    """Cells of one kind that no finding blocks."""
    for bundle in bundles:
        blocking = [finding for finding in bundle.findings if finding.effect == "blocks"]
        for one in bundle.cells:
            touched = (f.touches(eval_id=one.eval_id, cell=one.cell.id, kind=one.kind) for f in blocking)
            if one.kind == kind and not any(touched):
                yield bundle, one


def _performance(bundle: Assessment, one: CellSummary) -> Aspect:
    if one.estimate is None:
        return _aspect("missing", f"no comparison in {one.cell.id}", bundle, one)
    shown = f"{one.cell.metric} {one.estimate.value:.3f}x [{one.estimate.low:.3f}, {one.estimate.high:.3f}]"
    return _aspect("against" if one.estimate.high < 1 else "shown", shown, bundle, one)


def _correctness(bundle: Assessment, one: CellSummary) -> Aspect:
    if one.estimate is None:
        return _aspect("missing", f"no comparison in {one.cell.id}", bundle, one)
    low, high = 100 * one.estimate.low, 100 * one.estimate.high
    shown = f"{one.cell.task} {100 * one.estimate.value:+.2f} points [{low:+.2f}, {high:+.2f}]"
    return _aspect("against" if one.estimate.high < 0 else "shown", shown, bundle, one)


def _path(bundle: Assessment, one: CellSummary) -> Aspect:
    baseline, candidate = one.arm("baseline"), one.arm("candidate")
    if baseline is None or candidate is None:
        return _aspect("missing", f"an arm is missing in {one.cell.id}", bundle, one)
    ours, theirs = baseline.path, candidate.path
    if ours is None or theirs is None or ours == "unknown" or theirs == "unknown":
        return _aspect("missing", f"no ledger of {one.cell.id}", bundle, one)
    if ours.specialized_steps:
        return _aspect("against", f"the baseline ran {ours.specialized_steps} specialized steps", bundle, one)
    shown = f"specialized in {theirs.lowest_share:.1%} of the steps of {one.cell.id}"
    return _aspect("shown" if theirs.lowest_share >= MIN_SPECIALIZED_SHARE else "against", shown, bundle, one)


def _feature(name: str, scored: Sequence[_Shown]) -> ScopeFeature:
    found = [_correctness(b, one) for b, one in scored if (one.cell.task or "").split("/")[0] == name]
    return ScopeFeature(feature=name, evidence=_first(found, "no accuracy task of that name"))


def _first(found: Sequence[Aspect], otherwise: str) -> Aspect:
    """Evidence against comes first, then evidence for: a good cell does not hide a bad one at the same place."""
    for state in ("against", "shown", "missing"):
        for one in found:
            if one.state == state:
                return one
    return Aspect(state="missing", detail=otherwise, bundle_id=None, cell=None)


def _aspect(state: Literal["shown", "against", "missing"], detail: str, bundle: Assessment, one: CellSummary) -> Aspect:
    return Aspect(state=state, detail=detail[:300], bundle_id=bundle.bundle_id, cell=one.cell.id)


def _named(cell: ScopeCell) -> str:
    axes = ("batch", "tp", "context", "speculation", "dcp")
    return ", ".join(f"{axis} {getattr(cell, axis)}" for axis in axes if getattr(cell, axis) is not None)
