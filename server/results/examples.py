"""Examples for the OpenAPI description of what the dashboard reads. Built from the records, so they cannot be wrong."""

from datetime import UTC, datetime

from judge.compare import Comparison
from judge.metrics import METRICS
from judge.rules import FAMILIES, RULES
from judge.trust import TrustLevel
from server.bodies import answer
from server.issued import EXAMPLE as _CHALLENGE
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
        verdicts=(),
        judged_at=_AT,
        judged_head_sha=_PULL.head_sha,
        evidence=(EvidenceItem(bundle=_BUNDLE, stale=False, claim_ids=()),),
        challenges=(_CHALLENGE,),
        check=_CHECK,
    )
)
BUNDLES = answer(BundleList(items=(_BUNDLE,), next_cursor="WzE3NzM0ODAwMTMuMCwgIjNmMGE2Y2UwIl0"))
BUNDLE = answer(
    BundlePage(
        bundle=_BUNDLE.model_copy(update={"validation_state": "running", "trust": None, "findings": None}),
        pull=_PULL,
        stale=False,
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
SUITE_LIST = answer(SuiteList(items=(SuiteItem(digest=suites.load("smoke").digest, suite=suites.load("smoke")),)))
METRIC_LIST = answer(MetricList(items=(METRICS["step_latency_us"],)))
