"""Builds the comparability key of one arm of one cell from what the bundle captured and what its rows achieved."""

from judge.accuracy import documents_digest, scores
from judge.comparability import ComparabilityKey
from judge.evidence import Evidence
from judge.metrics import METRICS
from judge.path import decode_buckets, ledger, mean_rows
from judge.series import MeasuredCell, achieved_concurrency
from judge.tables import Integers
from worker.bundle.environment import Environment
from worker.bundle.record import Unknown
from worker.bundle.schema import ArmName, SyntheticSpeculation


def hardware(environment: Environment | Unknown) -> tuple[str | Unknown, int | Unknown]:
    """GPU classes and count; the CPU model and 0 on a machine that has no GPU."""
    if environment == "unknown" or environment.gpus == "unknown":
        return "unknown", "unknown"
    if not environment.gpus:
        model = environment.cpu_model
        return (model if model == "unknown" else f"CPU {model}"[:200]), 0
    return " + ".join(sorted({gpu.name for gpu in environment.gpus}))[:200], len(environment.gpus)


def key(evidence: Evidence, cell: MeasuredCell, arm: ArmName, *, kept: Integers | None = None) -> ComparabilityKey:
    """The key of one arm of one cell.

    Args:
        evidence: The bundle.
        cell: The cell.
        arm: The arm; one the manifest does not describe is unknown in all that an arm would say.
        kept: Blocks that count; None: all.
    """
    described, about = evidence.arm(arm), cell.cell
    gpu, gpu_count = hardware(evidence.manifest.environment)
    speculation = about.speculation
    loaded = METRICS[about.metric].kind == "speed"
    table = scores(evidence, cell, arm) if about.metric == "score" else None
    return ComparabilityKey(
        metric=about.metric,
        metric_version=METRICS[about.metric].version,
        phase=about.phase,
        hardware=gpu,
        gpu_count=gpu_count,
        tensor_parallel=about.tensor_parallel,
        context_parallel=about.context_parallel,
        model=described.model if described else "unknown",
        quantization=described.quantization if described else "unknown",
        weights_digest=described.weights_digest if described else "unknown",
        draft_digest=described.draft_digest if described else "unknown",
        tokenizer_digest=described.tokenizer_digest if described else "unknown",
        chat_template_digest=described.chat_template_digest if described else "unknown",
        acceptance="unknown" if speculation == "unknown" else speculation.kind,
        acceptance_length=speculation.acceptance_length if isinstance(speculation, SyntheticSpeculation) else None,
        drafts="unknown" if speculation == "unknown" else 0 if speculation.kind == "none" else speculation.drafts,
        speculation_method=None if speculation == "unknown" or speculation.kind == "none" else speculation.method,
        context_tokens=_where(about.context_tokens, cell.record.kind == "decode_step"),
        input_tokens=_where(about.input_tokens, cell.record.kind == "serving"),
        output_tokens=_where(about.output_tokens, cell.record.kind == "serving"),
        task=about.task,
        documents=None if about.metric != "score" else documents_digest(table) if table else "unknown",
        requested_batch=about.batch if loaded else None,
        achieved_concurrency=_achieved(evidence, cell, arm, kept) if loaded else None,
    )


def _where(value: int | Unknown, applies: bool) -> int | Unknown | None:
    """None for a coordinate that this kind of eval does not have."""
    return None if value == "unknown" and not applies else value


def _achieved(evidence: Evidence, cell: MeasuredCell, arm: ArmName, kept: Integers | None) -> float | Unknown:
    if cell.cell.metric == "step_latency_us":
        described = evidence.arm(arm)
        found = ledger(described, cell.record.id) if described else "unknown"
        if found == "unknown":
            return "unknown"
        rows = mean_rows(decode_buckets(found, cell.cell)) or mean_rows(decode_buckets(found, None))
        return "unknown" if rows is None else float(rows)
    tables = [evidence.requests[(row, arm)] for row in cell.rows if (row, arm) in evidence.requests]
    found_s = [achieved_concurrency(table, kept) for table in tables]
    known = [value for value in found_s if value is not None]
    return sum(known) / len(known) if known else "unknown"
