import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3_decode.engine.tokenizer import SPECIAL_TOKENS, ByteTokenizer, IncrementalDecoder, TokenizerError

TOKENIZER = ByteTokenizer(512)
any_text = st.text()
any_ids = st.lists(st.integers(0, 511), max_size=40)


@given(any_text)
def test_text_survives_the_round_trip(text):
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


@given(any_text)
def test_special_spellings_stay_bytes_when_asked(text):
    spelled = "".join(SPECIAL_TOKENS) + text
    assert TOKENIZER.encode(spelled, special=False) == list(spelled.encode())


def test_special_spellings_become_single_ids():
    assert TOKENIZER.encode("a<|eos|>b<|300|>") == [97, 257, 98, *b"<|300|>"]
    assert [TOKENIZER.special_id(token) for token in SPECIAL_TOKENS] == list(range(256, 262))
    assert (TOKENIZER.bos_id, TOKENIZER.eos_id, TOKENIZER.pad_id) == (256, 257, 258)


@given(any_ids)
def test_incremental_decoding_equals_decoding_at_once(ids):
    decoder = IncrementalDecoder(TOKENIZER)
    assert "".join(map(decoder.push, ids)) + decoder.finish() == TOKENIZER.decode(ids)


@pytest.mark.parametrize("text", ["né", "你好", "😀", "🇨🇭"])
def test_a_character_appears_with_its_last_byte(text):
    decoder = IncrementalDecoder(TOKENIZER)
    pieces = [decoder.push(token) for token in TOKENIZER.encode(text)]
    assert "".join(pieces) == text
    assert all("\ufffd" not in piece for piece in pieces)
    assert decoder.finish() == ""


def test_a_cut_character_becomes_the_replacement_at_the_end():
    decoder = IncrementalDecoder(TOKENIZER)
    assert [decoder.push(token) for token in "é".encode()[:1]] == [""]
    assert decoder.finish() == "\ufffd"


def test_every_id_has_a_printable_name_of_its_own():
    names = [TOKENIZER.printable(token) for token in range(512)]
    assert len(set(names)) == 512
    assert names[0xE2] == "bytes:\\xe2"
    assert names[300] == "<|300|>"


def test_lone_surrogates_are_refused():
    for special in (True, False):
        with pytest.raises(TokenizerError, match="Unicode"):
            TOKENIZER.encode("a\ud800", special=special)


@pytest.mark.parametrize("token", [-1, 512])
def test_ids_outside_the_vocabulary_are_refused(token):
    with pytest.raises(TokenizerError, match=r"0\.\.511"):
        TOKENIZER.decode([token])


def test_a_vocabulary_must_hold_bytes_and_special_tokens():
    assert ByteTokenizer(262).vocab_size == 262
    with pytest.raises(TokenizerError, match="262"):
        ByteTokenizer(261)


def test_the_digest_tells_vocabularies_apart():
    assert TOKENIZER.digest == ByteTokenizer(512).digest
    assert TOKENIZER.digest != ByteTokenizer(8192).digest


def test_a_large_vocabulary_works_the_same():
    large = ByteTokenizer(163_840)
    text = "".join(random.Random(0).choices("aé你😀 \n", k=50))
    assert large.encode(text) == TOKENIZER.encode(text)
    assert large.decode([163_839]) == "<|163839|>"
