"""The grammar takes what is documented and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.conversation.grammar import USAGE, Again, Cancel, Explain, Help, Run, Status, Unknown, Unwaive, Waive, parse
from server.heard import MAX_WORDS_CHARS, PREFIX, first_line

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("words", "request_"),
    [
        ("/byogpu", Help()),
        ("/byogpu help", Help()),
        ("/byogpu run", Run()),
        ("/byogpu run smoke", Run("smoke")),
        ("/byogpu run smoke/2", Run("smoke/2")),
        (f"/byogpu run at {SHA}", Run(None, SHA)),
        (f"/byogpu run smoke/1 at {SHA}", Run("smoke/1", SHA)),
        ("/byogpu again", Again()),
        ("/byogpu status", Status()),
        ("/byogpu cancel", Cancel()),
        ("/byogpu cancel j-0123456789abcdef", Cancel("j-0123456789abcdef")),
        ("/byogpu explain", Explain()),
        ("/byogpu explain P-001", Explain("P-001")),
        ("/byogpu waive E-003 because the fan, it was loud", Waive("E-003", "the fan, it was loud")),
        ("/byogpu waive E-003 because  twice  spaced ", Waive("E-003", "twice  spaced")),
        ("/byogpu unwaive E-003", Unwaive("E-003")),
    ],
)
def test_a_command(words, request_):
    assert parse(words) == request_


@pytest.mark.parametrize(
    "words",
    [
        "/byogpu Run",
        "/byogpu waive",
        "/byogpu waive E-003",
        "/byogpu waive E-003 because",
        "/byogpu waive E-003 because  ",
        "/byogpu waive E-003 it was loud",
        "/byogpu waive everything because I say so",
        "/byogpu unwaive",
        "/byogpu unwaive all",
        "/byogpu  run",
        "/byogpu run ",
        "/byogpu run smoke at",
        "/byogpu run smoke at main",
        "/byogpu run at 0123456",
        f"/byogpu run at {SHA.upper()}",
        f"/byogpu run smoke {SHA}",
        "/byogpu run ../../etc",
        "/byogpu run smoke; rm -rf /",
        "/byogpu run smoke\trun",
        "/byogpu status now",
        "/byogpu cancel all",
        "/byogpu explain p-001",
        "/byogpu explain P-001 P-002",
        "/byogpu approve",
        "/byogpu r\u0443n",
        "/byogpu run smo\u200bke",
    ],
)
def test_what_is_no_command(words):
    assert isinstance(parse(words), Unknown)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("/byogpu run", "/byogpu run"),
        ("/byogpu run\r\nthanks!", "/byogpu run"),
        ("/byogpu", "/byogpu"),
        ("/byogpurun", None),
        (" /byogpu run", None),
        ("\n/byogpu run", None),
        ("> /byogpu run", None),
        ("`/byogpu run`", None),
        ("```\n/byogpu run\n```", None),
        ("<!-- x -->\n/byogpu run", None),
        ("please /byogpu run", None),
        ("LGTM\n/byogpu run", None),
        ("", None),
    ],
)
def test_only_the_first_line_is_a_command_and_nothing_hidden_or_quoted(body, line):
    assert first_line(body) == line


def test_every_documented_command_is_understood():
    for written, _ in USAGE:
        whole = written.replace("[", "").replace("]", "").replace("SUITE", "smoke").replace("SHA", SHA)
        assert not isinstance(parse(whole.replace("JOB", "j-" + "0" * 16).replace("RULE", "B-001")), Unknown), written


@given(st.text(max_size=400))
def test_any_text_is_read_without_a_failure_and_never_kept_whole(text):
    line = first_line(f"{PREFIX} {text}")
    assert line is not None
    assert len(line) <= MAX_WORDS_CHARS
    parse(line)
