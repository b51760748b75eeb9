"""Hostile text, rendered by a real CommonMark parser: it must come out as the characters it is, and nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from judge import markdown as text
from judge.markdown import Markdown

BREAK = "\u200b"
GITHUB_FINDS = re.compile(r"(?i)[@#]\w|\bgh-\d|://|\bwww\.")
"""What GitHub turns into a mention, a reference or a link after Markdown."""

HOSTILE = {
    "mention": ("ping @octocat and @org/team", f"ping @{BREAK}octocat and @{BREAK}org/team"),
    "email": ("kim@example.org", f"kim@{BREAK}example.org"),
    "issue reference": ("fixes #12, GH-3", f"fixes #{BREAK}12, GH-{BREAK}3"),
    "cross reference": ("octo/hello#7", f"octo/hello#{BREAK}7"),
    "table break-out": ("a | b | c |", "a | b | c |"),
    "escaped pipe": ("a \\| b \\\\| c", "a \\| b \\\\| c"),
    "new row": ("a |\n| b | c |", "a | | b | c |"),
    "html": ("<script>alert(1)</script><img src=x onerror=y>", "<script>alert(1)</script><img src=x onerror=y>"),
    "comment": ("<!-- byogpu:check:x -->", "<!-- byogpu:check:x -->"),
    "entity": ("&lt;b&gt; &#64;octocat", f"&lt;b&gt; &#{BREAK}64;octocat"),
    "link": ("[click](https://evil.example)", f"[click](https:{BREAK}//evil.example)"),
    "bare link": ("see https://evil.example/x", f"see https:{BREAK}//evil.example/x"),
    "www": ("see www.evil.example", f"see www{BREAK}.evil.example"),
    "image": ("![x](https://evil.example/t.png)", f"![x](https:{BREAK}//evil.example/t.png)"),
    "autolink": ("<https://evil.example>", f"<https:{BREAK}//evil.example>"),
    "reference": ("[a]: https://evil.example", f"[a]: https:{BREAK}//evil.example"),
    "emphasis": ("**pass** _ok_ ~~no~~ `x`", "**pass** _ok_ ~~no~~ `x`"),
    "heading": ("# Approved", "# Approved"),
    "setext": ("===", "==="),
    "rule": ("---", "---"),
    "quote": ("> [!NOTE]", "> [!NOTE]"),
    "list": ("- [x] merged", "- [x] merged"),
    "plus list": ("+ one", "+ one"),
    "numbered list": ("1. one", "1. one"),
    "numbered list too": ("1) one", "1) one"),
    "fence": ("```\ncode", "``` code"),
    "tilde fence": ("~~~", "~~~"),
    "math": ("$x$", "$x$"),
    "indented code": ("    code", "code"),
    "ansi": ("\x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x07link\x1b]8;;\x07", "red link"),
    "controls": ("a\x00b\x07c\x7fd\x9be", "abcde"),
    "bidi": ("\u202egpj.exe\u2066x\u2069", "gpj.exex"),
    "invisible": ("pa\u200bss\ufeff\u00ad", "pass"),
    "separators": ("a\u2028b\u2029c\u00a0d\r\ne", "a b c d e"),
    "lone surrogate": ("a\ud800b", "a\ufffdb"),
    "plain": ("decode is 1.8x faster (p50)", "decode is 1.8x faster (p50)"),
}


class Seen(HTMLParser):
    """Collects the tags and the text of rendered HTML."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.words = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words += data


def render(markdown):
    """Render as GitHub does as far as it matters: raw HTML passes, tables and strike-through are on."""
    return Seen(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_shows_as_itself(case):
    raw, shown = HOSTILE[case]
    seen = render(text.escape(raw))
    assert (seen.tags, seen.words.strip()) == (["p"], shown)
    assert not GITHUB_FINDS.search(seen.words)


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_on_its_own_line_leaves_the_lines_around_it_alone(case):
    raw, shown = HOSTILE[case]
    seen = render(f"before\n{text.escape(raw)}\nafter")
    assert (seen.tags, seen.words.split("\n")[:3]) == (["p"], ["before", shown, "after"])


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("make", [text.escape, text.code])
def test_hostile_text_stays_in_its_cell(case, make):
    cell = make(HOSTILE[case][0])
    seen = render(text.table([Markdown("a"), Markdown("b")], [[cell, Markdown("end")], [Markdown("x"), cell]]))
    assert [tag for tag in seen.tags if tag != "code"] == [
        *("table", "thead", "tr", "th", "th", "tbody"),
        *("tr", "td", "td") * 2,
    ]


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_stays_in_its_code_block(case):
    seen = render(f"before\n\n{text.preformatted(HOSTILE[case][0])}\n\nafter")
    assert seen.tags == ["p", "pre", "code", "p"]


@given(st.text())
def test_any_text_is_one_paragraph_of_its_own_characters(raw):
    seen = render(text.escape(raw))
    assert seen.tags in ([], ["p"])
    assert seen.words.strip().replace(BREAK, "") == text.plain(raw)
    assert not GITHUB_FINDS.search(seen.words)


@given(st.text(alphabet="`|\\ab<@#*_[]() \n$&"), st.text(alphabet="`|\\a\n"))
def test_any_text_in_a_table_keeps_the_table(first, second):
    row = [text.escape(first), text.code(second), Markdown("end")]
    seen = render(text.table([Markdown("a"), Markdown("b"), Markdown("c")], [row]))
    assert (seen.tags.count("td"), seen.tags.count("tr"), seen.tags.count("th")) == (3, 2, 3)
    assert set(seen.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}


@given(st.text(alphabet="`~ab\n \t"))
def test_any_text_in_a_code_block_cannot_leave_it(raw):
    seen = render(text.preformatted(raw) + "\n\n# after")
    assert seen.tags == ["pre", "code", "h1"]


def test_escaped_text_as_it_is_sent():
    assert text.escape("1. <b>@kim</b> | #3 *x*") == (
        f"1&#46; &#60;b&#62;@{BREAK}kim&#60;/b&#62; &#124; &#35;{BREAK}3 &#42;x&#42;"
    )
    assert text.escape(":--") == "&#58;--"  # under a line of text, GitHub's parser takes it for a table's second line


def test_a_table_as_it_is_sent():
    rows = [[text.code("k3-tiny"), text.escape("a|b")]]
    assert text.table([Markdown("suite"), Markdown("note")], rows) == (
        "| suite | note |\n| --- | --- |\n| `k3-tiny` | a&#124;b |"
    )


@pytest.mark.parametrize(
    ("raw", "made"), [("", ""), ("a b", "`a b`"), ("a`b", "a&#96;b"), ("a|b", "a&#124;b"), ("a\\", "`a\\`")]
)
def test_code_is_a_span_where_nothing_can_end_it(raw, made):
    assert text.code(raw) == made


@pytest.mark.parametrize("cells", [["one"], ["a|b", "c"], ["a\nb", "c"]])
def test_a_table_refuses_cells_that_would_break_it(cells):
    with pytest.raises(ValueError, match="cell"):
        text.table([Markdown("a"), Markdown("b")], [[Markdown(cell) for cell in cells]])


def test_a_link_shows_its_label_and_leads_to_its_address():
    made = text.link("bundle ](https://evil.example) [x", "https://byogpu.example/b/(1)?a=1&b=2")
    html = MarkdownIt("commonmark").render(made)
    assert re.findall(r'href="([^"]*)"', html) == ["https://byogpu.example/b/%281%29?a=1&amp;b=2"]
    assert f"bundle ](https:{BREAK}//evil.example) [x</a>" in html


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "https://",
        "https://a b",
        "https://a\nb",
        "https://a>b",
        "https://a|b",
        "https://[bad",
    ],
)
def test_a_link_to_anything_else_is_refused(url):
    with pytest.raises(ValueError, match=r"."):
        text.link("label", url)


def test_shorten_counts_characters_and_says_that_it_cut():
    assert text.shorten("abc", 3) == "abc"
    assert text.shorten("abcd", 3) == "ab…"


def test_fit_leaves_what_fits():
    exactly = "é" * 500
    assert text.fit(exactly, 1000) == exactly


@pytest.mark.parametrize("unit", ["a line\n", "é", "&#124;", "x" * 400 + "\n"])
def test_fit_cuts_to_bytes_visibly(unit):
    whole = unit * (3000 // len(unit.encode()))
    cut = text.fit(whole, 1000)
    assert 500 < len(cut.encode()) <= 1000
    assert f"has {len(whole.encode()):,}" in cut
    kept = cut.partition("\n\n*Cut here")[0]
    assert whole.startswith(kept)
    assert not re.search(r"&[^;]*$", kept)


def test_fit_closes_an_open_code_block_before_its_note():
    whole = "intro\n\n" + text.preformatted("```\n" + "log line\n" * 500) + "\n\nafter"
    seen = render(text.fit(whole, 1000))
    assert seen.tags == ["p", "pre", "code", "p", "em"]


@given(st.text(alphabet="`a\n", max_size=600), st.integers(200, 400))
def test_fit_always_fits_and_its_note_is_always_read(whole, limit):
    cut = text.fit(whole, limit)
    assert len(cut.encode()) <= limit
    if cut != whole:
        assert render(cut).tags[-1] == "em"


def test_fit_needs_room_for_its_note():
    with pytest.raises(ValueError, match="no room"):
        text.fit("x", 199)


@given(st.text())
def test_plain_text_is_printable_and_stays_as_it_is(raw):
    assert text.plain(raw).isprintable()
    assert text.plain(text.plain(raw)) == text.plain(raw)
