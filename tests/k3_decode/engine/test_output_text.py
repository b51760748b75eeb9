import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3_decode.engine.output_text import OutputText
from k3_decode.engine.tokenizer import ByteTokenizer

TOKENIZER = ByteTokenizer(512)


def run(ids, stop=()):
    output = OutputText(TOKENIZER, stop=stop)
    pieces = []
    for token in ids:
        stopped = output.push(token)
        pieces.append(output.take())
        if stopped:
            break
    output.finish()
    pieces.append(output.take())
    return output, pieces


few_letters = st.lists(st.sampled_from([*b"ab", *"é".encode(), 300]), max_size=30)
stop_strings = st.lists(st.text(alphabet="abé", min_size=1, max_size=4), max_size=3)


@given(few_letters, stop_strings)
def test_pieces_join_to_the_text_cut_before_the_first_stop_string(ids, stop):
    output, pieces = run(ids, stop)
    whole = TOKENIZER.decode(ids)
    found = [index for each in stop if (index := whole.find(each)) >= 0]
    assert "".join(pieces) == output.text
    if output.stopped_by is None:
        assert output.text == whole
        assert not found
    else:
        # A stop string ends the answer when it is complete, so a longer one that begins earlier may lose.
        cut = len(output.text)
        assert whole.startswith(output.stopped_by, cut)
        assert not any(each in whole[: cut + len(output.stopped_by) - 1] for each in stop)


@given(few_letters, stop_strings)
def test_no_piece_ever_shows_what_a_stop_string_takes_back(ids, stop):
    output, pieces = run(ids, stop)
    shown = ""
    for piece in pieces:
        shown += piece
        assert output.text.startswith(shown)


@pytest.mark.parametrize(
    ("text", "stop", "expected", "by"),
    [
        ("one END two", ["END"], "one ", "END"),
        ("aaab", ["aab"], "a", "aab"),
        ("xy", ["y", "xy"], "", "xy"),
        ("你好吗", ["好"], "你", "好"),
        ("abc", ["x"], "abc", None),
        ("ab", ["abc"], "ab", None),
        ("END", ["END"], "", "END"),
    ],
)
def test_stop_strings(text, stop, expected, by):
    output, _ = run(TOKENIZER.encode(text), stop)
    assert (output.text, output.stopped_by) == (expected, by)


def test_only_a_possible_beginning_is_held_back():
    output = OutputText(TOKENIZER, stop=["END"])
    shown = []
    for token in b"aENxEND":
        output.push(token)
        shown.append(output.take())
    assert shown == ["a", "", "", "ENx", "", "", ""]


def test_a_cut_character_is_shown_at_the_end_only():
    output, pieces = run("é".encode()[:1])
    assert pieces == ["", "\ufffd"]
    assert output.text == "\ufffd"
