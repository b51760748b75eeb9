"""What an eval is given, and what it fills as it goes: whatever happens, the rows it had measured are kept."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from worker.arms import Arms
from worker.bundle import Draft
from worker.bundle.record import Identifier
from worker.bundle.redaction import Redactor
from worker.bundle.samples import CounterRow, KernelTimeRow, NumericsRow, RequestRow, StepRow, StreamRow
from worker.bundle.schema import ArmName, Block, Cell, EvalRecord, NoSpeculation, PathLedger
from worker.deadline import Deadline
from worker.environment.nvml import Nvml
from worker.errors import WorkerError
from worker.identity import EngineIdentity
from worker.ledger import LedgerAnswer
from worker.processes import Child
from worker.progress import Progress
from worker.suites.seeds import Seeds

ARMS: tuple[ArmName, ...] = ("baseline", "candidate")
NO_SPECULATION = NoSpeculation(kind="none")


@dataclass(frozen=True)
class Setting:
    """What every eval of a run shares.

    Attributes:
        arms: Both arms.
        config: Model configuration, as the suite names it.
        draft: Where files go.
        folder: Scratch folder of the run.
        seeds: Source of every random choice.
        progress: Told about each step.
        redactor: Masks what must not leave the machine.
        nvml: Where to ask about GPUs.
    """

    arms: Arms
    config: Identifier
    draft: Draft
    folder: Path
    seeds: Seeds
    progress: Progress
    redactor: Redactor
    nvml: Nvml


@dataclass
class Trial:
    """One eval being measured.

    Attributes:
        eval_id: The eval's id in the suite.
        deadline: When it must be done.
        cells: Every cell of the plan, also those that no row came to fill.
        blocks: Blocks in the order in which they began.
        steps: Rows, as are the next five.
        ledgers: Path ledgers by arm; an arm that never reported has none.
        identities: Who the engine of each arm said it was.
        began_s: The eval's zero, on `time.monotonic`.
    """

    eval_id: Identifier
    deadline: Deadline
    cells: list[Cell] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    steps: list[StepRow] = field(default_factory=list)
    kernel_times: list[KernelTimeRow] = field(default_factory=list)
    requests: list[RequestRow] = field(default_factory=list)
    numerics: list[NumericsRow] = field(default_factory=list)
    counters: list[CounterRow] = field(default_factory=list)
    streams: list[StreamRow] = field(default_factory=list)
    ledgers: dict[ArmName, list[LedgerAnswer]] = field(default_factory=dict)
    identities: dict[ArmName, EngineIdentity] = field(default_factory=dict)
    began_s: float = field(default_factory=time.monotonic)
    _children: list[tuple[ArmName, str, Child]] = field(default_factory=list)

    def now_s(self) -> float:
        """Seconds since the eval began."""
        return time.monotonic() - self.began_s

    def watch(self, child: Child, *, arm: ArmName, name: str) -> None:
        """Keep a program's log for the case that the eval fails."""
        self._children.append((arm, name, child))

    def logs(self) -> Iterator[tuple[ArmName, str, str]]:
        """Arm, program and log of each program that wrote one."""
        yield from ((arm, name, child.log) for arm, name, child in self._children if child.log)

    def take(self, arm: ArmName, ledger: LedgerAnswer) -> None:
        """Add a ledger of an arm."""
        self.ledgers.setdefault(arm, []).append(ledger)


@dataclass(frozen=True)
class EvalResult:
    """What an eval came to.

    Attributes:
        record: Goes into the manifest.
        ledgers: Path ledger of each arm that drove an engine.
        identities: Who the engine of each arm said it was.
    """

    record: EvalRecord
    ledgers: dict[ArmName, PathLedger]
    identities: dict[ArmName, EngineIdentity]


@contextmanager
def stage(progress: Progress, name: str, *, total: int) -> Iterator[None]:
    """Announce a stage and close it, also when it breaks."""
    progress.begin(name, total=total)
    try:
        yield
    except BaseException as error:
        progress.end(name, remark=_remark(error))
        raise
    progress.end(name)


def _remark(error: BaseException) -> str:
    match error:
        case WorkerError(code=code):
            return code
        case KeyboardInterrupt():
            return "interrupted"
        case _:
            return type(error).__name__
