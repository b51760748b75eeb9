"""Family B: the bundle is what its manifest says, and its rows belong where they say they do."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from judge.evidence import Evidence
from judge.rules.record import Found, rule
from judge.tables import Integers
from worker.bundle.schema import ArmName, EvalKind, Role

_ARMS: tuple[ArmName, ...] = ("baseline", "candidate")
_DIGEST_CODES = frozenset({"blob_missing", "blob_corrupt", "size_mismatch"})
_ROLES: dict[EvalKind, frozenset[Role]] = {
    "kernel_numerics": frozenset({"numerics", "telemetry", "summary", "imported", "log"}),
    "decode_step": frozenset({"steps", "kernel_times", "telemetry", "counters", "summary", "imported", "log"}),
    "serving": frozenset({"requests", "telemetry", "counters", "summary", "imported", "log"}),
    "accuracy": frozenset(
        {
            "lm_eval_results",
            "lm_eval_samples",
            "streams",
            "requests",
            "telemetry",
            "counters",
            "summary",
            "imported",
            "log",
        }
    ),
}


@rule(
    "B-001",
    "error",
    "invalidates",
    title="A blob is missing or is not the one listed",
    hint="Upload or export the bundle again; a blob that changed on disk cannot be mended.",
)
def blob_integrity(evidence: Evidence) -> Iterator[Found]:
    """The manifest's signature covers files only through their digests; other content proves nothing."""
    for problem in evidence.problems:
        if problem.code in _DIGEST_CODES:
            yield Found(f"{problem.code}: {problem.detail}", f"files/{problem.file}")


@rule(
    "B-002",
    "error",
    "invalidates",
    title="A file cannot be read as what its role says",
    hint="Let the worker write the bundle again; do not edit raw files by hand.",
)
def readable_rows(evidence: Evidence) -> Iterator[Found]:
    """Rows that cannot be read cannot be recomputed, and reading some of them would choose among samples."""
    for problem in evidence.problems:
        if problem.code not in _DIGEST_CODES:
            yield Found(
                f"{problem.code}: {problem.detail}", f"files/{problem.file}", eval_id=problem.eval_id, arm=problem.arm
            )


@rule(
    "B-003",
    "error",
    "invalidates",
    title="One file is listed twice",
    hint="List each file once, under the arm that produced it.",
)
def files_once(evidence: Evidence) -> Iterator[Found]:
    """Its rows would count twice, or one arm's measurement would stand for both."""
    seen: dict[tuple[object, ...], int] = {}
    for index, entry in enumerate(evidence.manifest.files):
        if entry.role in ("log", "imported"):
            continue
        shared = entry.role not in ("steps", "requests")
        key = (entry.sha256, entry.role, entry.eval_id if shared else None, entry.arm if shared else None)
        first = seen.setdefault(key, index)
        if first != index and entry.size_bytes:
            yield Found(f"files {first} and {index} are the same {entry.role} file", f"files/{index}")


@rule(
    "B-004",
    "error",
    "invalidates",
    title="An identifier is used twice",
    hint="Give every arm, eval, cell of the bundle and block of an eval its own id.",
)
def unique_ids(evidence: Evidence) -> Iterator[Found]:
    """Rows name cells and blocks by id; an id that names two things makes them ambiguous."""
    manifest = evidence.manifest
    yield from _repeated("arms", [arm.name for arm in manifest.arms])
    yield from _repeated("evals", [record.id for record in manifest.evals])
    yield from _repeated("cells", [cell.id for record in manifest.evals for cell in record.cells])
    for record in manifest.evals:
        yield from _repeated(f"evals/{record.id}/blocks", [str(block.index) for block in record.blocks])


@rule(
    "B-005",
    "error",
    "invalidates",
    title="Rows belong to no cell of the manifest",
    hint="Keep manifest and rows from the same run.",
)
def rows_have_cells(evidence: Evidence) -> Iterator[Found]:
    """A row must name a cell of an eval that produces such rows, and an arm of that cell."""
    known = {
        kind: {(cell.id, arm) for record in evidence.manifest.evals if record.kind in kinds
               for cell in record.cells for arm in cell.arms}
        for kind, kinds in (
            ("steps", ("decode_step",)), ("kernel_times", ("decode_step",)), ("requests", ("serving", "accuracy")),
            ("numerics", ("kernel_numerics",)), ("any", tuple(_ROLES)),
        )
    }  # fmt: skip
    tables: Iterable[tuple[str, Iterable[tuple[str, str]]]] = (
        ("steps", evidence.steps),
        ("kernel_times", evidence.kernel_times),
        ("requests", evidence.requests),
        ("numerics", evidence.numerics),
        ("any", dict.fromkeys((row.cell, row.arm) for row in evidence.counters)),
        ("any", dict.fromkeys((row.cell, row.arm) for row in evidence.summaries)),
    )
    for kind, keys in tables:
        for cell, arm in keys:
            if (cell, arm) not in known[kind]:
                yield Found(f"rows name cell {cell} of arm {arm}, which the manifest does not list", f"{cell}/{arm}")


@rule(
    "B-006",
    "error",
    "invalidates",
    title="A file belongs to no eval that could have produced it",
    hint="Keep manifest and files from the same run.",
)
def files_have_evals(evidence: Evidence) -> Iterator[Found]:
    """A file of an unknown eval, or of a role its eval never writes, was not written by the run."""
    kinds = {record.id: record.kind for record in evidence.manifest.evals}
    for index, entry in enumerate(evidence.manifest.files):
        if entry.eval_id is None:
            continue
        if entry.eval_id not in kinds:
            yield Found(f"the file names eval {entry.eval_id}, which the manifest does not list", f"files/{index}")
        elif entry.role not in _ROLES[kinds[entry.eval_id]]:
            yield Found(f"eval {entry.eval_id} ({kinds[entry.eval_id]}) writes no {entry.role}", f"files/{index}")


@rule(
    "B-007",
    "error",
    "blocks",
    title="An arm is missing",
    hint="Run both arms in one session.",
)
def both_arms(evidence: Evidence) -> Iterator[Found]:
    """A claim compares the candidate with the baseline; one arm alone is a number without a meaning."""
    if evidence.manifest.origin.kind == "measured":
        yield from _absent_arms(evidence)


@rule(
    "B-008",
    "error",
    "invalidates",
    title="The same sample occurs twice",
    hint="Keep the rows as the worker wrote them.",
)
def rows_once(evidence: Evidence) -> Iterator[Found]:
    """A step of a block, or a request of a cell, happened once; repeating rows makes a series look larger."""
    for (cell, arm), steps in evidence.steps.items():
        yield from _repeated_rows(steps.block, steps.step, cell, arm, "step")
    for (cell, arm), requests in evidence.requests.items():
        yield from _repeated_rows(requests.block, requests.index, cell, arm, "request")


@rule(
    "B-009",
    "error",
    "invalidates",
    title="Rows lie in a block of the other arm, or in none",
    hint="Keep manifest and rows from the same run.",
)
def rows_have_blocks(evidence: Evidence) -> Iterator[Found]:
    """The order of blocks is what keeps drift out of a comparison; a row outside it escaped the order."""
    for record in evidence.manifest.evals:
        owners = {block.index: block.arm for block in record.blocks}
        for cell in record.cells:
            for arm in _ARMS:
                tables = (evidence.steps.get((cell.id, arm)), evidence.requests.get((cell.id, arm)))
                used = {int(index) for table in tables if table is not None for index in np.unique(table.block)}
                wrong = sorted(index for index in used if owners.get(index) != arm)
                if owners and wrong:
                    yield Found(
                        f"rows of the {arm} lie in blocks {_some(wrong)}, which are not blocks of that arm",
                        f"evals/{record.id}/cells/{cell.id}/{arm}",
                        eval_id=record.id,
                    )


@rule(
    "B-010",
    "info",
    "notes",
    title="An import of one arm",
    hint="Import the other arm's files with it, or compare the bundle with another one.",
)
def imported_arms(evidence: Evidence) -> Iterator[Found]:
    """Other tools measure one arm at a time; such a bundle can be compared with another, and supports no claim."""
    if evidence.manifest.origin.kind == "imported":
        yield from _absent_arms(evidence)


def _absent_arms(evidence: Evidence) -> Iterator[Found]:
    for record in evidence.manifest.evals:
        if record.outcome.outcome != "completed" or record.kind == "kernel_numerics":
            continue
        ids = {cell.id for cell in record.cells}
        found = {arm for table in (evidence.steps, evidence.requests) for cell, arm in table if cell in ids}
        found |= {arm for eval_id, arm in evidence.lm_eval if eval_id == record.id}
        for arm in _ARMS:
            if arm not in found or evidence.arm(arm) is None:
                what = "has no rows" if arm not in found else "is not described"
                yield Found(f"the {arm} {what}", f"evals/{record.id}/{arm}", eval_id=record.id, arm=arm)


def _repeated(where: str, names: list[str]) -> Iterator[Found]:
    for name, count in sorted(Counter(names).items()):
        if count > 1:
            yield Found(f"{name} occurs {count} times", f"{where}/{name}")


def _repeated_rows(block: Integers, number: Integers, cell: str, arm: str, what: str) -> Iterator[Found]:
    pairs = np.stack([block, number], axis=1)
    repeats = len(pairs) - len(np.unique(pairs, axis=0))
    if repeats:
        yield Found(f"{repeats} rows repeat the block and {what} number of another row", f"{cell}/{arm}")


def _some(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:10])
    return shown if len(numbers) <= 10 else f"{shown} and {len(numbers) - 10} more"


RULES = (
    blob_integrity,
    readable_rows,
    files_once,
    unique_ids,
    rows_have_cells,
    files_have_evals,
    both_arms,
    rows_once,
    rows_have_blocks,
    imported_arms,
)
