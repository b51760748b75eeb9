"""The claims block: what it says, and what is said of every way to get it wrong."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from judge.claim import MAX_CLAIMS, AtLeast, EqualWithin, NoRegression, WithinTolerance
from judge.claims import parse_block, parse_claims

BODY = """Makes decode faster.

```byogpu-claims
- id: decode-speed
  metric: step_latency_us
  cells: {batch: [1, 4], tp: 8, context: any, phase: decode}
  relation: ">= 1.6x baseline"
  acceptance: synthetic 6
  suite: standard
- id: accuracy
  metric: score
  cells:
    task: [gsm8k, "gpqa/none/acc"]
  relation: equal within 2%
```
"""


def block(text: str) -> str:
    return f"```byogpu-claims\n{text}\n```"


def claim(**fields: Any) -> str:
    known = {"id": "a", "metric": "e2e_ms", "relation": '">= 1.2x baseline"', **fields}
    return "- " + "\n  ".join(f"{name}: {value}" for name, value in known.items() if value is not None)


def test_a_block_becomes_claims() -> None:
    found = parse_claims(BODY)
    assert found.errors == ()
    first, second = found.claims
    assert (first.id, first.metric, first.line, first.suite) == ("decode-speed", "step_latency_us", 4, "standard")
    assert (first.cells.batch, first.cells.tp, first.cells.context, first.cells.phase) == (
        (1, 4),
        (8,),
        None,
        ("decode",),
    )
    assert first.relation == AtLeast(kind="at_least", factor=1.6)
    assert first.acceptance is not None
    assert first.acceptance.model_dump() == {"kind": "synthetic", "length": 6.0}
    assert second.cells.task == ("gsm8k", "gpqa/none/acc")
    assert second.relation == EqualWithin(kind="equal", within=0.02)
    assert second.line == 10


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Nothing here.",
        "```yaml\n- id: a\n```",
        "Claims go into `byogpu-claims`.",
        f"````text\n{BODY}\n````",
        f"<!-- fill this in:\n{BODY}\n-->",
    ],
)
def test_no_block_is_no_claim_and_no_error(body: str) -> None:
    assert parse_claims(body).model_dump() == {"claims": (), "errors": (), "scope": None}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(newline: str) -> None:
    assert parse_claims(BODY.replace("\n", newline)) == parse_claims(BODY)


def test_longer_and_other_fences() -> None:
    assert len(parse_claims(BODY.replace("```", "`````")).claims) == 2
    assert len(parse_claims(BODY.replace("```", "~~~")).claims) == 2


@pytest.mark.parametrize(
    ("metric", "relation", "expected"),
    [
        ("step_latency_us", ">= 1.6x baseline", AtLeast(kind="at_least", factor=1.6)),
        ("step_latency_us", "<= 0.5x baseline", AtLeast(kind="at_least", factor=2.0)),
        ("output_tokens_per_s", ">=1.25x baseline", AtLeast(kind="at_least", factor=1.25)),
        ("ttft_ms", "no regression within 3%", NoRegression(kind="no_regression", within=0.03)),
        ("score", "no regression within 0.5 %", NoRegression(kind="no_regression", within=0.005)),
        ("tpot_ms", "equal within 2%", EqualWithin(kind="equal", within=0.02)),
        ("max_relative_error", "within tolerance", WithinTolerance(kind="within_tolerance")),
    ],
)
def test_relations(metric: str, relation: str, expected: object) -> None:
    found = parse_block(claim(metric=metric, relation=f'"{relation}"'))
    assert found.errors == ()
    assert found.claims[0].relation == expected
    assert found.claims[0].relation_text == relation


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("x\n```byogpu-claims\n- id: a", "block_unclosed", 2),
        (BODY.replace("byogpu-claims", "byogpu-claim"), "fence_invalid", 3),
        (BODY.replace("byogpu-claims", "yaml BYOGPU_claims"), "fence_invalid", 3),
        (BODY.replace("byogpu-claims", "byogpu-claims speed"), "fence_invalid", 3),
        ("\n".join(f"> {line}" for line in BODY.split("\n")), "block_nested", 3),
        (BODY.replace("```byogpu", "1. ```byogpu"), "block_nested", 3),
        (BODY.replace("```byogpu", "    ```byogpu"), "block_nested", 3),
        (f"{BODY}\n{BODY}", "block_repeated", 19),
        (block("x" * 20_000), "block_too_large", 2),
        (block(""), "not_a_list", 2),
        (block("id: a"), "not_a_list", 2),
        (block("[]"), "not_a_list", 2),
        (block("- id: [a"), "yaml_invalid", 2),
        (block("- {id: a}\n--- \n- {id: b}"), "yaml_invalid", 3),
        (block("\x00"), "yaml_invalid", 2),
        (block("[" * 50), "yaml_invalid", 2),
        (block("- &x {id: a}\n- *x"), "yaml_alias", 2),
        (block("- {id: a, <<: *x}"), "yaml_alias", 2),
        (block("- !!python/object/apply:os.system [ls]"), "yaml_tag", 2),
        (block("- !!str a"), "yaml_tag", 2),
        (block("\n".join(claim(id=f"a{n}") for n in range(MAX_CLAIMS + 1))), "too_many_claims", 2),
        (block("- 7"), "not_a_mapping", 2),
        (block("- {1: 2}"), "field_unknown", 2),
        (block(claim(metrik="x")), "field_unknown", 5),
        (block(claim() + "\n  id: b"), "field_repeated", 5),
        (block(claim(relation=None)), "field_missing", 2),
        (block(claim(id="Not An Id")), "id_invalid", 2),
        (block(claim(id="[a]")), "not_a_text", 2),
        (block(claim(id='""')), "not_a_text", 2),
        (block(claim(suite="../x")), "id_invalid", 5),
        (block(claim(suite="nightly")), "suite_unknown", 5),
        (block(claim(metric="latency")), "metric_unknown", 3),
        (block(claim(relation="faster")), "relation_invalid", 4),
        (block(claim(relation='"> 1.2x baseline"')), "relation_invalid", 4),
        (block(claim(relation='">= 1.2"')), "relation_invalid", 4),
        (block(claim(relation='">= 0x baseline"')), "relation_invalid", 4),
        (block(claim(relation='">= 1e9x baseline"')), "relation_invalid", 4),
        (block(claim(relation='">= 99999x baseline"')), "relation_invalid", 4),
        (block(claim(relation="no regression within 0%")), "relation_invalid", 4),
        (block(claim(relation="equal within 100%")), "relation_invalid", 4),
        (block(claim(relation=">= 1.2x baseline")), "yaml_invalid", 4),
        (block(claim(metric="score")), "relation_unfit", 4),
        (block(claim(metric="requests_per_s", relation='"<= 2x baseline"')), "relation_unfit", 4),
        (block(claim(metric="max_relative_error")), "relation_unfit", 4),
        (block(claim(relation="within tolerance")), "relation_unfit", 4),
        (block(claim(acceptance="synthetic")), "acceptance_invalid", 5),
        (block(claim(acceptance="synthetic 0")), "acceptance_invalid", 5),
        (block(claim(cells="{batch: 0}")), "cells_invalid", 5),
        (block(claim(cells="{batch: 1.5}")), "cells_invalid", 5),
        (block(claim(cells="{batch: -1}")), "cells_invalid", 5),
        (block(claim(cells="{batch: [1, 1]}")), "cells_invalid", 5),
        (block(claim(cells="{batch: []}")), "cells_invalid", 5),
        (block(claim(cells="{batch: [[1]]}")), "cells_invalid", 5),
        (block(claim(cells="{batch: 99999999999999999999}")), "cells_invalid", 5),
        (block(claim(cells="{phase: night}")), "cells_invalid", 5),
        (block(claim(cells="{gpu: 1}")), "field_unknown", 5),
        (block(claim(cells="all")), "not_a_mapping", 5),
        (block(claim() + "\n" + claim(metric="ttft_ms")), "id_repeated", 5),
        (block(claim() + "\n" + claim(id="b")), "claim_repeated", 5),
    ],
)
def test_every_mistake_has_its_code_and_line(body: str, code: str, line: int) -> None:
    found = parse_claims(body)
    assert [(one.code, one.line) for one in found.errors] == [(code, line)]
    assert found.claims == ()


def test_one_mistake_spoils_the_block_and_every_mistake_is_named() -> None:
    found = parse_claims(block(f"{claim()}\n{claim(id='B')}\n{claim(id='c', metric='x')}"))
    assert found.claims == ()
    assert [one.code for one in found.errors] == ["id_invalid", "metric_unknown"]


def test_an_unquoted_relation_gets_a_hint() -> None:
    assert "needs quotes" in parse_claims(block(claim(relation=">= 1.2x baseline"))).errors[0].detail


def test_a_claim_repeated_in_other_words_is_repeated() -> None:
    other = claim(id="b", relation='"<= 0.5x baseline"')
    found = parse_claims(block(claim(relation='">= 2x baseline"') + "\n" + other))
    assert [one.code for one in found.errors] == ["claim_repeated"]


@given(st.text(max_size=300))
def test_no_text_breaks_the_parser(text: str) -> None:
    for body in (
        text,
        block(text),
        block(f"- id: a\n  metric: e2e_ms\n  relation: {text}"),
        block(f"- {{id: {text}}}"),
    ):
        found = parse_claims(body)
        assert not (found.claims and found.errors)
        found.model_dump_json()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    )
)
def test_no_value_breaks_the_parser(value: Any) -> None:
    found = parse_block(yaml.safe_dump([value]))
    assert found.claims == ()
    assert found.errors
