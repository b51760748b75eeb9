"""Trust follows from signature, challenge and findings, and from nothing a bundle says of itself."""

from collections.abc import Callable
from typing import Any

import pytest

from judge import OFFLINE, Context, assess


@pytest.mark.parametrize(
    ("update", "level", "words"),
    [
        ({}, 2, "for a challenge"),
        ({"challenge": None}, 0, "set aside because of C-002"),
        ({"signature": "absent", "node_key_id": None}, 0, "not signed"),
        ({"signature": "unknown_key", "node_key_id": None}, 0, "not registered"),
        ({"signature": "invalid", "node_key_id": None}, 0, "set aside because of C-007"),
        ({"signature": "unchecked", "node_key_id": None}, 0, "not looked up"),
    ],
)
def test_levels(
    update: dict[str, Any],
    level: int,
    words: str,
    specimen: Any,
    collected: Callable[..., Any],
    server_context: Callable[..., Context],
) -> None:
    context = server_context(specimen).model_copy(update=update)
    trust = assess(collected(specimen, context=context)).trust
    assert trust.level == level
    assert words in trust.reason


def test_signed_without_a_challenge_is_level_one(
    specimen: Any, collected: Callable[..., Any], server_context: Callable[..., Context]
) -> None:
    specimen.manifest["challenge"] = None
    context = server_context(specimen).model_copy(update={"challenge": None})
    assert assess(collected(specimen, context=context)).trust.level == 1


def test_imports_stay_at_zero(
    specimen: Any, collected: Callable[..., Any], server_context: Callable[..., Context]
) -> None:
    specimen.manifest["origin"] = {"kind": "imported", "tool": "vllm-bench", "tool_version": "unknown"}
    assert assess(collected(specimen, context=server_context(specimen))).trust.level == 0


def test_offline_nothing_is_looked_up_and_nothing_held_against_the_bundle(
    specimen: Any, collected: Callable[..., Any]
) -> None:
    assessment = assess(collected(specimen, context=OFFLINE))
    assert assessment.trust.level == 0
    assert assessment.validity == "valid"
    assert assessment.findings == ()
