import json

import pytest

from worker.errors import EvalError
from worker.identity import MAX_ENTRIES, UNKNOWN_ENGINE, combine, parse_identity


def test_what_decides_answers_is_picked_and_the_rest_is_listed() -> None:
    found = parse_identity(
        json.dumps(
            {
                "model": {"name": "k3-tiny", "mla_layers": [4, 8], "gate": None, "moe": True, "one": 1, "eps": 1e-05},
                "weights": {"sha256": "a" * 64, "over": "config and seed"},
                "tokenizer_sha256": "b" * 64,
                "decode": {"mode": "stock", "standing_reasons": ["decode mode is stock"]},
            }
        ).encode()
    )
    assert (found.model, found.weights_digest, found.tokenizer_digest) == ("k3-tiny", "a" * 64, "b" * 64)
    assert (found.quantization, found.chat_template_digest) == ("unknown", "unknown")
    assert {entry.name: entry.value for entry in found.config} == {
        "decode": "stock",
        "model.eps": "1e-05",
        "model.gate": "null",
        "model.mla_layers": "[4, 8]",
        "model.moe": "true",
        "model.name": "k3-tiny",
        "model.one": "1",
        "tokenizer_sha256": "b" * 64,
        "weights.over": "config and seed",
        "weights.sha256": "a" * 64,
    }


def test_an_empty_identity_is_unknown_throughout() -> None:
    found = parse_identity(b"{}")
    assert (found.model, found.weights_digest, found.config) == ("unknown", "unknown", ())


@pytest.mark.parametrize("digest", ["A" * 64, "a" * 63, 5, None, ["a" * 64]])
def test_what_is_no_digest_is_unknown(digest: object) -> None:
    assert parse_identity(json.dumps({"weights": {"sha256": digest}}).encode()).weights_digest == "unknown"


def test_hostile_text_becomes_printable_and_short() -> None:
    found = parse_identity(json.dumps({"model": {"name": "k3\n\u202e" + "x" * 300}, "y" * 300: "\u0000"}).encode())
    assert found.model == "k3??" + "x" * 196
    assert max(len(entry.name) for entry in found.config) == 200
    assert "?" in {entry.value for entry in found.config}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"a": 1, "a": 2}',
        b'{"a": NaN}',
        b"[" * 100_000,
        json.dumps(dict.fromkeys(map(str, range(MAX_ENTRIES + 1)))).encode(),
    ],
)
def test_what_is_no_identity_is_refused(data: bytes) -> None:
    with pytest.raises(EvalError, match="answer_invalid"):
        parse_identity(data)


def test_an_engine_is_who_every_eval_says_it_is() -> None:
    session = parse_identity(json.dumps({"model": {"name": "k3-tiny"}, "weights": {"sha256": "a" * 64}}).encode())
    server = parse_identity(
        json.dumps({"model": {"name": "k3-tiny"}, "weights": {"sha256": "b" * 64}, "engine": {"slots": 4}}).encode()
    )
    both = combine([session, server])
    assert (both.model, both.weights_digest) == ("k3-tiny", "unknown")
    assert both.config == server.config
    assert combine([session]) == session
    assert combine([]) == UNKNOWN_ENGINE
