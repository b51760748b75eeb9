"""Reads the fenced ``byogpu-claims`` block of a pull request: a small, strict part of YAML.

    ```byogpu-claims
    - id: decode-speed
      metric: step_latency_us
      cells: {batch: [1, 4], context: 64}
      relation: ">= 1.6x baseline"
    - scope: {batch: [1, 4, 64], tp: [8, 16], context: [8192], speculation: [none]}
    ```

One item may declare the scope of the change; all others are claims.

Lists, mappings and plain scalars only: no aliases, tags, second documents or repeated keys. Every error names its
line in the pull request's text. With one error nothing is claimed: half a block is never judged.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import TypeVar, get_args

import yaml
from pydantic import ValidationError

from judge.claim import (
    MAX_BLOCK_BYTES,
    MAX_CLAIMS,
    Acceptance,
    AtLeast,
    CellSelector,
    Claim,
    ClaimError,
    ClaimSet,
    EqualWithin,
    NaturalAcceptance,
    NoAcceptance,
    NoRegression,
    Relation,
    Scope,
    SyntheticAcceptance,
    WithinTolerance,
)
from judge.fences import Fenced, Prose, parts
from judge.metrics import METRICS, MetricDefinition
from judge.strict_yaml import BlockError, compose, mapping_of, text_of
from worker.bundle.record import MAX_SAFE_INTEGER
from worker.bundle.schema import Phase
from worker.suites import published

MAX_VALUES = 64

__all__ = ["Claim", "ClaimError", "ClaimSet", "parse_block", "parse_claims"]

_INFO = "byogpu-claims"
_ALIKE, _LETTERS = "byogpuclaim", re.compile("[^a-z]")
"""What is spelled nearly like it is a mistake, not nothing: without claims the check stops no merge."""
_NESTED = re.compile(rf"^[\s>*+.)0-9-]*(?:`{{3,}}|~{{3,}})[ \t]*{_INFO}[ \t]*$")
_IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_NUMBER = r"(?P<number>[0-9]{1,6}(?:\.[0-9]{1,6})?)"
_FACTOR = re.compile(rf"(?P<sign>>=|<=) ?{_NUMBER}x baseline")
_PERCENT = re.compile(rf"(?P<kind>no regression|equal) within {_NUMBER} ?%")
_SYNTHETIC = re.compile(rf"synthetic {_NUMBER}")
_FORMS = '">= 1.6x baseline", "<= 0.7x baseline", "no regression within 3%", "equal within 2%", "within tolerance"'
_SCOPE = tuple(name for name in Scope.model_fields if name != "line")
MAX_SCOPE_CELLS = 1024

_FIELDS = ("id", "metric", "cells", "relation", "acceptance", "suite")
_SELECTORS = tuple(CellSelector.model_fields)
_Value = TypeVar("_Value", int, str)


def parse_claims(pull_body: str) -> ClaimSet:
    """Read the claims of a pull request.

    Args:
        pull_body: The pull request's text, as GitHub gives it.

    Returns:
        Its claims, or what is wrong with them. Without a block: neither.
    """
    lines = pull_body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: list[Fenced] = []
    for part in parts(lines):
        match part:
            case Fenced(info=info) if _ALIKE in _LETTERS.sub("", info.lower()):
                found.append(part)
            case Prose(line, text) if _NESTED.match(text):
                return _failed("block_nested", "the block's fence begins its line: in no list or quotation", line + 1)
    if not found:
        return ClaimSet(claims=(), errors=())
    first, *others = found
    if first.info != _INFO:
        detail = f"the block's fence says {first.info[:60]!r}: after the ticks stands {_INFO} and nothing else"
        return _failed("fence_invalid", detail, first.line + 1)
    if not first.closed:
        return _failed("block_unclosed", "the block has no closing fence", first.line + 1)
    if others:
        detail = f"there is a claims block on line {first.line + 1} already"
        return _failed("block_repeated", detail, others[0].line + 1)
    return parse_block("\n".join(first.content), first_line=first.line + 2)


def parse_block(text: str, *, first_line: int = 1) -> ClaimSet:
    """Read the inside of a claims block.

    Args:
        text: YAML, without the fences.
        first_line: Line of the pull request's text on which it begins.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BLOCK_BYTES:
        return _failed("block_too_large", f"the block has more than {MAX_BLOCK_BYTES} bytes", first_line)
    try:
        node = compose(text, first_line)
    except BlockError as wrong:
        return _failed(wrong.code, wrong.detail, wrong.line)
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        return _failed("not_a_list", "the block is a list of claims, each beginning with '- id:'", first_line)
    if len(node.value) > MAX_CLAIMS:
        return _failed("too_many_claims", f"{len(node.value)} claims, {MAX_CLAIMS} are allowed", first_line)
    claims: list[Claim] = []
    errors: list[ClaimError] = []
    scope: Scope | None = None
    for item in node.value:
        try:
            if not _declares_scope(item):
                claims.append(_claim(item, first_line))
                continue
            if scope is not None:
                line = item.start_mark.line + first_line
                raise BlockError("scope_repeated", f"the scope is declared on line {scope.line} already", line)
            scope = _scope(item, first_line)
        except BlockError as wrong:
            errors.append(_error(wrong.code, wrong.detail, wrong.line))
    errors += _repeated(claims)
    if errors:
        return ClaimSet(claims=(), errors=tuple(errors))
    return ClaimSet(claims=tuple(claims), errors=(), scope=scope)


# ------------------------------------------------------------------ claims
def _claim(node: yaml.Node, first_line: int) -> Claim:
    line = node.start_mark.line + first_line
    fields = mapping_of(node, "a claim", _FIELDS, first_line)
    for name in ("id", "metric", "relation"):
        if name not in fields:
            raise BlockError("field_missing", f"a claim needs {name}", line)
    claim_id = _identifier(fields["id"], "id", first_line)
    metric = text_of(fields["metric"], "metric", first_line)
    definition = next((one for name, one in METRICS.items() if name == metric), None)
    if definition is None:
        where = fields["metric"].start_mark.line + first_line
        raise BlockError("metric_unknown", f"no metric {metric[:40]!r}; there are {', '.join(METRICS)}", where)
    relation_text = text_of(fields["relation"], "relation", first_line)
    try:
        return Claim(
            id=claim_id,
            metric=definition.metric,
            cells=_selector(fields.get("cells"), first_line),
            relation=_relation(relation_text, definition, fields["relation"].start_mark.line + first_line),
            relation_text=relation_text,
            acceptance=_acceptance(fields.get("acceptance"), first_line),
            suite=_suite(fields["suite"], first_line) if "suite" in fields else None,
            line=line,
        )
    except ValidationError as error:
        raise BlockError("claim_invalid", "a text of the claim is too long or not printable", line) from error


def _declares_scope(node: yaml.Node) -> bool:
    keys = [key.value for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
    return "scope" in keys


def _scope(node: yaml.Node, first_line: int) -> Scope:
    line = node.start_mark.line + first_line
    fields = mapping_of(mapping_of(node, "a scope", ("scope",), first_line)["scope"], "scope", _SCOPE, first_line)
    if not fields:
        raise BlockError("scope_empty", f"a scope lists values of {', '.join(_SCOPE)}", line)
    selector = _selector_of({name: value for name, value in fields.items() if name in _SELECTORS}, first_line)
    features = _values(
        fields.get("features"),
        "features",
        lambda text: text if _IDENTIFIER.fullmatch(text) else None,
        "names in lower case",
        first_line,
    )
    found = Scope(
        batch=selector.batch,
        tp=selector.tp,
        context=selector.context,
        speculation=selector.speculation,
        dcp=_numbers(fields, "dcp", 1, first_line),
        features=features,
        line=line,
    )
    axes = (found.batch, found.tp, found.context, found.speculation, found.dcp)
    if math.prod(len(axis) for axis in axes if axis) > MAX_SCOPE_CELLS:
        raise BlockError("scope_too_large", f"the scope has more than {MAX_SCOPE_CELLS} cells", line)
    return found


def _identifier(node: yaml.Node, what: str, first_line: int) -> str:
    text = text_of(node, what, first_line)
    if not _IDENTIFIER.fullmatch(text):
        rule = "lower-case letters, digits, '.', '_' and '-', at most 80, beginning with a letter or digit"
        raise BlockError("id_invalid", f"{what} is {rule}", node.start_mark.line + first_line)
    return text


def _suite(node: yaml.Node, first_line: int) -> str:
    name, known = _identifier(node, "suite", first_line), sorted({suite.id for suite in published()})
    if name not in known:
        line = node.start_mark.line + first_line
        raise BlockError("suite_unknown", f"no suite {name[:40]!r} is published; there are {', '.join(known)}", line)
    return name


def _relation(text: str, definition: MetricDefinition, line: int) -> Relation:
    kind = definition.kind
    if text == "within tolerance":
        if kind != "numerics":
            raise BlockError("relation_unfit", f'"{text}" is for max_relative_error, not {definition.metric}', line)
        return WithinTolerance(kind="within_tolerance")
    factor, percent = _FACTOR.fullmatch(text), _PERCENT.fullmatch(text)
    if factor is None and percent is None:
        raise BlockError("relation_invalid", f"{text[:60]!r} is not a relation; there are {_FORMS}", line)
    if kind == "numerics":
        raise BlockError("relation_unfit", 'claims about max_relative_error say "within tolerance"', line)
    if percent is not None:
        share = float(percent["number"]) / 100
        if not 0 < share < 1:
            raise BlockError("relation_invalid", "a tolerance lies between 0 and 100 %", line)
        if percent["kind"] == "equal":
            return EqualWithin(kind="equal", within=share)
        return NoRegression(kind="no_regression", within=share)
    assert factor is not None
    if kind == "accuracy":
        forms = '"no regression within 2%" or "equal within 2%"'
        raise BlockError("relation_unfit", f"claims about scores say {forms}", line)
    number = float(factor["number"])
    if not 0.01 <= number <= 1000:
        raise BlockError("relation_invalid", "a factor lies between 0.01 and 1000", line)
    if factor["sign"] == "<=":
        if definition.better == "higher":
            detail = f"more {definition.metric} is better, so say how much more: '>= 1.2x baseline'"
            raise BlockError("relation_unfit", detail, line)
        number = 1 / number
    return AtLeast(kind="at_least", factor=number)


def _acceptance(node: yaml.Node | None, first_line: int) -> Acceptance | None:
    if node is None:
        return None
    text = text_of(node, "acceptance", first_line)
    synthetic = _SYNTHETIC.fullmatch(text)
    if text == "none":
        return NoAcceptance(kind="none")
    if text == "natural":
        return NaturalAcceptance(kind="natural")
    if synthetic is not None and float(synthetic["number"]) > 0:
        return SyntheticAcceptance(kind="synthetic", length=float(synthetic["number"]))
    line = node.start_mark.line + first_line
    raise BlockError("acceptance_invalid", "acceptance is none, natural, or 'synthetic 6' with its length", line)


def _numbers(fields: dict[str, yaml.Node], name: str, least: int, first_line: int) -> tuple[int, ...] | None:
    def number(text: str) -> int | None:
        value = int(text) if re.fullmatch("[0-9]{1,16}", text) else -1
        return value if least <= value <= MAX_SAFE_INTEGER else None

    return _values(fields.get(name), name, number, f"whole numbers from {least}", first_line)


def _selector(node: yaml.Node | None, first_line: int) -> CellSelector:
    return _selector_of({} if node is None else mapping_of(node, "cells", _SELECTORS, first_line), first_line)


def _selector_of(fields: dict[str, yaml.Node], first_line: int) -> CellSelector:

    def words(name: str, allowed: Sequence[str]) -> tuple[str, ...] | None:
        return _values(
            fields.get(name), name, lambda text: text if text in allowed else None, ", ".join(allowed), first_line
        )

    phases = words("phase", get_args(Phase))
    kinds = words("speculation", ("none", "natural", "synthetic"))
    return CellSelector(
        batch=_numbers(fields, "batch", 1, first_line),
        tp=_numbers(fields, "tp", 1, first_line),
        cp=_numbers(fields, "cp", 1, first_line),
        context=_numbers(fields, "context", 0, first_line),
        phase=None if phases is None else tuple(one for one in get_args(Phase) if one in phases),
        speculation=None if kinds is None else tuple(one for one in ("none", "natural", "synthetic") if one in kinds),
        task=_values(fields.get("task"), "task", lambda text: text if len(text) <= 200 else None, "names", first_line),
    )


def _values(
    node: yaml.Node | None, name: str, convert: Callable[[str], _Value | None], expected: str, first_line: int
) -> tuple[_Value, ...] | None:
    """One value or a list of distinct values; ``any`` and an absent field are None."""
    if node is None:
        return None
    if isinstance(node, yaml.ScalarNode) and node.value == "any":
        return None
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    line = node.start_mark.line + first_line
    found = []
    for item in items:
        value = convert(item.value) if isinstance(item, yaml.ScalarNode) and item.value else None
        if value is None:
            where = item.start_mark.line + first_line
            raise BlockError("cells_invalid", f"{name} is 'any', or one or several of: {expected}", where)
        found.append(value)
    if not found or len(found) > MAX_VALUES or len(set(found)) != len(found):
        raise BlockError("cells_invalid", f"{name} lists from 1 to {MAX_VALUES} different values", line)
    return tuple(found)


def _repeated(claims: Sequence[Claim]) -> list[ClaimError]:
    errors = []
    ids: set[str] = set()
    contents: set[str] = set()
    for claim in claims:
        content = claim.model_dump_json(exclude={"id", "line", "relation_text"})
        if claim.id in ids:
            errors.append(_error("id_repeated", f"{claim.id} is used twice", claim.line))
        elif content in contents:
            errors.append(_error("claim_repeated", f"{claim.id} says the same as an earlier claim", claim.line))
        ids.add(claim.id)
        contents.add(content)
    return errors


def _failed(code: str, detail: str, line: int) -> ClaimSet:
    return ClaimSet(claims=(), errors=(_error(code, detail, line),))


def _error(code: str, detail: str, line: int) -> ClaimError:
    printable = "".join(character if character.isprintable() else "?" for character in detail)
    return ClaimError(code=code, detail=printable[:1000], line=line)
