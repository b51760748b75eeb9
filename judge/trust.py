"""Trust levels: how far a bundle's word goes. Each level holds what the one below it asks for, project runs apart.

Levels 0 to 2 follow from one bundle (`trust_level`). Level 3 needs the runs of other owners, level 4 a node that is the
project's own; both are given by `place`, to all runs of one suite at one commit together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from judge.cells import CellSummary
from judge.evidence import Context
from judge.reproduction import Reproduced, reproduction
from judge.rules.record import Finding
from worker.bundle.record import Count, Label, Positive, Record, Sha256, Unknown
from worker.bundle.schema import Origin

NAMES = ("unsigned", "signed", "challenge-bound", "reproduced", "project-run")
MAX_DOUBTS = 3
"""Doubts that raise the quorum; more of them raise it no further."""
GRAVE: dict[str, int] = {"E-016": 2}
"""Rules whose suspicion counts for more than one doubt: no machine is faster than its memory."""
MANY_UNUSED = 3
"""Challenges of one owner that were never answered from which on they are a doubt: somebody may be choosing."""


class TrustLevel(Record):
    """A level and the sentence that explains it."""

    level: Annotated[int, Field(ge=0, le=4)]
    name: Label
    reason: Label


@dataclass(frozen=True)
class Run:
    """One bundle, and who stands behind it.

    Attributes:
        bundle_id: Its id.
        own: Its trust by itself.
        findings: What the rules found in it.
        cells: Its cells.
        binding: What runs must share to reproduce one another: head SHA and suite digest. None: unknown.
        owner: The node's owner; None: no registered node signed.
        project: Whether the node is the project's own.
        gpus: Hashes of its GPUs' UUIDs.
        unused: Challenges that its owner had issued for the same commit and suite and never answered with a bundle.
    """

    bundle_id: str
    own: TrustLevel
    findings: tuple[Finding, ...]
    cells: tuple[CellSummary, ...]
    binding: tuple[str, str] | None
    owner: str | None
    project: bool
    gpus: tuple[str, ...] | Unknown
    unused: int = 0


class Witness(Record):
    """Another party's run held against a bundle."""

    bundle_id: Sha256
    owner: Label
    outcome: Reproduced


class Placement(Record):
    """Where a bundle stands among the runs of others."""

    bundle_id: Sha256
    trust: TrustLevel
    quorum: Positive
    """Independent parties that must reproduce it for level 3."""
    reproduced: Count
    """Independent parties that did."""
    witnesses: tuple[Witness, ...]
    """Runs of independent parties, oldest first; a party may have several."""


def trust_level(context: Context, findings: Iterable[Finding], origin: Origin, *, challenged: bool) -> TrustLevel:
    """Place a bundle by itself.

    Args:
        context: What is known about it besides its own word.
        findings: What the rules found in it.
        origin: Measured by the worker, or imported.
        challenged: Whether the manifest names a challenge.
    """
    broken = [finding.rule_id for finding in findings if finding.effect in ("invalidates", "quarantines")]
    if origin.kind == "imported":
        return _level(0, "imported from another tool's files; nobody vouches for how they were made")
    if broken:
        return _level(0, f"set aside because of {', '.join(dict.fromkeys(broken))}")
    match context.signature:
        case "unchecked":
            return _level(0, "not looked up: only a service can say whose signature it is")
        case "absent":
            return _level(0, "not signed")
        case "unknown_key":
            return _level(0, "signed by a key that is not registered")
        case "invalid":
            return _level(0, "the signature does not hold")
        case "valid":
            pass
    if not challenged or context.challenge is None:
        return _level(1, "signed by a registered node that chose its own prompts and order")
    if context.challenge.closed is not None:
        return _level(1, f"signed by a registered node, for a challenge that was {context.challenge.closed} before")
    return _level(2, "signed by a registered node, for a challenge that the service issued")


def project_trust(own: TrustLevel, *, project: bool) -> TrustLevel:
    """Raise a bundle that one of the project's nodes signed, unless it is set aside."""
    return _level(4, "run on a node of the project") if project and own.level >= 1 else own


def suspicions(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Rules that cast doubt on a bundle: impossible numbers, secrets. Also after a person released it."""
    return tuple(dict.fromkeys(one.rule_id for one in findings if one.effect == "quarantines"))


def place(runs: Sequence[Run]) -> tuple[Placement, ...]:
    """Place runs among one another.

    One party is everybody who is connected by an owner or by a GPU: accounts that share a machine are one party, and so
    are machines of one owner. That can only lower trust. A run reproduces another of the same commit and suite if it is
    bound to a challenge (or the project ran it) and the ratios agree cell by cell on the same class of hardware.
    Suspicion raises the quorum by one for each rule, by more for one that is grave, by one for many challenges that
    were never answered; an independent run that differs raises it by one for each party.

    Args:
        runs: Bundles that count for one pull request, oldest first.

    Returns:
        One for each, in order.
    """
    parties = _parties(runs)
    return tuple(_place(run, mine, runs, parties) for run, mine in zip(runs, parties, strict=True))


def _place(run: Run, mine: int | None, runs: Sequence[Run], parties: Sequence[int | None]) -> Placement:
    witnesses: list[Witness] = []
    agreeing: set[int] = set()
    differing: set[int] = set()
    for other, party in zip(runs, parties, strict=True):
        if mine is None or party is None or party == mine or not _may_witness(other, run):
            continue
        outcome = reproduction(run.cells, other.cells, ids=(run.bundle_id, other.bundle_id)).outcome
        witnesses.append(Witness(bundle_id=other.bundle_id, owner=other.owner or "unknown", outcome=outcome))
        if outcome != "undecided":
            (agreeing if outcome == "reproduced" else differing).add(party)
    agreeing -= differing
    doubts = [*suspicions(run.findings)]
    weight = sum(GRAVE.get(rule, 1) for rule in doubts)
    if run.unused >= MANY_UNUSED:
        doubts.append(f"{run.unused} challenges that were never answered")
        weight += 1
    quorum = 1 + min(weight, MAX_DOUBTS) + len(differing)
    return Placement(
        bundle_id=run.bundle_id,
        trust=_among(run, mine, quorum=quorum, agreeing=len(agreeing), differing=len(differing), doubts=doubts),
        quorum=quorum,
        reproduced=len(agreeing),
        witnesses=tuple(witnesses),
    )


def _among(
    run: Run, party: int | None, *, quorum: int, agreeing: int, differing: int, doubts: Sequence[str]
) -> TrustLevel:
    raised = project_trust(run.own, project=run.project)
    if raised.level == 4 or run.own.level < 2:
        return raised
    if agreeing >= quorum:
        return _level(3, f"reproduced by {_parties_of(agreeing)} on the same class of hardware")
    if party is None:
        return _level(2, f"{run.own.reason}; its GPUs are not identified, so no other run can be told from it")
    why = []
    if differing:
        why.append(f"{_parties_of(differing)} measured something else")
    if doubts:
        why.append(f"suspicious because of {', '.join(doubts)}")
    if agreeing or why:
        return _level(2, f"reproduced by {agreeing} of {quorum} independent parties; {'; '.join(why)}".rstrip("; "))
    return run.own


def _may_witness(other: Run, run: Run) -> bool:
    bound = run.binding is not None and other.binding == run.binding
    return bound and (other.own.level >= 2 or (other.project and other.own.level >= 1))


def _parties(runs: Sequence[Run]) -> tuple[int | None, ...]:
    """A number for each run's party; None: nobody answers for it, or its machine is not identified."""
    names = [
        {f"owner {run.owner.strip().lower()}", *(f"gpu {gpu}" for gpu in run.gpus)}
        if run.owner is not None and run.gpus != "unknown" and run.gpus
        else set()
        for run in runs
    ]
    groups: list[set[str]] = []
    for found in names:
        touching = [group for group in groups if group & found]
        groups = [group for group in groups if not group & found] + [found.union(*touching)]
    return tuple(next((n for n, group in enumerate(groups) if found & group), None) for found in names)


def _parties_of(count: int) -> str:
    return f"{count} independent {'party' if count == 1 else 'parties'}"


def _level(level: int, reason: str) -> TrustLevel:
    return TrustLevel(level=level, name=NAMES[level], reason=reason[:200])
