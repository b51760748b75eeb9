"""A bundle judged by itself: read, checked by every rule, every cell recomputed, trust placed."""

from collections.abc import Collection, Iterable
from typing import Literal

from judge.agreement import SliceScore, StreamFacts, slice_scores, stream_facts
from judge.cells import CellSummary
from judge.evidence import Evidence
from judge.keys import hardware
from judge.path import refusal, same_path
from judge.rules import RULES, check
from judge.rules.record import Finding
from judge.summarise import summarise
from judge.thresholds import VERSION
from judge.trust import TrustLevel, trust_level
from worker.bundle import canonical, digest
from worker.bundle.record import Amount, CommitSha, Identifier, Label, Positive, Record, Sha256, Unknown
from worker.bundle.schema import Origin

Validity = Literal["valid", "invalid", "quarantined"]


class PathFacts(Record):
    """What the ledgers of one eval say about both arms."""

    eval_id: Identifier
    same: bool
    """Code, image, weights, resolved configuration and kernel digests agree and every step ran stock in both arms."""
    refusal: Label | None
    """Why the candidate's decode steps did not run on the specialized path; None: the ledger gives no reason."""


class Assessment(Record):
    """Everything the service keeps of a bundle for judging claims; stored and read back without the raw rows."""

    bundle_id: Sha256
    origin: Origin
    head_sha: CommitSha | Unknown
    suite_id: Identifier | None
    """None: no published suite."""
    hardware: Label | Unknown
    tries: Positive
    """Runs behind this bundle: earlier attempts and this one. Each try is a chance to be lucky."""
    duration_s: Amount | Unknown
    thresholds_version: Positive
    rules_applied: Positive
    validity: Validity
    trust: TrustLevel
    findings: tuple[Finding, ...]
    cells: tuple[CellSummary, ...]
    paths: tuple[PathFacts, ...]
    streams: tuple[StreamFacts, ...] = ()
    """Token streams of both arms, where the suite asks for them."""
    slice_scores: tuple[SliceScore, ...] = ()
    """Timed requests whose answers the service knows; empty: it knows none."""

    def path(self, eval_id: str) -> PathFacts | None:
        """Ledger facts of one eval."""
        return next((one for one in self.paths if one.eval_id == eval_id), None)


def edition() -> Sha256:
    """Name the rules and limits of this code by their versions: a bundle judged by another edition is judged again."""
    return digest(canonical({"rules": {rule.id: rule.version for rule in RULES}, "thresholds": VERSION}))


def assess(evidence: Evidence, *, released: Collection[str] = ()) -> Assessment:
    """Check a bundle and recompute its cells. The same evidence always gives the same record, byte for byte.

    Args:
        evidence: The bundle, read.
        released: Rules whose suspicion a person has looked at and lifted. Their findings stay, and raise the quorum.
    """
    manifest = evidence.manifest
    findings = check(evidence)
    weighing = [one for one in findings if not (one.effect == "quarantines" and one.rule_id in released)]
    return Assessment(
        bundle_id=evidence.bundle_id,
        origin=manifest.origin,
        head_sha=manifest.subject.head_sha,
        suite_id=evidence.suite.id if evidence.suite else None,
        hardware=hardware(manifest.environment)[0],
        tries=1 + len(manifest.attempts),
        duration_s=manifest.producer.duration_s,
        thresholds_version=VERSION,
        rules_applied=len(RULES),
        validity=validity(weighing),
        trust=trust_level(evidence.context, weighing, manifest.origin, challenged=manifest.challenge is not None),
        findings=findings,
        cells=summarise(evidence),
        paths=_paths(evidence),
        streams=stream_facts(evidence),
        slice_scores=slice_scores(evidence),
    )


def validity(findings: Iterable[Finding]) -> Validity:
    """What the findings make of a bundle; a blocked or limited claim does not make the bundle invalid."""
    effects = {finding.effect for finding in findings}
    return "quarantined" if "quarantines" in effects else "invalid" if "invalidates" in effects else "valid"


def _paths(evidence: Evidence) -> tuple[PathFacts, ...]:
    baseline, candidate = evidence.arm("baseline"), evidence.arm("candidate")
    if candidate is None:
        return ()
    return tuple(
        PathFacts(
            eval_id=record.id,
            same=baseline is not None and same_path(baseline, candidate, record.id),
            refusal=refusal(candidate, record.id),
        )
        for record in evidence.manifest.evals
        if record.kind != "kernel_numerics"
    )
