"""Escaping, as a property: whatever goes in, nothing active comes out."""

import re

from hypothesis import given
from hypothesis import strategies as st

from judge.markdown import code, escape, fit, plain, table

_NASTY = "ab1 |<>`*_[]()#@!~$&\\\n\r\t:/-=+.\x1b\u202e\u200d"
nasty = st.text(alphabet=st.sampled_from(_NASTY), max_size=60)


@given(nasty)
def test_escaped_text_is_one_inactive_line(text: str) -> None:
    shown = escape(text)
    assert "\n" not in shown
    assert not set(re.sub(r"&#\d+;", "", shown)) & set("|<>`*_[]()~$\\")
    assert not re.search(r"@\w", shown)


@given(st.lists(nasty, min_size=2, max_size=2))
def test_no_cell_breaks_out_of_its_table(cells: list[str]) -> None:
    made = table([escape("a"), escape("b")], [[escape(cells[0]), code(cells[1])]])
    assert [line.count("|") for line in made.split("\n")] == [3, 3, 3]


@given(nasty)
def test_plain_text_is_printable(text: str) -> None:
    assert plain(text).isprintable()
    assert plain(plain(text)) == plain(text)


@given(st.text(max_size=3000), st.integers(200, 1500))
def test_cut_text_fits(text: str, room: int) -> None:
    assert len(fit(text, room).encode(errors="replace")) <= max(room, 0)
