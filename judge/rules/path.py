"""Family P: the candidate's specialized path ran, the baseline's did not, and the ledger accounts for every step."""

from collections.abc import Iterator

from judge.evidence import Evidence
from judge.path import bucket_share, decode_buckets, ledger, share
from judge.rules.record import Found, rule
from judge.thresholds import MIN_SPECIALIZED_SHARE
from worker.bundle.schema import Arm, Cell, EvalRecord, LedgerBucket, PathLedger

_DRIVES_ENGINE = ("decode_step", "serving", "accuracy")
_SPECULATION = ("spec", "draft", "accept")
"""Parts of the names of configuration entries about speculation; synthetic weights are another thing."""


@rule(
    "P-001",
    "error",
    "limits",
    title="No path ledger",
    hint="Run with a worker and an engine that report which path each step took.",
    bears_on=("speed",),
)
def ledger_present(evidence: Evidence) -> Iterator[Found]:
    """Without a ledger nothing says which code produced the numbers."""
    for record in _driven(evidence) if evidence.manifest.origin.kind == "measured" else ():
        for arm in evidence.manifest.arms:
            found = ledger(arm, record.id)
            if found == "unknown" or not _steps(found.buckets):
                yield Found(
                    f"the {arm.name}'s ledger for {record.id} is {'unknown' if found == 'unknown' else 'empty'}",
                    f"arms/{arm.name}/ledgers/{record.id}",
                    eval_id=record.id,
                    arm=arm.name,
                )


@rule(
    "P-002",
    "error",
    "limits",
    title="The specialized path did not run",
    hint="The ledger gives the reasons; `byogpu doctor` says whether this machine can run the path at all.",
    bears_on=("speed",),
)
def candidate_specialized(evidence: Evidence) -> Iterator[Found]:
    """A speed-up is the specialized path's only where that path ran: at least 99 % of steps in every decode bucket."""
    for record, found in _ledgers(evidence, "candidate"):
        short = tuple(
            bucket
            for bucket in decode_buckets(found, None)
            if _steps((bucket,)) and bucket_share(bucket) < MIN_SPECIALIZED_SHARE
        )
        if short:
            shown = "; ".join(f"{_shape(one)}: {one.specialized_steps} of {_steps((one,))} steps" for one in short[:10])
            counted = share(short)
            reasons = () if counted == "unknown" else counted.reasons[:5]
            why = ", ".join(f"{one.reason} ({one.steps})" for one in reasons) or "no reason given"
            yield Found(f"{shown}; {why}", f"arms/candidate/ledgers/{record.id}", eval_id=record.id, arm="candidate")


@rule(
    "P-003",
    "error",
    "blocks",
    title="The baseline ran the specialized path",
    hint="Start the baseline with the stock decode path.",
    bears_on=("speed", "accuracy"),
)
def baseline_stock(evidence: Evidence) -> Iterator[Found]:
    """A baseline that takes the candidate's path compares the candidate with itself."""
    for record, found in _ledgers(evidence, "baseline"):
        steps = sum(bucket.specialized_steps for bucket in found.buckets)
        if steps:
            yield Found(
                f"{steps} steps of the baseline ran specialized",
                f"arms/baseline/ledgers/{record.id}",
                eval_id=record.id,
                arm="baseline",
            )


@rule(
    "P-004",
    "warning",
    "notes",
    title="Steps on the stock path without a reason",
    hint="Let the decoder name every reason for a fallback.",
)
def reasons_given(evidence: Evidence) -> Iterator[Found]:
    """A fallback that cannot be explained can be neither fixed nor excluded next time."""
    for arm in evidence.manifest.arms:
        for record, found in _ledgers(evidence, arm.name):
            for bucket in found.buckets:
                given = sum(reason.steps for reason in bucket.reasons)
                most = max((reason.steps for reason in bucket.reasons), default=0)
                if given < bucket.stock_steps or most > bucket.stock_steps:
                    yield Found(
                        f"{_shape(bucket)}: {bucket.stock_steps} stock steps, reasons for {given}",
                        f"arms/{arm.name}/ledgers/{record.id}",
                        eval_id=record.id,
                        arm=arm.name,
                    )


@rule(
    "P-005",
    "error",
    "limits",
    title="No kernels behind the specialized steps",
    hint="Report the digest of every cubin the path launches.",
    bears_on=("speed",),
)
def kernels_named(evidence: Evidence) -> Iterator[Found]:
    """Specialized steps launch kernels that the baseline does not; without their digests nobody knows what ran."""
    stock = {record.id: set(found.kernel_digests) for record, found in _ledgers(evidence, "baseline")}
    for record, found in _ledgers(evidence, "candidate"):
        if not any(bucket.specialized_steps for bucket in found.buckets):
            continue
        if not set(found.kernel_digests) - stock.get(record.id, set()):
            what = "the baseline's alone" if found.kernel_digests else "none"
            yield Found(
                f"specialized steps are counted, kernel digests: {what}",
                f"arms/candidate/ledgers/{record.id}",
                eval_id=record.id,
                arm="candidate",
            )


@rule(
    "P-006",
    "error",
    "blocks",
    title="The ledger counts fewer steps than were timed",
    hint="Count every timed step in the ledger, in the bucket of its batch.",
    bears_on=("speed",),
)
def steps_accounted(evidence: Evidence) -> Iterator[Found]:
    """Timed steps that the ledger does not know ran on nobody knows which path, or at another batch."""
    for record in evidence.manifest.evals:
        if record.kind != "decode_step":
            continue
        for arm in evidence.manifest.arms:
            found = ledger(arm, record.id)
            for batch in sorted({cell.batch for cell in record.cells if cell.batch != "unknown"}):
                cells = [cell for cell in record.cells if cell.batch == batch]
                tables = [evidence.steps.get((cell.id, arm.name)) for cell in cells]
                timed = sum(len(table.block) for table in tables if table is not None)
                counted = _steps(decode_buckets(found, cells[0])) if found != "unknown" else timed
                if counted < timed:
                    yield Found(
                        f"{timed} steps were timed at batch {batch}, the ledger has {counted}",
                        f"arms/{arm.name}/ledgers/{record.id}",
                        eval_id=record.id,
                        arm=arm.name,
                    )


@rule(
    "P-007",
    "info",
    "notes",
    title="An import without a path ledger",
    hint="Measure with the worker to show which path ran; an import supports no claim of a speed-up.",
)
def imported_path(evidence: Evidence) -> Iterator[Found]:
    """Other tools do not report which decode path ran, so their numbers cannot show that a path made the difference."""
    if evidence.manifest.origin.kind == "imported":
        yield Found(f"{evidence.manifest.origin.tool} reports no decode path", "arms")


def _driven(evidence: Evidence) -> Iterator[EvalRecord]:
    for record in evidence.manifest.evals:
        if record.kind in _DRIVES_ENGINE and record.outcome.outcome == "completed":
            yield record


def _ledgers(evidence: Evidence, name: str) -> Iterator[tuple[EvalRecord, PathLedger]]:
    arm: Arm | None = next((arm for arm in evidence.manifest.arms if arm.name == name), None)
    for record in evidence.manifest.evals:
        found = ledger(arm, record.id) if arm else "unknown"
        if found != "unknown":
            yield record, found


def _steps(buckets: tuple[LedgerBucket, ...]) -> int:
    return sum(bucket.specialized_steps + bucket.stock_steps for bucket in buckets)


def _shape(bucket: LedgerBucket) -> str:
    drafts = f", {bucket.speculation} drafts" if bucket.speculation else ""
    return f"{bucket.phase} of {bucket.rows} rows{drafts}"


@rule(
    "P-008",
    "error",
    "blocks",
    title="Speculation was not what the cell says",
    hint="Describe the cell as the engine ran it: drafts, and whether their acceptance is simulated.",
    bears_on=("speed",),
)
def speculation_as_declared(evidence: Evidence) -> Iterator[Found]:
    """Simulated acceptance passed off as natural, or drafts that a cell does not mention, are another measurement."""
    for record in _driven(evidence):
        declared = {_drafts(cell) for cell in record.cells}
        kinds = {speculation.kind for cell in record.cells if (speculation := cell.speculation) != "unknown"}
        for arm in evidence.manifest.arms:
            found = ledger(arm, record.id)
            ran = set() if found == "unknown" else {b.speculation for b in decode_buckets(found, None) if _steps((b,))}
            other = sorted(ran - {drafts for drafts in declared if drafts is not None})
            where = f"arms/{arm.name}/ledgers/{record.id}"
            if other and None not in declared:
                detail = f"steps verified {', '.join(map(str, other))} drafts, no cell of {record.id} says so"
                yield Found(detail, where, eval_id=record.id, arm=arm.name)
            elif any(declared) and ran == {0}:
                detail = f"cells of {record.id} say drafts were verified, no step verified any"
                yield Found(detail, where, eval_id=record.id, arm=arm.name)
            simulated = [
                one.name
                for one in arm.engine_config
                if "synthetic" in f"{one.name} {one.value}".lower() and any(part in one.name for part in _SPECULATION)
            ]
            if simulated and kinds and "synthetic" not in kinds:
                detail = (
                    f"the engine's {simulated[0]} says synthetic, cells of {record.id} say {', '.join(sorted(kinds))}"
                )
                yield Found(detail, f"arms/{arm.name}/engine_config", eval_id=record.id, arm=arm.name)


def _drafts(cell: Cell) -> int | None:
    """Drafts a cell says were verified in each step; None: unknown."""
    if cell.speculation == "unknown":
        return None
    return 0 if cell.speculation.kind == "none" else cell.speculation.drafts


RULES = (
    ledger_present,
    candidate_specialized,
    baseline_stock,
    reasons_given,
    kernels_named,
    steps_accounted,
    imported_path,
    speculation_as_declared,
)
