"""Evidence: a bundle read once, as data that rules and statistics are pure functions of.

`collect` never raises for what a blob holds: an unreadable row, a missing blob or a wrong digest becomes a `Problem`,
and rules of family B turn problems into findings. What only a server can know about a bundle comes in as `Context`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from judge.lm_eval import LmEvalRun, assemble
from judge.problems import Problem, SecretHit
from judge.reading import Reader
from judge.tables import CellArm, RequestTable, StepTable, Stream, TelemetryTable
from judge.thresholds import DEFAULT_FLOORS
from worker.bundle import Bundle
from worker.bundle.record import CommitSha, Identifier, Label, Positive, Record, Sha256
from worker.bundle.samples import CounterRow, KernelTimeRow, NumericsRow, SummaryRow
from worker.bundle.schema import Arm, ArmName, Manifest
from worker.suites import EvalPlan, SampleFloor, Suite, UnknownSuiteError, by_digest


class IssuedChallenge(Record):
    """A challenge as the server issued it."""

    id: Identifier
    nonce: Label
    plan_digest: Sha256
    suite_digest: Sha256
    repository_id: Positive
    pull_number: Positive
    head_sha: CommitSha
    node_key_id: Sha256 | None
    """The node it was issued to; None: any."""
    used_by: Sha256 | None
    """Bundle that used it first, perhaps this one."""
    closed: Literal["abandoned", "expired"] | None
    """Why no bundle could use it any more when this one was submitted; None: one could, or had."""


class KnownAnswer(Record):
    """How the model answers a prompt of the hidden slice, as a node of the project measured it."""

    weights_digest: Sha256
    prompt_sha256: Sha256
    output_tokens: Positive
    output_sha256: Sha256


class PullState(Record):
    """A pull request as the server knows it now."""

    repository_id: Positive
    number: Positive
    head_sha: CommitSha


class Context(Record):
    """What is known about a bundle besides the bundle."""

    place: Literal["offline", "server"]
    """``offline``: nothing below could be looked up, so nothing is held against the bundle."""
    signature: Literal["absent", "valid", "invalid", "unknown_key", "unchecked"]
    node_key_id: Sha256 | None
    """Key whose signature is valid; None: no valid signature."""
    challenge: IssuedChallenge | None
    """The challenge the manifest names, if the server issued it."""
    pull: PullState | None
    """The pull request the bundle is evidence for."""
    answers: tuple[KnownAnswer, ...] = ()
    """Answers that are known for prompts of the bundle's requests; empty offline."""


OFFLINE = Context(place="offline", signature="unchecked", node_key_id=None, challenge=None, pull=None)
"""The context of a worker or of `byogpu check`: nothing can be looked up."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A bundle, read.

    Attributes:
        bundle_id: SHA-256 of the canonical manifest.
        manifest: What the bundle says.
        suite: The published suite it names; None: it names none, or an unknown one.
        context: What is known besides.
        steps: Decode steps by cell and arm.
        requests: Requests by cell and arm.
        numerics: Operator errors by cell and arm.
        telemetry: NVML samples by eval.
        counters: Server counters, in file order.
        streams: Token streams by eval and arm, in file order.
        kernel_times: Times of kernels by cell and arm.
        summaries: Typed numbers, in file order.
        lm_eval: lm-eval's output by eval and arm.
        problems: What could not be read, in file order.
        secrets: What looks like a secret, in manifest and blobs.
    """

    bundle_id: str
    manifest: Manifest
    suite: Suite | None
    context: Context
    steps: Mapping[CellArm, StepTable]
    requests: Mapping[CellArm, RequestTable]
    numerics: Mapping[CellArm, tuple[NumericsRow, ...]]
    telemetry: Mapping[Identifier, TelemetryTable]
    counters: tuple[CounterRow, ...]
    streams: Mapping[tuple[Identifier, ArmName], tuple[Stream, ...]]
    kernel_times: Mapping[CellArm, tuple[KernelTimeRow, ...]]
    summaries: tuple[SummaryRow, ...]
    lm_eval: Mapping[tuple[Identifier, ArmName], LmEvalRun]
    problems: tuple[Problem, ...]
    secrets: tuple[SecretHit, ...]

    @property
    def arms_with_rows(self) -> tuple[ArmName, ...]:
        """Arms that any raw row or file belongs to, baseline first."""
        tables = (self.steps, self.requests, self.numerics, self.lm_eval)
        return tuple(sorted({arm for table in tables for _, arm in table}))

    def arm(self, name: ArmName) -> Arm | None:
        """One arm of the manifest, or None."""
        return next((arm for arm in self.manifest.arms if arm.name == name), None)

    def plan(self, eval_id: str) -> EvalPlan | None:
        """The suite's plan for an eval; None without a known suite, or when the suite has no such eval."""
        return next((plan for plan in self.suite.evals if plan.id == eval_id), None) if self.suite else None

    @property
    def floors(self) -> SampleFloor:
        """Fewest samples for each percentile: the suite's, or the defaults."""
        p50, p90, p99 = DEFAULT_FLOORS
        return self.suite.sample_floor if self.suite else SampleFloor(p50=p50, p90=p90, p99=p99)


def collect(bundle: Bundle, *, context: Context = OFFLINE) -> Evidence:
    """Read a bundle.

    Args:
        bundle: Manifest parsed and canonical; blobs in any state.
        context: What a server knows besides.

    Returns:
        Everything the bundle holds, with what could not be read listed in ``problems``. Numbers of 200,000 steps and
        20,000 requests take about three seconds on one core, and memory near the size of the arrays.
    """
    reader = Reader(bundle)
    reader.read_all()
    return Evidence(
        bundle_id=bundle.id,
        manifest=bundle.manifest,
        suite=_suite(bundle.manifest),
        context=context,
        steps={key: columns.table() for key, columns in reader.steps.items()},
        requests={key: columns.table() for key, columns in reader.requests.items()},
        numerics={key: tuple(rows) for key, rows in reader.numerics.items()},
        telemetry={key: columns.table() for key, columns in reader.telemetry.items()},
        counters=tuple(reader.counters),
        streams={key: tuple(found) for key, found in reader.streams.items()},
        kernel_times={key: tuple(rows) for key, rows in reader.kernel_times.items()},
        summaries=tuple(reader.summaries),
        lm_eval={key: assemble(reader.results[key], reader.samples[key]) for key in reader.eval_arms()},
        problems=tuple(reader.problems),
        secrets=tuple(reader.secrets),
    )


def _suite(manifest: Manifest) -> Suite | None:
    reference = manifest.subject.suite
    if reference is None:
        return None
    try:
        return by_digest(reference.digest)
    except UnknownSuiteError:
        return None
