"""What the dashboard reads. Records of `judge` and of the bundle format appear in it unchanged."""

from pydantic import AwareDatetime

from judge.assess import Assessment
from judge.claim import Claim, ClaimError
from judge.compare import Comparison
from judge.decision import Outcome
from judge.lifetime import Lifetime, Standing
from judge.metrics import ClaimKind, MetricDefinition
from judge.policy import MergePolicy, Shortfall
from judge.rejudgement import Rejudgement
from judge.report import Conclusion
from judge.rerun import RerunPlan
from judge.rules import Effect, Family, Severity
from judge.scope import ScopeMap
from judge.trust import Placement, TrustLevel
from judge.verdict import Verdict
from judge.waiver import Waiver
from server.claimed import Source
from server.issued import ChallengeRef, ChallengeTally
from server.models import Origin, PostState, SignatureState, UploadState, ValidationState
from server.pulls import PullRef
from server.rulings import RulingRef, Tombstone
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
    """Among the runs of others; null until validated."""
    standing: Standing | None
    """As evidence for its pull request; null until that was judged with it."""
    rulings: tuple[RulingRef, ...]
    """What operators decided about it, oldest first."""
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
    """It is about a commit that is no longer the pull request's head, and nothing of it is inherited."""
    lifetime: Lifetime | None
    """Where it stands as evidence, and why; null until its pull request was judged with it."""
    placement: Placement | None
    """Who reproduced it, and how many have to; null while it does not count."""
    tombstone: Tombstone | None
    """What is kept of it, if it was retracted."""
    manifest: Manifest | None
    """Null until validated, while quarantined, and once retracted."""
    assessment: Assessment | None
    """Findings, recomputed cells, its trust by itself. Null until validated, and once retracted."""
    files: tuple[FileDownload, ...]
    """One for each distinct blob; empty while ``manifest`` is null."""


class EvidenceItem(Record):
    """A bundle as evidence for a pull request."""

    bundle: BundleRef
    stale: bool
    """It is about a commit that is no longer the pull request's head, and nothing of it is inherited: it is shown and
    counts for nothing."""
    lifetime: Lifetime | None
    """Where it stands, and why; null until the pull request was judged with it."""
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
    claims_from: Source | None
    """Where the claims stand; null: nothing is claimed."""
    verdicts: tuple[Verdict, ...]
    """One a claim, in the order of the claims; empty while not judged."""
    judged_at: AwareDatetime | None
    judged_head_sha: CommitSha | None
    """The commit the verdicts are about; differs from ``pull.head_sha`` while a new commit waits for judgement."""
    policy: MergePolicy
    """What the repository asks of its evidence."""
    shortfalls: tuple[Shortfall, ...]
    """What the policy asks for and the evidence does not have; the check does not succeed with any."""
    rerun: RerunPlan | None
    """What to measure again to make the evidence whole; null while not judged."""
    evidence: tuple[EvidenceItem, ...]
    """Newest first."""
    waivers: tuple[Waiver, ...]
    """What maintainers let pass at the present head."""
    scope: ScopeMap | None
    """The declared scope with what there is to show for each of its cells; null: none is declared, or not judged."""
    challenges: tuple[ChallengeRef, ...]
    """Newest first, the unused ones too: a run that was begun and never handed in is seen here."""
    challenge_tally: ChallengeTally
    """All of them, counted."""
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


class RevalidationItem(Record):
    """A bundle that was judged again because rules or limits changed."""

    id: Positive
    bundle_id: Sha256
    at: AwareDatetime
    edition_before: str
    """Digest of the versions of rules and limits; empty: judged by a release that kept none."""
    edition_after: str
    changed: bool
    """Whether findings, validity or trust differ."""
    difference: Rejudgement | None
    """Null: the earlier judgement cannot be read any more."""


class RevalidationList(Record):
    """One page of the log, newest first."""

    items: tuple[RevalidationItem, ...]
    next_cursor: str | None
    """Null: this is the last page."""
