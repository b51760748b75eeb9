"""Telling a person how far a run is: a protocol, one implementation for terminals, and silence."""

from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichBars


class Progress(Protocol):
    """What a run calls as it goes. Stages may overlap; each is named once."""

    def begin(self, stage: str, *, total: int) -> None:
        """Announce a stage of ``total`` units of work (blocks, requests, bytes)."""

    def advance(self, stage: str, amount: int = 1) -> None:
        """Report that ``amount`` further units of a stage are done."""

    def end(self, stage: str, *, remark: str = "done") -> None:
        """Close a stage, saying in a word or two how it ended."""


class Silent:
    """Reports to nobody."""

    def begin(self, stage: str, *, total: int) -> None:
        """Do nothing."""

    def advance(self, stage: str, amount: int = 1) -> None:
        """Do nothing."""

    def end(self, stage: str, *, remark: str = "done") -> None:
        """Do nothing."""


class Bars:
    """Bars in a terminal; use as a context manager around the run.

    Args:
        console: Where to draw; standard error by default, so that output can be piped.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._bars = RichBars(
            TextColumn("{task.description:<28}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[remark]}", style="dim"),
            console=console or Console(stderr=True),
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def begin(self, stage: str, *, total: int) -> None:
        """Draw a bar."""
        self._tasks[stage] = self._bars.add_task(stage, total=total, remark="")

    def advance(self, stage: str, amount: int = 1) -> None:
        """Move a bar."""
        self._bars.advance(self._tasks[stage], amount)

    def end(self, stage: str, *, remark: str = "done") -> None:
        """Stop a bar's clock and write the remark beside it; only a stage that is done fills it."""
        task = self._tasks[stage]
        if remark == "done":
            self._bars.update(task, completed=self._bars.tasks[task].total)
        self._bars.update(task, remark=remark)
        self._bars.stop_task(task)
