"""Documents about the judge say what its code says."""

from pathlib import Path

import pytest

from judge import thresholds
from judge.metrics import METRICS, MetricDefinition
from judge.rules import EFFECTS, RULES
from judge.rules.__main__ import pages, write
from judge.trust import NAMES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def judging() -> str:
    return (DOCS / "judging.md").read_text(encoding="utf-8")


def test_the_rules_pages_are_what_the_registry_says() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "rules").iterdir()}
    assert found == pages(), "run python -m judge.rules --write-docs"
    assert len(found) == len(RULES) + 1


def test_writing_removes_pages_of_rules_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "B-999.md").write_text("gone")
    write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(pages())


@pytest.mark.parametrize("definition", METRICS.values(), ids=lambda one: one.metric)
def test_every_metric_is_defined(definition: object, judging: str) -> None:
    fields = ("unit", "better", "sample", "statistic", "definition")
    row = " | ".join(getattr(definition, name) for name in fields)
    assert f"| `{definition.metric}` | {row} |" in judging  # type: ignore[attr-defined]


@pytest.mark.parametrize("definition", METRICS.values(), ids=lambda one: one.metric)
def test_the_glossary_has_the_same_definition(definition: MetricDefinition) -> None:
    glossary = (DOCS / "glossary.md").read_text(encoding="utf-8")
    words = definition.definition[0].lower() + definition.definition[1:]
    assert f"**`{definition.metric}`**: {words} {definition.better.capitalize()} is better." in glossary


def test_every_limit_is_listed_with_its_value(judging: str) -> None:
    listed = {name: value for name, value in vars(thresholds).items() if name.isupper() and name != "ALPHA"}
    for name, value in listed.items():
        assert f"| `{name}` | {value} |" in judging


def test_effects_and_trust_levels_are_listed(judging: str) -> None:
    for effect, meaning in EFFECTS.items():
        assert f"| {effect} | {meaning} |" in judging
    for level, name in enumerate(NAMES):
        assert f"| {level} {name} |" in judging
