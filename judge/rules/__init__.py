"""Rules: pure functions from evidence to findings, all applied, all reported."""

from judge.rules.record import EFFECTS, FAMILIES, Effect, Family, Finding, Found, Rule, Severity
from judge.rules.registry import RULES, check

__all__ = ["EFFECTS", "FAMILIES", "RULES", "Effect", "Family", "Finding", "Found", "Rule", "Severity", "check"]
