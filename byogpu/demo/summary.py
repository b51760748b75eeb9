"""What the demo came to, in one record."""

from judge.decision import Outcome
from judge.report import Conclusion
from judge.rules import Finding
from judge.trust import TrustLevel
from worker.bundle.record import Record, Sha256


class DemoVerdict(Record):
    """One claim's verdict in short."""

    outcome: Outcome
    reason: str


class DemoCheck(Record):
    """The check as it stands on the pull request."""

    conclusion: Conclusion
    title: str
    url: str


class Summary(Record):
    """What ``byogpu demo --exit --json`` prints."""

    bundle_id: Sha256
    trust: TrustLevel
    findings: tuple[Finding, ...]
    verdicts: dict[str, DemoVerdict]
    check: DemoCheck
    urls: dict[str, str]
    """One for each page; they answer while the demo runs."""
    duration_s: float
