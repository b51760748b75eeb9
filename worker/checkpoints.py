"""Evals that are done, kept on disk, so that a run that was interrupted goes on after them.

However an eval ended it counts as done: what failed is not tried again until it succeeds.
"""

from dataclasses import dataclass
from pathlib import Path

from worker.bundle import BundleError, canonical, parse_record
from worker.bundle.blobs import write_atomically
from worker.bundle.record import Record
from worker.bundle.schema import ArmName, Challenge, EvalRecord, FileEntry, PathLedger, RedactionReceipt
from worker.evals.trial import EvalResult, Setting
from worker.identity import EngineIdentity


class Checkpoint(Record):
    """One eval that is done; its files lie in the bundle's folder already."""

    challenge: Challenge | None
    """Other challenges have other prompts: a checkpoint is good for its own only."""
    record: EvalRecord
    ledgers: dict[ArmName, PathLedger]
    identities: dict[ArmName, EngineIdentity]
    files: tuple[FileEntry, ...]
    redaction: RedactionReceipt
    """Everything that was masked up to then."""


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoints of one run.

    Attributes:
        folder: Holds ``EVAL.json`` for each.
        challenge: Of the run.
    """

    folder: Path
    challenge: Challenge | None

    def save(self, result: EvalResult, setting: Setting, *, files: tuple[FileEntry, ...]) -> None:
        """Keep what an eval came to.

        Args:
            result: What it came to.
            setting: The run's.
            files: What it added to the bundle.
        """
        kept = Checkpoint(
            challenge=self.challenge,
            record=result.record,
            ledgers=result.ledgers,
            identities=result.identities,
            files=files,
            redaction=setting.redactor.receipt(),
        )
        write_atomically(self._path(result.record.id), canonical(kept))

    def load(self, eval_id: str, setting: Setting) -> EvalResult | None:
        """Take an eval that was done before into a run; None: it has to be done.

        A checkpoint that cannot be read, is about another run, or whose files are not there any more, is none.
        """
        try:
            kept = parse_record(self._path(eval_id).read_bytes(), Checkpoint, code="state_invalid")
            if kept.challenge != self.challenge or kept.record.id != eval_id:
                return None
            setting.draft.keep(kept.files)
        except (OSError, BundleError):
            return None
        setting.redactor.add(kept.redaction)
        return EvalResult(record=kept.record, ledgers=kept.ledgers, identities=kept.identities)

    def _path(self, eval_id: str) -> Path:
        return self.folder / f"{eval_id}.json"
