import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.bundle import BundleError, canonical, check_json, digest, digest_stream

# Whole floats from 2^53 up are written as integers, which a plain JSON reader takes for unsafe ones; records know
# that the field is a float (see test_schema).
finite = st.floats(min_value=-1e15, max_value=1e15)
integers = st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
text = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | integers | finite | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_canonical_json_parses_back_to_the_same_value_and_is_a_fixed_point(value):
    data = canonical(value)
    assert json.loads(data) == value
    assert canonical(check_json(data)) == data


def test_canonical_json_follows_rfc_8785():
    # Sorting is by UTF-16 code units; numbers are ECMAScript's.
    value = {"\u20ac": 1e30, "\r": 4.50, "1": [2e-3, 1e-27, 333333333.33333329], "\U0001f602": None, "ö": 10.0}
    expected = '{"\\r":4.5,"1":[0.002,1e-27,333333333.3333333],"ö":10,"€":1e+30,"😂":null}'
    assert canonical(value).decode() == expected


@pytest.mark.parametrize("value", [2**53, -(2**60), float("nan"), float("inf"), "\ud800"])
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(BundleError) as caught:
        canonical([value])
    assert caught.value.code == "not_canonical"


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b'{"a":1,"a":2}', "duplicate key"),
        (b'{"a":{"b":1,"b":1}}', "duplicate key"),
        (b"[NaN]", "not a finite number"),
        (b"[-Infinity]", "not a finite number"),
        (b"[" * 200_000, "deep"),
        (b'["\xff"]', "not UTF-8"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b"{", ""),
        (b"", ""),
        (b"1" * 5_000, "digits"),
    ],
)
def test_strict_parsing_refuses(data, complaint):
    with pytest.raises(BundleError) as caught:
        check_json(data)
    assert caught.value.code == "json_invalid"
    assert complaint.lower() in caught.value.detail.lower()


def test_stream_and_bytes_have_the_same_digest():
    data = bytes(range(256)) * 9_000
    assert digest_stream(io.BytesIO(data)) == (digest(data), len(data))
