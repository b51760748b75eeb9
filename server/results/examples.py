"""Examples for the OpenAPI description of what the dashboard reads. Built from the records, so they cannot be wrong."""

from datetime import UTC, datetime

from judge.compare import Comparison
from judge.lifetime import Lifetime
from judge.metrics import METRICS
from judge.policy import OPEN_POLICY
from judge.rejudgement import Mark, Rejudgement
from judge.rerun import RerunPlan
from judge.rules import FAMILIES, RULES
from judge.trust import TrustLevel
from server.bodies import answer
from server.issued import EXAMPLE as _CHALLENGE
from server.issued import ChallengeTally
from server.pulls import EXAMPLE as _PULL
from server.results.schemas import (
    BundleList,
    BundlePage,
    BundleRef,
    CheckState,
    ComparePage,
    EvidenceItem,
    FindingCounts,
    MetricList,
    OutcomeCount,
    PullItem,
    PullList,
    PullPage,
    RevalidationItem,
    RevalidationList,
    RuleItem,
    RuleList,
    SuiteItem,
    SuiteList,
)
from worker import suites

_AT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
_BUNDLE_ID = "3f0a6ce0c1b7e2a4c69a7e1b3a5b4d7cf2f0d8f6f3f4c2a1908f7e6d5c4b3a29"
_OTHER_ID = "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab"

_BUNDLE = BundleRef(
    bundle_id=_BUNDLE_ID,
    origin="measured",
    repository_id=_PULL.repository_id,
    repository=_PULL.repository,
    pull_number=_PULL.number,
    head_sha=_PULL.head_sha,
    suite="smoke/1",
    size_bytes=412_806,
    signature="absent",
    node_key_id=None,
    node_owner=None,
    upload_state="complete",
    validation_state="valid",
    validation_detail="",
    trust=TrustLevel(level=0, name="unsigned", reason="The bundle is not signed."),
    standing="current",
    rulings=(),
    findings=FindingCounts(error=0, warning=1, info=0),
    created_at=_AT,
    completed_at=_AT,
    validated_at=_AT,
    url=f"https://byogpu.example/bundles/{_BUNDLE_ID}",
)
_CHECK = CheckState(
    state="sent",
    conclusion="action_required",
    title="1 claim: 1 no evidence",
    head_sha=_PULL.head_sha,
    attempts=1,
    detail="",
    url="https://github.com/octo/kernels/runs/1",
    created_at=_AT,
    sent_at=_AT,
)
_RULE = RULES[0]
_LIFETIME = Lifetime(
    bundle_id=_BUNDLE_ID, standing="current", reason="measured for the present head", by=None, inherited=()
)


PULLS = answer(
    PullList(
        items=(
            PullItem(pull=_PULL, outcomes=(OutcomeCount(outcome="no_evidence", count=1),), bundles=1, check=_CHECK),
        ),
        next_cursor=None,
    )
)
PULL = answer(
    PullPage(
        pull=_PULL,
        claims=(),
        claim_errors=(),
        claims_from=None,
        verdicts=(),
        judged_at=_AT,
        judged_head_sha=_PULL.head_sha,
        policy=OPEN_POLICY,
        shortfalls=(),
        rerun=RerunPlan(runs=(), gpu_minutes=0.0),
        evidence=(EvidenceItem(bundle=_BUNDLE, stale=False, lifetime=_LIFETIME, claim_ids=()),),
        waivers=(),
        scope=None,
        challenges=(_CHALLENGE,),
        challenge_tally=ChallengeTally(issued=1, open=0, used=0, abandoned=0, expired=1),
        check=_CHECK,
    )
)
BUNDLES = answer(BundleList(items=(_BUNDLE,), next_cursor="WzE3NzM0ODAwMTMuMCwgIjNmMGE2Y2UwIl0"))
BUNDLE = answer(
    BundlePage(
        bundle=_BUNDLE.model_copy(update={"validation_state": "running", "trust": None, "findings": None}),
        pull=_PULL,
        stale=False,
        lifetime=_LIFETIME,
        placement=None,
        tombstone=None,
        manifest=None,
        assessment=None,
        files=(),
    )
)
COMPARE = answer(
    ComparePage(
        a=_BUNDLE,
        b=_BUNDLE.model_copy(update={"bundle_id": _OTHER_ID, "url": f"https://byogpu.example/bundles/{_OTHER_ID}"}),
        comparison=Comparison(
            a=_BUNDLE_ID, b=_OTHER_ID, comparable=False, differing=(), cells=(), only_a=("b1",), only_b=("b4",)
        ),
    )
)
RULE_LIST = answer(
    RuleList(
        items=(
            RuleItem(
                id=_RULE.id,
                family=_RULE.family,
                family_title=FAMILIES[_RULE.family],
                version=_RULE.version,
                severity=_RULE.severity,
                effect=_RULE.effect,
                title=_RULE.title,
                why=_RULE.why,
                hint=_RULE.hint,
                bears_on=_RULE.bears_on,
            ),
        )
    )
)
REVALIDATIONS = answer(
    RevalidationList(
        items=(
            RevalidationItem(
                id=1,
                bundle_id=_BUNDLE_ID,
                at=_AT,
                edition_before=_OTHER_ID,
                edition_after="4" * 64,
                changed=True,
                difference=Rejudgement(
                    bundle_id=_BUNDLE_ID,
                    thresholds_before=1,
                    thresholds_after=2,
                    validity_before="valid",
                    validity_after="valid",
                    trust_before=0,
                    trust_after=0,
                    appeared=(
                        Mark(
                            rule_id=_RULE.id,
                            rule_version=_RULE.version,
                            effect=_RULE.effect,
                            title=_RULE.title,
                            where="manifest",
                        ),
                    ),
                    gone=(),
                ),
            ),
        ),
        next_cursor=None,
    )
)
SUITE_LIST = answer(SuiteList(items=(SuiteItem(digest=suites.load("smoke").digest, suite=suites.load("smoke")),)))
METRIC_LIST = answer(MetricList(items=(METRICS["step_latency_us"],)))
