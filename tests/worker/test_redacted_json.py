import json

import pytest

from worker.bundle.redaction import Redactor
from worker.redacted_json import redact_document, redact_lines

TOKEN = "hf_" + "a1B2" * 9


@pytest.fixture
def redactor() -> Redactor:
    return Redactor({"/data/alice": "folder"})


def test_a_clean_document_stays_byte_for_byte(redactor: Redactor) -> None:
    data = b'{ "b": 1.50,\n  "a": ["\\u00e9", null] }\n'
    assert redact_document(data, redactor, where="results") == data
    assert redactor.receipt().masked == ()


def test_values_and_keys_are_masked_and_the_rest_keeps_its_order(redactor: Redactor) -> None:
    data = json.dumps({"z": [f"token {TOKEN}"], "/data/alice/model": {"n": 1.5, "ok": True}}).encode()
    masked = json.loads(redact_document(data, redactor, where="results"))
    assert masked == {"z": ["token [masked hugging_face_token]"], "[masked folder]/model": {"n": 1.5, "ok": True}}
    assert {(m.where, m.kind, m.count) for m in redactor.receipt().masked} == {
        ("results", "hugging_face_token", 1),
        ("results", "folder", 1),
    }


def test_only_the_lines_with_a_secret_are_rewritten(redactor: Redactor) -> None:
    clean = b'{"x":  1}\n'
    data = clean + json.dumps({"x": TOKEN}).encode() + b"\n\n" + clean
    lines = redact_lines(data, redactor, where="samples").splitlines(keepends=True)
    assert (lines[0], lines[2], lines[3]) == (clean, b"\n", clean)
    assert json.loads(lines[1]) == {"x": "[masked hugging_face_token]"}


def test_a_secret_beside_quotes_leaves_json_behind(redactor: Redactor) -> None:
    data = json.dumps({"api_key": "0123456789abcdef", "nested": 'password="0123456789abcdef"'}).encode()
    assert "nested" in json.loads(redact_document(data, redactor, where="results"))


def test_what_is_no_json_is_refused(redactor: Redactor) -> None:
    with pytest.raises(ValueError, match="Expecting"):
        redact_document(b"{", redactor, where="results")
