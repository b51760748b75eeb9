"""The rules as a user lists them."""

from judge.rules import RULES


def test_every_rule_is_listed_for_programs(byogpu):
    listed = byogpu("rules", "--json")
    assert listed.code == 0, listed.err
    assert [rule["id"] for rule in listed.document["rules"]] == [rule.id for rule in RULES]
    assert len(listed.document["rules"]) >= 60
    assert {"severity", "version", "hint", "why"} <= set(listed.document["rules"][0])
    assert len(listed.document["edition"]) == 64


def test_one_rule_is_explained_and_an_unknown_one_is_a_mistake(byogpu):
    explained = byogpu("rules", "E-016")
    assert explained.code == 0
    assert explained.out.startswith("E-016: ")
    assert "What to do: " in explained.out
    assert [rule["id"] for rule in byogpu("rules", "E-016", "--json").document["rules"]] == ["E-016"]
    unknown = byogpu("rules", "Z-999", "--json")
    assert (unknown.code, unknown.document["error"]["code"]) == (2, "usage")
