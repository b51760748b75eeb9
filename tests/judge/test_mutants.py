"""No rule is dead: break a rule's function in small ways, and what the fixtures expect of it no longer holds.

Mutants are made from the function's source: a comparison or condition is turned round, "and" and "or" are exchanged, a
place that yields a finding falls silent. One is killed if on the valid or on the rule's own broken specimen it finds
something else than the rule does.
"""

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any

import pytest

from judge.evidence import Evidence
from judge.rules import RULES

LEAST_KILLED = 0.6
"""Of a rule's mutants. The rest change nothing that these two specimens show, such as what happens without a suite."""
LEAST_KILLED_OF_ALL = 0.9


class _Mutate(ast.NodeTransformer):
    """Changes the n-th place that can be changed."""

    def __init__(self, place: int) -> None:
        self.place, self.seen = place, 0

    def _mine(self) -> bool:
        self.seen += 1
        return self.seen - 1 == self.place

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return ast.UnaryOp(ast.Not(), node) if self._mine() else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if self._mine():
            node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        if self._mine():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        self.generic_visit(node)
        if isinstance(node.value, ast.Yield | ast.YieldFrom) and self._mine():
            node.value = ast.YieldFrom(ast.Tuple([], ast.Load()))  # still a generator
        return node


def mutants(function: FunctionType) -> Iterator[Callable[[Evidence], Any]]:
    """Every way to break a function, compiled in the module it comes from."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    counting = _Mutate(-1)
    counting.visit(copy.deepcopy(tree))
    for place in range(counting.seen):
        changed = ast.fix_missing_locations(_Mutate(place).visit(copy.deepcopy(tree)))
        names = dict(function.__globals__)
        exec(compile(changed, f"mutant {place} of {function.__name__}", "exec"), names)
        yield names[function.__name__]


def outcome(function: Callable[[Evidence], Any], evidence: Evidence) -> object:
    try:
        return list(function(evidence))
    except Exception as error:  # a mutant that breaks down is noticed as well
        return type(error)


def killed(rule: Any, specimens: tuple[Evidence, Evidence]) -> tuple[int, int]:
    """How many mutants of a rule these specimens tell from it, and how many there are."""
    expected = [outcome(rule.apply, evidence) for evidence in specimens]
    found = [[outcome(mutant, evidence) for evidence in specimens] != expected for mutant in mutants(rule.apply)]
    return sum(found), len(found)


@pytest.fixture(scope="module")
def tally(valid_evidence: Evidence, broken_evidence: Callable[[str], Evidence]) -> Callable[[Any], tuple[int, int]]:
    """Killed and made mutants of a rule, counted once."""
    return cache(lambda rule: killed(rule, (valid_evidence, broken_evidence(rule.id))))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_broken_rule_is_noticed(
    rule: Any,
    valid_evidence: Evidence,
    broken_evidence: Callable[[str], Evidence],
    tally: Callable[[Any], tuple[int, int]],
) -> None:
    # A rule that finds nothing is told from this one by its own specimen, one that always speaks by the valid one.
    assert outcome(rule.apply, valid_evidence) == []
    assert outcome(rule.apply, broken_evidence(rule.id))
    dead, made = tally(rule)
    assert dead >= max(1, LEAST_KILLED * made), f"{dead} of {made} mutants"


def test_most_mutants_of_all_rules_are_noticed(tally: Callable[[Any], tuple[int, int]]) -> None:
    dead, made = (sum(column) for column in zip(*map(tally, RULES), strict=True))
    assert made >= 3 * len(RULES)
    assert dead >= LEAST_KILLED_OF_ALL * made, f"{dead} of {made} mutants"


def test_a_mutant_that_is_no_different_survives(valid_evidence: Evidence) -> None:
    """The proof can fail: a condition that no specimen touches keeps its mutants alive."""
    assert [outcome(mutant, valid_evidence) for mutant in mutants(_dead)] == [[], [], []]


def _dead(evidence: Evidence) -> Iterator[str]:
    if evidence.manifest.format == "another":
        return
    yield from ()
