"""What the dashboard reads. Records of `judge` and of the bundle format appear in it unchanged."""

from pydantic import AwareDatetime

from judge.assess import Assessment
from judge.claim import Claim, ClaimError
from judge.compare import Comparison
from judge.decision import Outcome
from judge.metrics import ClaimKind, MetricDefinition
from judge.report import Conclusion
from judge.rules import Effect, Family, Severity
from judge.trust import TrustLevel
from judge.verdict import Verdict
from server.issued import ChallengeRef
from server.models import Origin, PostState, SignatureState, UploadState, ValidationState
from server.pulls import PullRef
from worker.bundle import Manifest
from worker.bundle.record import CommitSha, Count, Positive, Record, RepositoryName, Sha256
from worker.suites import Suite


class CheckState(Record):
    """The newest check of a pull request, and whether it stands on GitHub yet."""

    state: PostState
    """``pending``: will be posted; ``sent``: stands there; ``dead``: given up, see ``detail``."""
    conclusion: Conclusion
    title: str
    head_sha: CommitSha
    attempts: Count
    detail: str
    """Why the last attempt failed; else empty."""
    url: str | None
    """Where it stands on GitHub; null until sent."""
    created_at: AwareDatetime
    sent_at: AwareDatetime | None


class FindingCounts(Record):
    """How many findings there are of each severity."""

    error: Count
    warning: Count
    info: Count


class BundleRef(Record):
    """A bundle in short."""

    bundle_id: Sha256
    origin: Origin
    repository_id: Positive | None
    """As the manifest says; null: unknown, or no pull request."""
    repository: RepositoryName | None
    pull_number: Positive | None
    head_sha: CommitSha | None
    suite: str | None
    """``id/version``; null for imports."""
    size_bytes: Count
    signature: SignatureState
    node_key_id: Sha256 | None
    """The registered key whose signature holds."""
    node_owner: str | None
    upload_state: UploadState
    validation_state: ValidationState
    validation_detail: str
    """Why validation ended in ``error`` or ``quarantined``; else empty."""
    trust: TrustLevel | None
    """Null until validated."""
    findings: FindingCounts | None
    """Null until validated."""
    created_at: AwareDatetime
    completed_at: AwareDatetime | None
    validated_at: AwareDatetime | None
    url: str
    """Its page here."""


class BundleList(Record):
    """One page of bundles whose upload is complete, newest first."""

    items: tuple[BundleRef, ...]
    next_cursor: str | None
    """Null: this is the last page."""


class FileDownload(Record):
    """Where a file of the manifest can be downloaded."""

    sha256: Sha256
    url: str


class BundlePage(Record):
    """Everything about one bundle."""

    bundle: BundleRef
    pull: PullRef | None
    """The pull request it is evidence for, if that is known here."""
    stale: bool
    """It is about a commit that is no longer the pull request's head."""
    manifest: Manifest | None
    """Null until validated, and while quarantined."""
    assessment: Assessment | None
    """Findings, recomputed cells, trust. Null until validated."""
    files: tuple[FileDownload, ...]
    """One for each distinct blob; empty while ``manifest`` is null."""


class EvidenceItem(Record):
    """A bundle as evidence for a pull request."""

    bundle: BundleRef
    stale: bool
    """It is about a commit that is no longer the pull request's head: it is shown and counts for nothing."""
    claim_ids: tuple[str, ...]
    """Claims whose verdicts looked at it."""


class OutcomeCount(Record):
    """How many claims ended that way."""

    outcome: Outcome
    count: Positive


class PullItem(Record):
    """A pull request in a list."""

    pull: PullRef
    outcomes: tuple[OutcomeCount, ...]
    """Empty: nothing is claimed, or nothing is judged yet."""
    bundles: Count
    """Bundles about it, stale ones included."""
    check: CheckState | None
    """Null: there is nothing to say on GitHub."""


class PullList(Record):
    """One page of pull requests, the last touched first."""

    items: tuple[PullItem, ...]
    next_cursor: str | None
    """Null: this is the last page."""


class PullPage(Record):
    """A pull request: claims, their verdicts, and the evidence behind them."""

    pull: PullRef
    claims: tuple[Claim, ...]
    claim_errors: tuple[ClaimError, ...]
    """What is wrong with the claims block; then there are no claims."""
    verdicts: tuple[Verdict, ...]
    """One a claim, in the order of the claims; empty while not judged."""
    judged_at: AwareDatetime | None
    judged_head_sha: CommitSha | None
    """The commit the verdicts are about; differs from ``pull.head_sha`` while a new commit waits for judgement."""
    evidence: tuple[EvidenceItem, ...]
    """Newest first."""
    challenges: tuple[ChallengeRef, ...]
    """Newest first, the unused ones too: a run that was begun and never handed in is seen here."""
    check: CheckState | None


class ComparePage(Record):
    """Two bundles side by side."""

    a: BundleRef
    b: BundleRef
    comparison: Comparison


class RuleItem(Record):
    """A rule of the registry."""

    id: str
    family: Family
    family_title: str
    version: Positive
    severity: Severity
    effect: Effect
    title: str
    why: str
    hint: str
    bears_on: tuple[ClaimKind, ...]


class RuleList(Record):
    """Every rule, by id."""

    items: tuple[RuleItem, ...]


class SuiteItem(Record):
    """A published suite."""

    digest: Sha256
    suite: Suite


class SuiteList(Record):
    """Every published suite."""

    items: tuple[SuiteItem, ...]


class MetricList(Record):
    """What every metric means."""

    items: tuple[MetricDefinition, ...]
