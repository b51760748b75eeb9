"""The key: total, symmetric, and strict about what a batch achieved."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.comparability import ComparabilityKey, Difference, concurrency_agrees, differing, unverified
from worker.bundle.schema import Metric, Phase

VALID: dict[str, Any] = {
    "metric": "tpot_ms", "metric_version": 1, "phase": "decode", "hardware": "NVIDIA H200", "gpu_count": 8,
    "tensor_parallel": 8, "context_parallel": 1, "model": "k3", "quantization": "mxfp4", "weights_digest": "1" * 64,
    "draft_digest": None, "tokenizer_digest": "2" * 64, "chat_template_digest": None, "acceptance": "natural",
    "acceptance_length": None, "drafts": 7, "speculation_method": "dspark", "context_tokens": None,
    "input_tokens": 1024, "output_tokens": 256, "task": None, "documents": None, "requested_batch": 4,
    "achieved_concurrency": 3.98,
}  # fmt: skip
OTHER: dict[str, Any] = {
    "metric": "itl_ms", "metric_version": 2, "phase": "request", "hardware": "NVIDIA B200", "gpu_count": 16,
    "tensor_parallel": 16, "context_parallel": 2, "model": "k3-small", "quantization": "bf16",
    "weights_digest": "3" * 64, "draft_digest": "4" * 64, "tokenizer_digest": "5" * 64,
    "chat_template_digest": "6" * 64, "acceptance": "synthetic", "acceptance_length": 6.0, "drafts": 3,
    "speculation_method": "ngram", "context_tokens": 8192, "input_tokens": 2048, "output_tokens": 128, "task": "t/f/m",
    "documents": "7" * 64, "requested_batch": 8, "achieved_concurrency": 2.0,
}  # fmt: skip

digests = st.sampled_from(["1" * 64, "2" * 64, "unknown"])
counts = st.one_of(st.integers(1, 64), st.just("unknown"))
keys = st.builds(
    ComparabilityKey,
    metric=st.sampled_from(get_args(Metric)),
    metric_version=st.integers(1, 2),
    phase=st.sampled_from(get_args(Phase)),
    hardware=st.sampled_from(["NVIDIA H200", "unknown"]),
    gpu_count=counts,
    tensor_parallel=counts,
    context_parallel=counts,
    model=st.sampled_from(["k3", "unknown"]),
    quantization=st.sampled_from(["mxfp4", "unknown"]),
    weights_digest=digests,
    draft_digest=st.one_of(digests, st.none()),
    tokenizer_digest=digests,
    chat_template_digest=st.one_of(digests, st.none()),
    acceptance=st.sampled_from(["none", "natural", "synthetic", "unknown"]),
    acceptance_length=st.one_of(st.none(), st.floats(1, 8)),
    drafts=counts,
    speculation_method=st.one_of(st.none(), st.just("dspark")),
    context_tokens=st.one_of(counts, st.none()),
    input_tokens=st.one_of(counts, st.none()),
    output_tokens=st.one_of(counts, st.none()),
    task=st.one_of(st.none(), st.just("t/f/m")),
    documents=st.one_of(digests, st.none()),
    requested_batch=st.one_of(counts, st.none()),
    achieved_concurrency=st.one_of(st.floats(0.1, 64), st.just("unknown"), st.none()),
)


def key(**changed: Any) -> ComparabilityKey:
    return ComparabilityKey(**{**VALID, **changed})


def fields(first: ComparabilityKey, second: ComparabilityKey) -> list[str]:
    return [one.field for one in differing(first, second)]


@given(keys, keys)
def test_exchanging_the_keys_exchanges_the_sides(first: ComparabilityKey, second: ComparabilityKey) -> None:
    forth, back = differing(first, second), differing(second, first)
    assert [(one.field, one.a, one.b) for one in forth] == [(one.field, one.b, one.a) for one in back]


@given(keys, keys)
def test_every_pair_is_comparable_or_names_fields(first: ComparabilityKey, second: ComparabilityKey) -> None:
    named = set(fields(first, second))
    assert named <= set(ComparabilityKey.model_fields)
    unequal = {name for name in VALID if getattr(first, name) != getattr(second, name)}
    # Only the achieved concurrency has a tolerance, and only it can differ from itself (it was not reached).
    assert named - {"achieved_concurrency"} == unequal - {"achieved_concurrency"}
    assert not named & set(unverified(first, second)) - {"achieved_concurrency"}


@given(keys)
def test_a_key_agrees_with_itself_unless_its_batch_was_not_reached(one: ComparabilityKey) -> None:
    assert set(fields(one, one)) <= {"achieved_concurrency"}


@pytest.mark.parametrize("name", VALID)
def test_every_field_takes_part(name: str) -> None:
    assert set(VALID) == set(ComparabilityKey.model_fields) == set(OTHER)
    assert name in fields(key(), key(**{name: OTHER[name]}))


def test_two_in_flight_against_four() -> None:
    first = key(requested_batch="unknown", achieved_concurrency=2.0)
    second = key(requested_batch="unknown", achieved_concurrency=4.0)
    assert differing(first, second) == (Difference(field="achieved_concurrency", a="2.00", b="4.00"),)


def test_requested_four_but_achieved_two_in_one_arm() -> None:
    found = differing(key(achieved_concurrency=2.04), key(achieved_concurrency=4.0))
    assert found == (Difference(field="achieved_concurrency", a="2.04 of 4 requested", b="4.00 of 4 requested"),)


def test_falling_short_alike_is_not_the_batch_either() -> None:
    assert fields(key(achieved_concurrency=2.0), key(achieved_concurrency=2.0)) == ["achieved_concurrency"]


def test_a_tolerance_of_ten_per_cent() -> None:
    assert concurrency_agrees(3.6, 4.0)
    assert not concurrency_agrees(3.59, 4.0)
    assert fields(key(achieved_concurrency=3.7), key(achieved_concurrency=4.0)) == []


def test_unknown_is_shown_and_not_assumed() -> None:
    first, second = key(weights_digest="unknown"), key(weights_digest="unknown")
    assert fields(first, second) == []
    assert unverified(first, second) == ("weights_digest",)
    assert fields(first, key()) == ["weights_digest"]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"gpu_count": 16}, "gpu_count"),
        ({"acceptance": "synthetic", "acceptance_length": 6.0}, "acceptance"),
        ({"phase": "request", "metric": "e2e_ms"}, "phase"),
        ({"weights_digest": "9" * 64}, "weights_digest"),
    ],
)
def test_unlike_things_are_refused_by_name(changed: dict[str, Any], field: str) -> None:
    assert field in fields(key(), key(**changed))
