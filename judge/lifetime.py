"""Evidence lifetime: which bundles of a pull request count for its present head, and what is left to run again.

Evidence binds to a commit. A new commit makes it stale; results of an eval whose kernels, code, weights and resolved
configuration are proved unchanged by a newer bundle carry over as *inherited*, never as measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from judge.assess import Assessment
from judge.cells import CellSummary
from judge.trust import TrustLevel
from worker.bundle import canonical, digest
from worker.bundle.record import Amount, CommitSha, Identifier, Label, Record, Sha256, Unknown
from worker.bundle.schema import Arm, Completed, Manifest, Metric

Standing = Literal["current", "inherited", "stale", "superseded", "retracted", "invalidated"]
Withdrawal = Literal["retracted", "invalidated"]


class EvalFacts(Record):
    """What of one eval outlives a commit."""

    eval_id: Identifier
    identity: Sha256 | None
    """Digest over what both arms ran: kernels, code, weights, configuration, packages. None: something of it is unknown
    and so proves nothing."""
    minutes: Amount | None
    """Time the eval took; None: unknown, or it did not end."""


class Facts(Record):
    """What a bundle's lifetime depends on besides its assessment."""

    suite_digest: Sha256 | None
    gpus: tuple[Sha256, ...] | Unknown
    """Hashes of the GPUs' UUIDs; unknown if one is."""
    evals: tuple[EvalFacts, ...]

    def identity(self, eval_id: str) -> str | None:
        """Of one eval; None: unknown, or there is no such eval."""
        return next((one.identity for one in self.evals if one.eval_id == eval_id), None)

    def minutes(self, eval_id: str) -> float | None:
        """Of one eval."""
        return next((one.minutes for one in self.evals if one.eval_id == eval_id), None)


@dataclass(frozen=True)
class Item:
    """A bundle of a pull request.

    Attributes:
        bundle_id: Its id.
        assessment: What the judge made of it; None: retracted, its contents are gone.
        facts: From its manifest; None: retracted.
        node_key_id: The registered node that signed it; None: none did.
        unused: Challenges that its owner had issued for the same commit and suite and never answered with a bundle.
        withdrawn: Whether a person withdrew it.
        reason: Theirs; empty if it was not withdrawn.
    """

    bundle_id: str
    assessment: Assessment | None
    facts: Facts | None
    node_key_id: str | None
    withdrawn: Withdrawal | None = None
    reason: str = ""
    unused: int = 0

    @property
    def usable(self) -> bool:
        """Whether it may count for anything."""
        return self.withdrawn is None and self.assessment is not None and self.assessment.validity == "valid"


class CellName(Record):
    """One result of a bundle."""

    eval_id: Identifier
    cell: Identifier
    metric: Metric


class Lifetime(Record):
    """Where a bundle stands as evidence for the present head."""

    bundle_id: Sha256
    standing: Standing
    reason: Label
    """One sentence. May quote a person: escape before showing."""
    by: Sha256 | None
    """The bundle that supersedes it, or that proves its cells unchanged."""
    inherited: tuple[CellName, ...]
    """Results that carry over; empty unless inherited."""


@dataclass(frozen=True)
class Counted:
    """A bundle as the verdicts see it.

    Attributes:
        assessment: Cells, trust and head as they count; of an inherited bundle only the cells that carry over.
        inherited_from: The commit it was measured at, if its cells are inherited.
    """

    assessment: Assessment
    inherited_from: CommitSha | None


def facts(manifest: Manifest) -> Facts:
    """Take from a manifest what its lifetime depends on."""
    arms = {arm.name: arm for arm in manifest.arms}
    environment = manifest.environment
    packages = [] if environment == "unknown" else [one.model_dump() for one in environment.packages]
    known = environment != "unknown" and environment.gpus != "unknown"
    hashes = [gpu.uuid_hash for gpu in environment.gpus] if known else ["unknown"]  # type: ignore[union-attr]
    evals = []
    for record in manifest.evals:
        seconds = record.outcome.duration_s if isinstance(record.outcome, Completed) else "unknown"
        ran = [_ran(arms.get(name), record.id) for name in ("baseline", "candidate")]
        proved = None not in ran and environment != "unknown"
        evals.append(
            EvalFacts(
                eval_id=record.id,
                identity=digest(canonical({"arms": ran, "packages": packages})) if proved else None,
                minutes=None if seconds == "unknown" else seconds / 60,
            )
        )
    return Facts(
        suite_digest=manifest.subject.suite.digest if manifest.subject.suite else None,
        gpus="unknown" if "unknown" in hashes else tuple(sorted(hashes)),
        evals=tuple(evals),
    )


def lifetimes(items: Sequence[Item], *, head_sha: CommitSha) -> tuple[Lifetime, ...]:
    """Say of every bundle whether it counts.

    Args:
        items: The bundles of one pull request, oldest first.
        head_sha: The present head.

    Returns:
        One for each, in order.
    """
    return tuple(_lifetime(items, index, head_sha) for index in range(len(items)))


def counted(items: Sequence[Item], standings: Sequence[Lifetime], *, head_sha: CommitSha) -> tuple[Counted, ...]:
    """What the verdicts are made from.

    A superseded bundle counts for nothing, but its tries do, and so do challenges that were never answered: whoever
    measures until the number pleases pays for every try. Stale bundles stay in, to be named in the verdicts' reasons.
    Inherited cells are trusted as little as the weaker of the two bundles they rest on.

    Args:
        items: As given to `lifetimes`.
        standings: Its answer.
        head_sha: The present head.
    """
    known = {item.bundle_id: item.assessment for item in items if item.assessment is not None}
    found = []
    for item, standing in zip(items, standings, strict=True):
        assessment = item.assessment
        if assessment is None or standing.standing in ("superseded", "retracted", "invalidated"):
            continue
        earlier = [known[one.bundle_id].tries for one in standings if one.by == item.bundle_id and _is_superseded(one)]
        changes: dict[str, object] = {"tries": assessment.tries + sum(earlier) + item.unused}
        inherited_from = None
        if standing.standing == "inherited" and standing.by is not None and assessment.head_sha != "unknown":
            names = {(one.eval_id, one.cell, one.metric) for one in standing.inherited}
            inherited_from = assessment.head_sha
            changes["cells"] = tuple(cell for cell in assessment.cells if _key(cell) in names)
            changes["head_sha"] = head_sha
            changes["trust"] = _weaker(assessment.trust, known[standing.by].trust)
        found.append(Counted(assessment.model_copy(update=changes), inherited_from))
    return tuple(found)


def measured_now(items: Sequence[Item], standings: Sequence[Lifetime]) -> frozenset[tuple[str, str, str, str]]:
    """Hardware, eval, cell and metric of every result measured for the present head."""
    return frozenset(
        (item.assessment.hardware, *_key(cell))
        for item, standing in zip(items, standings, strict=True)
        if item.usable and item.assessment is not None and standing.standing == "current"
        for cell in item.assessment.cells
        if cell.arms
    )


def _ran(arm: Arm | None, eval_id: str) -> dict[str, object] | None:
    """What one arm ran in an eval; None if that is not known entirely."""
    if arm is None or arm.ledgers == "unknown":
        return None
    ledger = next((one for one in arm.ledgers if one.eval_id == eval_id), None)
    needed = (arm.code.tree_digest, arm.model, arm.weights_digest, arm.draft_digest, arm.tokenizer_digest)
    if ledger is None or "unknown" in (*needed, arm.chat_template_digest, arm.quantization):
        return None
    if any(bucket.specialized_steps for bucket in ledger.buckets) and not ledger.kernel_digests:
        return None
    return {
        "needed": needed,
        "template": arm.chat_template_digest,
        "quantization": arm.quantization,
        "image": arm.image_digest,
        "config": sorted((entry.name, entry.value) for entry in arm.engine_config),
        "kernels": sorted(ledger.kernel_digests),
    }


def _lifetime(items: Sequence[Item], index: int, head_sha: str) -> Lifetime:
    item = items[index]
    if item.withdrawn is not None or item.assessment is None:
        return _say(item, item.withdrawn or "retracted", item.reason or "withdrawn")
    later = [one for one in items[index + 1 :] if _supersedes(one, item)]
    if later:
        return _say(item, "superseded", "the same node ran the suite again for the same commit", by=later[-1])
    if item.assessment.head_sha == head_sha:
        return _say(item, "current", "measured for the present head")
    now = [one for one in items if one.usable and one.assessment and one.assessment.head_sha == head_sha]
    for newer in reversed(now):
        names = _unchanged(item, newer, now) if item.usable else ()
        if names:
            reason = (
                f"measured at {item.assessment.head_sha[:12]}; kernels, code, weights and configuration are the same"
            )
            return _say(item, "inherited", reason, by=newer, inherited=names)
    return _say(item, "stale", f"measured at {item.assessment.head_sha[:12]}, which is not the present head")


def _supersedes(later: Item, earlier: Item) -> bool:
    if not later.usable or later.node_key_id is None or later.node_key_id != earlier.node_key_id:
        return False
    assert later.assessment is not None
    assert earlier.assessment is not None
    suites = [one.facts.suite_digest if one.facts else None for one in (later, earlier)]
    return (
        suites[0] is not None
        and suites[0] == suites[1]
        and later.assessment.head_sha == earlier.assessment.head_sha != "unknown"
        and later.assessment.trust.level >= earlier.assessment.trust.level
    )


def _unchanged(old: Item, newer: Item, now: Sequence[Item]) -> tuple[CellName, ...]:
    """Cells of evals that the newer bundle proves unchanged, without those that were measured again."""
    assert old.assessment is not None
    assert old.facts is not None
    assert newer.facts is not None
    again = {(one.assessment.hardware, *_key(cell)) for one in now if one.assessment for cell in one.assessment.cells}
    return tuple(
        CellName(eval_id=cell.eval_id, cell=cell.cell.id, metric=cell.cell.metric)
        for cell in old.assessment.cells
        if (identity := old.facts.identity(cell.eval_id)) is not None
        and identity == newer.facts.identity(cell.eval_id)
        and (old.assessment.hardware, *_key(cell)) not in again
    )


def _weaker(own: TrustLevel, proof: TrustLevel) -> TrustLevel:
    return own if own.level <= proof.level else proof.model_copy(update={"reason": f"inherited; {proof.reason}"[:200]})


def _is_superseded(one: Lifetime) -> bool:
    return one.standing == "superseded"


def _key(cell: CellSummary) -> tuple[str, str, str]:
    return (cell.eval_id, cell.cell.id, cell.cell.metric)


def _say(
    item: Item, standing: Standing, reason: str, *, by: Item | None = None, inherited: tuple[CellName, ...] = ()
) -> Lifetime:
    return Lifetime(
        bundle_id=item.bundle_id,
        standing=standing,
        reason=reason[:200],
        by=by.bundle_id if by else None,
        inherited=inherited,
    )
