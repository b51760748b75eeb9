"""The manifest of a run: what the machine, the arms and the evals have to say, put together."""

from collections.abc import Sequence

from worker.arms import Arm
from worker.bundle import Manifest
from worker.bundle.environment import Environment
from worker.bundle.redaction import Redactor
from worker.bundle.schema import Arm as ArmRecord
from worker.bundle.schema import (
    Attempt,
    Challenge,
    Completed,
    ConfigEntry,
    EvalRecord,
    Failed,
    Measured,
    Producer,
    Skipped,
    Subject,
    TimedOut,
)
from worker.evals.trial import EvalResult, Setting
from worker.identity import combine


def assemble(
    setting: Setting,
    *,
    subject: Subject,
    challenge: Challenge | None,
    producer: Producer,
    environment: Environment,
    results: Sequence[EvalResult],
    attempts: tuple[Attempt, ...],
) -> Manifest:
    """Put the manifest together. The redaction receipt comes last, when nothing is left to be masked.

    Args:
        setting: Arms, files and redactor of the run.
        subject: What the bundle is evidence about.
        challenge: What the server issued.
        producer: Who ran it, and when.
        environment: The machine.
        results: What each eval came to, in the suite's order.
        attempts: Earlier tries.
    """
    arms = tuple(_arm(arm, producer, results, setting.redactor) for arm in setting.arms)
    evals = tuple(_redacted(result.record, setting.redactor) for result in results)
    return Manifest(
        format="byogpu.bundle/1",
        origin=Measured(kind="measured"),
        subject=subject,
        challenge=challenge,
        producer=producer,
        environment=environment,
        arms=arms,
        evals=evals,
        files=setting.draft.files,
        redaction=setting.redactor.receipt(),
        attempts=attempts,
    )


def _arm(arm: Arm, producer: Producer, results: Sequence[EvalResult], redactor: Redactor) -> ArmRecord:
    ledgers = tuple(result.ledgers[arm.name] for result in results if arm.name in result.ledgers)
    engine = combine([result.identities[arm.name] for result in results if arm.name in result.identities])
    config = (
        *engine.config,
        ConfigEntry(name="launcher.packages_digest", value=arm.packages_digest),
        ConfigEntry(name="launcher.python_version", value=arm.python_version),
    )
    return ArmRecord(
        name=arm.name,
        code=arm.code,
        image_digest=producer.image_digest,
        model=engine.model,
        quantization=engine.quantization,
        weights_digest=engine.weights_digest,
        draft_digest=None,
        tokenizer_digest=engine.tokenizer_digest,
        chat_template_digest=engine.chat_template_digest,
        engine_config=tuple(
            ConfigEntry(name=entry.name, value=redactor.text(entry.value, where="engine configuration")[:4096])
            for entry in config
        ),
        ledgers=ledgers or "unknown",
    )


def _redacted(record: EvalRecord, redactor: Redactor) -> EvalRecord:
    match record.outcome:
        case Failed(detail=detail) as failed:
            masked = failed.model_copy(update={"detail": redactor.text(detail, where="outcome")[:4096]})
            return record.model_copy(update={"outcome": masked})
        case Completed() | Skipped() | TimedOut():
            return record
