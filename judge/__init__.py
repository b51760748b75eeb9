"""The judge: reads bundles, checks them by rules, recomputes every number, and judges claims. Pure, no network.

evidence = collect(read(folder))          # judge.evidence
assessment = assess(evidence)             # rules, cells, trust: what is stored of a bundle
claims = parse_claims(pull_body)          # judge.claims
verdicts = judge(claims.claims, [assessment])
report = render(pull, claims, verdicts, [assessment], urls)
"""

from judge.assess import Assessment, assess
from judge.claims import Claim, ClaimError, ClaimSet, parse_claims
from judge.compare import Comparison, compare
from judge.evidence import OFFLINE, Context, Evidence, collect
from judge.report import CheckReport, render
from judge.reproduction import Reproduction, reproduction
from judge.rules import RULES, Finding, check
from judge.summarise import summarise
from judge.verdict import Verdict, judge

__all__ = [
    "OFFLINE",
    "RULES",
    "Assessment",
    "CheckReport",
    "Claim",
    "ClaimError",
    "ClaimSet",
    "Comparison",
    "Context",
    "Evidence",
    "Finding",
    "Reproduction",
    "Verdict",
    "assess",
    "check",
    "collect",
    "compare",
    "judge",
    "parse_claims",
    "render",
    "reproduction",
    "summarise",
]
