"""Merge policies: what a repository asks of the evidence before a claim may carry a merge. Data, judged here."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from judge.metrics import METRICS, ClaimKind
from judge.verdict import Verdict
from worker.bundle.record import Count, Identifier, Label, Record

From = Literal["anyone", "others", "project"]
"""Whose evidence counts: anyone's; anyone's but the pull request's author's; that of the project's own nodes."""


class Need(Record):
    """What claims of one kind need."""

    kind: ClaimKind
    trust: Annotated[int, Field(ge=0, le=4)]
    """Lowest trust level of the bundle that decides."""
    evidence_from: From
    inherited: bool
    """Whether evidence may be carried over from an earlier commit with the same kernels."""


class Audits(Record):
    """Which supported claims are audited: their bundle has to be reproduced, or run by the project, in any case.

    Whether a bundle is audited is drawn by the service once it was judged, so that nobody can choose a bundle that is
    not; results that would matter most are audited always.
    """

    share: Annotated[float, Field(ge=0, le=1)]
    """Of bundles, drawn at random."""
    from_factor: Annotated[float, Field(gt=1)] | None
    """Speed-ups of at least this factor are always audited; None: they are drawn like all others."""


class MergePolicy(Record):
    """The policy of one repository. Kinds that it does not name need nothing but a supported claim."""

    version: Literal[1]
    needs: Annotated[tuple[Need, ...], Field(max_length=3)]
    holes: Count | None
    """Most holes in the declared scope; None: any number."""
    audits: Audits | None = None
    """None: nothing is audited."""


AUDITED_LEVEL = 3
"""Trust level from which a bundle needs no audit: it was reproduced, or the project ran it."""
OPEN_POLICY = MergePolicy(version=1, needs=(), holes=None)
"""Of a repository that has set none."""


class Provenance(Record):
    """Who stands behind a bundle."""

    owner: Label | None
    """None: no registered node signed it."""
    project: bool


class Shortfall(Record):
    """One thing that a policy asks for and the evidence does not have."""

    claim_id: Identifier | None
    """None: it is about the whole pull request."""
    sentence: Annotated[str, Field(max_length=300)]
    """May quote names of people: escape before showing."""


def shortfalls(
    policy: MergePolicy,
    verdicts: Sequence[Verdict],
    *,
    holes: Sequence[str],
    provenance: Mapping[str, Provenance],
    author: str | None,
    lots: Mapping[str, float] | None = None,
) -> tuple[Shortfall, ...]:
    """Hold a pull request's verdicts against its repository's policy.

    Args:
        policy: The policy.
        verdicts: One for each claim. Only supported ones can fall short here: the others stop a merge by themselves.
        holes: Names of the holes in the declared scope.
        provenance: Of the deciding bundles, by bundle id.
        author: Login of the pull request's author; None: unknown, and then nobody is known to be another.
        lots: What the service drew for each bundle, 0 to 1; one without a lot is audited, if any bundle is.

    Returns:
        Empty: the policy is met.
    """
    found: list[Shortfall] = []
    needs = {need.kind: need for need in policy.needs}
    for verdict in verdicts:
        need = needs.get(METRICS[verdict.claim.metric].kind)
        if verdict.outcome != "supported":
            continue
        behind = provenance.get(verdict.bundle_ids[0]) if verdict.bundle_ids else None
        lacks = _lacks(need, verdict, behind, author) if need is not None else []
        lacks += _unaudited(policy.audits, verdict, lots or {}) if policy.audits is not None else []
        found += [Shortfall(claim_id=verdict.claim_id, sentence=one[:300]) for one in lacks]
    if policy.holes is not None and len(holes) > policy.holes:
        listed = ", ".join(holes[:5]) + (f" and {len(holes) - 5} more" if len(holes) > 5 else "")
        sentence = f"The declared scope has {len(holes)} holes, {policy.holes} are allowed: {listed}."
        found.append(Shortfall(claim_id=None, sentence=sentence[:300]))
    return tuple(found)


def _unaudited(audits: Audits, verdict: Verdict, lots: Mapping[str, float]) -> list[str]:
    if (verdict.trust_level or 0) >= AUDITED_LEVEL:
        return []
    factor = verdict.ratio if verdict.estimate is not None and verdict.estimate.kind == "ratio" else None
    if audits.from_factor is not None and factor is not None and factor >= audits.from_factor:
        return [f"Every speed-up from {audits.from_factor:g}x is audited: another owner has to reproduce this one."]
    lot = lots.get(verdict.bundle_ids[0], 0.0) if verdict.bundle_ids else 0.0
    return ["This bundle was drawn for an audit: another owner has to reproduce it."] if lot < audits.share else []


def _lacks(need: Need, verdict: Verdict, behind: Provenance | None, author: str | None) -> list[str]:
    lacks = []
    level = verdict.trust_level or 0
    if level < need.trust:
        lacks.append(f"Claims about {need.kind} need trust level {need.trust}; this one rests on level {level}.")
    if not need.inherited and verdict.inherited_from is not None:
        lacks.append(f"Claims about {need.kind} need evidence measured at the present head; this one's is inherited.")
    owner = behind.owner if behind else None
    match need.evidence_from:
        case "anyone":
            pass
        case "others":
            if owner is None or author is None or owner.strip().lower() == author.strip().lower():
                lacks.append("The evidence has to come from somebody known to be another than the author.")
        case "project":
            if behind is None or not behind.project:
                lacks.append("The evidence has to come from a node of the project.")
    return lacks
