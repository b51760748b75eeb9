"""Trust levels: how far a bundle's word goes.

Levels 3 (reproduced by another owner) and 4 (run by the project) need more than one bundle, so they are not given here.
"""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from judge.evidence import Context
from judge.rules.record import Finding
from worker.bundle.record import Label, Record
from worker.bundle.schema import Origin

NAMES = ("unsigned", "signed", "challenge-bound", "reproduced", "project-run")


class TrustLevel(Record):
    """A level and the sentence that explains it."""

    level: Annotated[int, Field(ge=0, le=4)]
    name: Label
    reason: Label


def trust_level(context: Context, findings: Iterable[Finding], origin: Origin, *, challenged: bool) -> TrustLevel:
    """Place a bundle.

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
        return _level(0, f"set aside because of {', '.join(dict.fromkeys(broken))}"[:200])
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
    return _level(2, "signed by a registered node, for a challenge that the service issued")


def _level(level: int, reason: str) -> TrustLevel:
    return TrustLevel(level=level, name=NAMES[level], reason=reason)
