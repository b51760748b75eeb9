"""Family M, continued: counted acceptance against what was declared and produced, kernel times against the step."""

from collections.abc import Iterator

import numpy as np

from judge.acceptance import acceptance
from judge.evidence import Evidence
from judge.reconciliation import misfit, reconciled
from judge.rules.record import Found, rule
from judge.thresholds import ACCEPTANCE_TOLERANCE
from worker.bundle.schema import ArmName, Cell, EvalRecord

_ARMS: tuple[ArmName, ...] = ("baseline", "candidate")


@rule(
    "M-017",
    "error",
    "blocks",
    title="Acceptance is not what the cell says",
    hint="Declare the acceptance that the server's counters give: 1 + accepted / drafts.",
    bears_on=("speed",),
)
def acceptance_as_declared(evidence: Evidence) -> Iterator[Found]:
    """Every accepted draft is a token for free: a longer acceptance is another workload, not a faster kernel."""
    for record, cell in _cells(evidence):
        speculation = cell.speculation
        if speculation == "unknown":
            continue
        for arm in _ARMS:
            found = acceptance(evidence, cell.id, arm)
            if found is None:
                continue
            if speculation.kind == "none":
                yield _found(record, cell, arm, f"{found.drafts:g} drafts were verified, the cell says none")
            elif found.length > 1 + speculation.drafts:
                yield _found(record, cell, arm, f"{found.length:.2f} tokens a step from {speculation.drafts} drafts")
            elif speculation.kind == "synthetic" and _apart(found.length, speculation.acceptance_length):
                declared = speculation.acceptance_length
                yield _found(record, cell, arm, f"declared {declared:g}, the counters give {found.length:.2f}")


@rule(
    "M-018",
    "error",
    "blocks",
    title="The arms accepted drafts at different lengths",
    hint="Use the same draft model and sampling in both arms, or simulate the same acceptance.",
    bears_on=("speed",),
)
def acceptance_equal(evidence: Evidence) -> Iterator[Found]:
    """The arm that accepts more drafts takes fewer steps for the same tokens, however fast a step is."""
    for record, cell in _cells(evidence):
        ours, theirs = (acceptance(evidence, cell.id, arm) for arm in _ARMS)
        if ours is not None and theirs is not None and _apart(ours.length, theirs.length):
            yield _found(record, cell, None, f"baseline {ours.length:.2f}, candidate {theirs.length:.2f}")


@rule(
    "M-019",
    "error",
    "blocks",
    title="Accepted drafts do not account for the tokens",
    hint="Read the server's counters before and after each block, and drive it with nothing else meanwhile.",
    bears_on=("speed",),
)
def acceptance_yields_tokens(evidence: Evidence) -> Iterator[Found]:
    """Drafts and accepted tokens add up to what was produced; where they do not, the counters are of other requests."""
    for record, cell in _cells(evidence):
        for arm in _ARMS:
            found, table = acceptance(evidence, cell.id, arm), evidence.requests.get((cell.id, arm))
            if found is None or table is None:
                continue
            # The first token of a request comes from its prompt, without a draft.
            produced = float(np.maximum(table.output_tokens - 1, 0)[~table.failed].sum())
            if _apart(found.tokens, produced):
                yield _found(
                    record, cell, arm, f"the counters give {found.tokens:g} tokens, the requests have {produced:g}"
                )


@rule(
    "M-020",
    "error",
    "blocks",
    title="Kernel times do not explain the step",
    hint="Record every kernel of a step with its launches, and the gaps between them, in the run that times the steps.",
    version=2,
    bears_on=("speed",),
)
def kernels_explain_step(evidence: Evidence) -> Iterator[Found]:
    """A step is its kernels and the gaps between them; time that is missing, or too much, was measured elsewhere."""
    for record, cell in _cells(evidence):
        for arm in _ARMS:
            rows, table = evidence.kernel_times.get((cell.id, arm), ()), evidence.steps.get((cell.id, arm))
            if not rows or table is None:
                continue
            found = reconciled(table, rows)
            if found is None:
                yield _found(record, cell, arm, misfit(table, rows) or "nothing to add up")
            elif not found.explained:
                yield _found(
                    record,
                    cell,
                    arm,
                    f"kernels {found.kernels_us:.1f} µs and gaps {found.gaps_us:.1f} µs of a step of "
                    f"{found.step_us:.1f} µs leave {found.residual_us:+.1f} µs ({found.residual_share:+.0%})",
                )


def _cells(evidence: Evidence) -> Iterator[tuple[EvalRecord, Cell]]:
    for record in evidence.manifest.evals:
        for cell in record.cells:
            yield record, cell


def _apart(first: float, second: float) -> bool:
    return abs(first - second) > ACCEPTANCE_TOLERANCE * max(first, second)


def _found(record: EvalRecord, cell: Cell, arm: ArmName | None, detail: str) -> Found:
    where = f"evals/{record.id}/cells/{cell.id}" + (f"/{arm}" if arm else "")
    return Found(detail, where, eval_id=record.id, cell=cell.id, arm=arm)


RULES = (acceptance_as_declared, acceptance_equal, acceptance_yields_tokens, kernels_explain_step)
