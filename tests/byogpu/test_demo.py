"""The demo, as the README tells a newcomer to run it: once to the end, once to look at."""

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

BYOGPU = Path(sys.executable).with_name("byogpu")
CLAIMS = {"decode-faster", "serving-no-slower", "operators-exact", "answers-unchanged"}


def test_demo_runs_the_whole_path_and_says_what_came_out(byogpu):
    ended = byogpu("demo", "--exit", "--json")
    assert ended.code == 0, ended.err
    summary = ended.document
    assert set(summary) >= {"bundle_id", "findings", "verdicts", "check", "urls"}
    assert set(summary["verdicts"]) == CLAIMS
    assert summary["trust"]["level"] == 2, "a registered node followed a challenge"
    # Without a GPU the specialized path refuses, so a claim of speed has no evidence, and the reason is said.
    faster = summary["verdicts"]["decode-faster"]
    assert faster["outcome"] == "no_evidence"
    assert "no CUDA device" in faster["reason"]
    assert summary["verdicts"]["operators-exact"]["outcome"] == "supported"
    assert summary["verdicts"]["answers-unchanged"]["outcome"] == "supported"
    assert "P-002" in {finding["rule_id"] for finding in summary["findings"]}
    assert not {finding["effect"] for finding in summary["findings"]} & {"invalidates", "quarantines", "blocks"}
    assert summary["check"]["conclusion"] != "success"
    assert "no evidence" in summary["check"]["title"]


def test_demo_stays_and_every_page_answers_until_it_is_asked_to_end(home, tmp_path):
    with subprocess.Popen(
        [BYOGPU, "demo", "--json", "--data", tmp_path / "demo"], env=home, stdout=subprocess.PIPE, text=True
    ) as demo:
        try:
            text = ""
            while not text.endswith("\n}\n"):
                text += demo.stdout.readline()
                assert demo.poll() is None
            summary = json.loads(text)
            pages = {name: _read(url) for name, url in summary["urls"].items()}
            assert all(status == 200 for status, _ in pages.values())
            assert summary["check"]["title"] in pages["check_on_github"][1]
            assert "decode-faster" in pages["pull_on_github"][1]
        finally:
            demo.send_signal(signal.SIGINT)
        assert demo.wait(timeout=30) == 0
    assert (tmp_path / "demo" / "service" / "byogpu.sqlite3").is_file()


def test_demo_does_not_begin_in_a_folder_with_something_in_it(byogpu, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    assert byogpu("demo", "--exit", "--data", tmp_path / "full").code == 2


def _read(url: str) -> tuple[int, str]:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.status, answer.read().decode()
