"""Rules: pure functions from evidence to findings, all applied, all reported."""

from judge.rules.record import FAMILIES, Effect, Family, Finding, Found, Rule, Severity

__all__ = ["FAMILIES", "Effect", "Family", "Finding", "Found", "Rule", "Severity"]
