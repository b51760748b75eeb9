"""Whatever a claims block may say is read as it was meant: written as YAML and read back, it is the same."""

import json
from collections.abc import Mapping
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.claim import AtLeast, EqualWithin, NoRegression, WithinTolerance
from judge.claims import parse_block, parse_claims
from judge.metrics import METRICS
from worker.suites import published

names = st.from_regex(r"\A[a-z][a-z0-9._-]{0,20}\Z")
numbers = st.lists(st.integers(1, 10**6), min_size=1, max_size=5, unique=True)
words = st.lists(st.sampled_from(("none", "natural", "synthetic")), min_size=1, max_size=3, unique=True)
hundredths = st.integers(1, 9900).map(lambda value: value / 100)


@st.composite
def claim(draw: st.DrawFn) -> dict[str, Any]:
    """A claim as somebody would write it."""
    metric = draw(st.sampled_from(sorted(METRICS)))
    kind = METRICS[metric].kind  # type: ignore[index]
    forms = {
        "speed": (f">= {draw(hundredths):g}x baseline", f"no regression within {draw(st.integers(1, 99))}%"),
        "accuracy": (f"equal within {draw(st.integers(1, 99))}%", f"no regression within {draw(st.integers(1, 99))}%"),
        "numerics": ("within tolerance",),
    }[kind]
    cells = st.fixed_dictionaries({}, optional={
        "batch": numbers, "tp": numbers, "cp": numbers, "context": numbers, "speculation": words,
        "phase": st.lists(st.sampled_from(("prefill", "decode", "mixed", "request")), min_size=1, unique=True),
        "task": st.lists(names, min_size=1, max_size=3, unique=True),
    })  # fmt: skip
    optional = {
        "cells": cells,
        "acceptance": st.sampled_from(("none", "natural", "synthetic 6", "synthetic 3.78")),
        "suite": st.sampled_from(sorted({suite.id for suite in published()})),
    }
    more = draw(st.fixed_dictionaries({}, optional=optional))
    return {"id": draw(names), "metric": metric, "relation": draw(st.sampled_from(forms)), **more}


scopes = st.fixed_dictionaries(
    {"batch": st.lists(st.integers(1, 512), min_size=1, max_size=4, unique=True)},
    optional={
        "tp": st.lists(st.integers(1, 64), min_size=1, max_size=3, unique=True),
        "context": st.lists(st.integers(0, 2**20), min_size=1, max_size=3, unique=True),
        "speculation": words,
        "dcp": st.lists(st.integers(1, 8), min_size=1, max_size=2, unique=True),
        "features": st.lists(names, min_size=1, max_size=3, unique=True),
    },
)


def said(relation: Any) -> str:
    """A relation as it is written."""
    match relation:
        case AtLeast(factor=factor):
            return f">= {factor:g}x baseline"
        case NoRegression(within=within):
            return f"no regression within {100 * within:g}%"
        case EqualWithin(within=within):
            return f"equal within {100 * within:g}%"
        case WithinTolerance():
            return "within tolerance"


def listed(values: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Selectors that say something, in any order."""
    return {name: sorted(value) for name, value in values.items() if value is not None and name != "line"}


def unique(written: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """No id twice, and nothing said twice."""
    kept: dict[str, dict[str, Any]] = {}
    for one in written:
        content = json.dumps({name: value for name, value in one.items() if name != "id"}, sort_keys=True)
        if one["id"] not in {other["id"] for other in kept.values()}:
            kept.setdefault(content, one)
    return list(kept.values())


@given(st.lists(claim(), min_size=1, max_size=5).map(unique))
@settings(max_examples=40, deadline=None)
def test_claims_are_read_as_they_were_written(written: list[dict[str, Any]]) -> None:
    found = parse_block(yaml.safe_dump(written, sort_keys=False))
    if {error.code for error in found.errors} == {"claim_repeated"}:
        return  # the same said in another order
    assert found.errors == ()
    assert [one.id for one in found.claims] == [one["id"] for one in written]
    for read, meant in zip(found.claims, written, strict=True):
        assert (read.metric, read.suite) == (meant["metric"], meant.get("suite"))
        assert (read.relation_text, said(read.relation)) == (meant["relation"], meant["relation"])
        assert listed(read.cells.model_dump()) == listed(meant.get("cells", {}))
        acceptance = meant.get("acceptance")
        assert (read.acceptance is None) == (acceptance is None)
        if read.acceptance is not None and read.acceptance.kind == "synthetic":
            assert acceptance == f"synthetic {read.acceptance.length:g}"


@given(scopes)
@settings(max_examples=40, deadline=None)
def test_a_scope_is_read_as_it_was_written(written: dict[str, Any]) -> None:
    body = f"Faster.\n\n```byogpu-claims\n{yaml.safe_dump([{'scope': written}])}```\n"
    found = parse_claims(body)
    assert found.errors == ()
    assert found.scope is not None
    assert listed(found.scope.model_dump()) == listed(written)
