"""The manifest: what a bundle says, as frozen records.

A bundle is this manifest plus content-addressed blobs. The manifest holds identities, coordinates and
outcomes; it holds **no measured value**: latencies, scores and counters live in the blobs as raw samples
(`worker.bundle.samples`), and whoever reads a bundle recomputes every number from them.

Source: docs/bundle-format.md; published as JSON Schema in docs/bundle.schema.json.
"""

from typing import Annotated, Literal

from pydantic import Field

from worker.bundle.environment import Environment
from worker.bundle.record import (
    Amount,
    CommitSha,
    Count,
    Identifier,
    Label,
    Positive,
    Record,
    RepositoryName,
    Sha256,
    Text,
    Time,
    Unknown,
)

FORMAT = "byogpu.bundle/1"

ArmName = Literal["baseline", "candidate"]
EvalKind = Literal["kernel_numerics", "decode_step", "serving", "accuracy"]
Phase = Literal["prefill", "decode", "mixed", "request"]
"""What a number covers: one phase of the engine, or a whole request."""

Metric = Literal[
    "step_latency_us",
    "ttft_ms",
    "tpot_ms",
    "itl_ms",
    "e2e_ms",
    "output_tokens_per_s",
    "requests_per_s",
    "score",
    "max_relative_error",
]
"""Every metric a cell can be about; definitions in docs/glossary.md."""

Role = Literal[
    "steps",
    "requests",
    "numerics",
    "lm_eval_results",
    "lm_eval_samples",
    "telemetry",
    "counters",
    "streams",
    "kernel_times",
    "summary",
    "imported",
    "log",
]
"""What a file is: decides which reader opens it (`worker.bundle.samples`)."""


# ------------------------------------------------------------------ what is evaluated
class SuiteRef(Record):
    """The suite that was run, by digest."""

    id: Identifier
    version: Positive
    digest: Sha256


class Subject(Record):
    """What the bundle is evidence about. An import that does not know says ``unknown``."""

    repository_id: Positive | Unknown
    """GitHub's numeric id: a renamed or look-alike repository cannot borrow it."""
    repository: RepositoryName | Unknown
    pull_number: Positive | None
    head_sha: CommitSha | Unknown
    base_sha: CommitSha | Unknown
    suite: SuiteRef | None
    """None for imports: no suite of ours was run."""
    claim_ids: tuple[Identifier, ...]


Nonce = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{22,86}$")]
"""What every seed of a run is derived from."""


class Challenge(Record):
    """What the server issued for this run; one use."""

    id: Identifier
    nonce: Nonce
    plan_digest: Sha256


class Measured(Record):
    """The bundle was measured by the worker."""

    kind: Literal["measured"]


class Imported(Record):
    """The bundle was made from another tool's result files; trust level 0."""

    kind: Literal["imported"]
    tool: Literal["lm-eval", "vllm-bench"]
    tool_version: Label | Unknown


Origin = Annotated[Measured | Imported, Field(discriminator="kind")]


class Producer(Record):
    """Who wrote the bundle and when."""

    worker_version: Label
    image_digest: Sha256 | Unknown
    node_key_id: Sha256 | Unknown
    """Key id of the node's ed25519 key, as securesystemslib derives it."""
    started_at: Time | Unknown
    ended_at: Time | Unknown
    duration_s: Amount | Unknown
    """Monotonic."""


# ------------------------------------------------------------------ arms and the decode path
class CodeIdentity(Record):
    """Which source an arm ran."""

    commit_sha: CommitSha | Unknown
    tree_digest: Sha256 | Unknown
    """SHA-256 over the sorted ``path, sha256`` list of the arm's source tree."""
    dirty: bool | Unknown


class ConfigEntry(Record):
    """One line of the resolved engine configuration."""

    name: Label
    value: Text


class ReasonCount(Record):
    """How often one reason kept a step on the stock path."""

    reason: Label
    steps: Positive


class LedgerBucket(Record):
    """Steps of one shape, by the path that ran them."""

    rows: Count
    """Rows in the step: requests × tokens per request in pure decode, tokens in prefill."""
    tokens_per_request: Count
    phase: Literal["prefill", "decode", "mixed"]
    speculation: Count
    """Draft tokens verified in the step; 0 without speculation."""
    specialized_steps: Count
    stock_steps: Count
    reasons: tuple[ReasonCount, ...]


class PathLedger(Record):
    """Which decode path ran, and why the specialized one did not."""

    eval_id: Identifier
    buckets: tuple[LedgerBucket, ...]
    kernel_digests: tuple[Sha256, ...]
    """Cubins launched, sorted."""


class Arm(Record):
    """One side of the comparison."""

    name: ArmName
    code: CodeIdentity
    image_digest: Sha256 | Unknown
    model: Label | Unknown
    quantization: Label | Unknown
    weights_digest: Sha256 | Unknown
    draft_digest: Sha256 | Unknown | None
    """None: no draft model."""
    tokenizer_digest: Sha256 | Unknown
    chat_template_digest: Sha256 | Unknown | None
    engine_config: tuple[ConfigEntry, ...]
    ledgers: tuple[PathLedger, ...] | Unknown
    """One for each eval that drove an engine."""


# ------------------------------------------------------------------ evals and cells
class NoSpeculation(Record):
    """One token per step and request."""

    kind: Literal["none"]


class NaturalSpeculation(Record):
    """Drafts accepted by the model itself."""

    kind: Literal["natural"]
    method: Label
    drafts: Positive


class SyntheticSpeculation(Record):
    """Acceptance simulated at a set length: a speed figure, never an accuracy one."""

    kind: Literal["synthetic"]
    method: Label
    drafts: Positive
    acceptance_length: Amount


Speculation = Annotated[NoSpeculation | NaturalSpeculation | SyntheticSpeculation, Field(discriminator="kind")]


class Cell(Record):
    """One coordinate at which arms can be compared. Raw rows name it by ``id``."""

    id: Identifier
    metric: Metric
    phase: Phase
    tensor_parallel: Positive | Unknown
    context_parallel: Positive | Unknown
    batch: Positive | Unknown
    """Requested: rows of a decode step, or concurrent requests when serving. Achieved is recomputed from rows."""
    context_tokens: Count | Unknown
    input_tokens: Positive | Unknown
    output_tokens: Positive | Unknown
    speculation: Speculation | Unknown
    task: Label | None
    """The accuracy task with its filter and metric (``task/filter/metric``), or the operator of a numerics cell."""
    arms: tuple[ArmName, ...]


class Block(Record):
    """One stretch of measurement by one arm, in the order in which it ran."""

    index: Count
    arm: ArmName
    purpose: Literal["measure", "drift"]
    """``drift`` is the sentinel: the baseline again, at the end."""


class Completed(Record):
    """The eval ran to its end."""

    outcome: Literal["completed"]
    duration_s: Amount | Unknown


class Failed(Record):
    """The eval broke; what it had measured is kept."""

    outcome: Literal["failed"]
    code: Identifier
    detail: Text


class Skipped(Record):
    """The eval could not run on this machine."""

    outcome: Literal["skipped"]
    reason: Text


class TimedOut(Record):
    """The eval ran past its budget."""

    outcome: Literal["timed_out"]
    limit_s: Amount


Outcome = Annotated[Completed | Failed | Skipped | TimedOut, Field(discriminator="outcome")]


class EvalRecord(Record):
    """One eval of the suite: how it ended, the cells it covers, the order of its blocks."""

    id: Identifier
    kind: EvalKind
    outcome: Outcome
    cells: tuple[Cell, ...]
    blocks: tuple[Block, ...]


# ------------------------------------------------------------------ files and receipts
class FileEntry(Record):
    """One file of the bundle. ``name`` is for display; only the digest finds it."""

    name: Label
    role: Role
    media_type: Literal["application/json", "application/x-ndjson", "text/plain"]
    size_bytes: Count
    sha256: Sha256
    eval_id: Identifier | None
    arm: ArmName | None
    """The arm all of the file's rows belong to; None if rows say so themselves, or it is about neither."""


class Masked(Record):
    """One kind of secret that was masked before anything was serialised."""

    where: Label
    kind: Identifier
    count: Positive


class RedactionReceipt(Record):
    """What the worker masked, and with which rules."""

    rules_version: Positive
    masked: tuple[Masked, ...]


class Attempt(Record):
    """An earlier try at this run on this node, also an abandoned one."""

    number: Positive
    started_at: Time
    outcome: Literal["completed", "failed", "abandoned"]
    detail: Text


class Manifest(Record):
    """Everything a bundle says. Its id is the SHA-256 of its canonical JSON."""

    format: Literal["byogpu.bundle/1"]
    origin: Origin
    subject: Subject
    challenge: Challenge | None
    """None: the run chose its own prompts and order."""
    producer: Producer
    environment: Environment | Unknown
    arms: tuple[Arm, ...]
    evals: tuple[EvalRecord, ...]
    files: tuple[FileEntry, ...]
    redaction: RedactionReceipt
    attempts: tuple[Attempt, ...]
