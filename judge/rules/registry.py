"""All rules, and the one way to apply them."""

from itertools import islice

from judge.evidence import Evidence
from judge.rules import (
    accuracy,
    answers,
    binding,
    environment,
    form,
    hostile,
    identities,
    measurement,
    path,
    plausibility,
    suite,
    typed,
)
from judge.rules.record import Finding, Found, Rule

MAX_FINDINGS_PER_RULE = 20

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *form.RULES,
            *suite.RULES,
            *environment.RULES,
            *plausibility.RULES,
            *path.RULES,
            *measurement.RULES,
            *typed.RULES,
            *identities.RULES,
            *accuracy.RULES,
            *answers.RULES,
            *binding.RULES,
            *hostile.RULES,
        ),
        key=lambda rule: ("BSEPMACX".index(rule.id[0]), rule.id),
    )
)
"""Every rule, in the order of families and numbers."""


def check(evidence: Evidence) -> tuple[Finding, ...]:
    """Apply every rule.

    Returns:
        Findings in the order of `RULES`, within a rule in the order found: the same evidence gives the same bytes in
        worker, CLI and server. At most `MAX_FINDINGS_PER_RULE` a rule; the last one says how many more there are.
    """
    return tuple(finding for rule in RULES for finding in _apply(rule, evidence))


def _apply(rule: Rule, evidence: Evidence) -> list[Finding]:
    found = iter(rule.apply(evidence))
    shown = [_finding(rule, one) for one in islice(found, MAX_FINDINGS_PER_RULE)]
    more = sum(1 for _ in found)
    if more:
        last = shown[-1]
        shown[-1] = last.model_copy(
            update={
                "detail": f"{last.detail[:900]} (and {more} more places)",
                "eval_id": None,
                "cell": None,
                "arm": None,
            }
        )
    return shown


def _finding(rule: Rule, found: Found) -> Finding:
    return Finding(
        rule_id=rule.id,
        rule_version=rule.version,
        severity=rule.severity,
        effect=rule.effect,
        title=rule.title,
        detail=_printable(found.detail)[:1000],
        hint=rule.hint,
        where=_printable(found.where)[:200] or "bundle",
        eval_id=found.eval_id,
        cell=found.cell,
        arm=found.arm,
        bears_on=rule.bears_on,
    )


def _printable(text: str) -> str:
    """One printable line, whatever a blob held; what is not printable becomes a question mark."""
    return "".join(character if character.isprintable() else "?" for character in text)
