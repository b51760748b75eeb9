"""Each exit code of docs/exit-codes.md, caused the way a user would cause it."""

import json
import socket
from pathlib import Path

import pytest


@pytest.fixture
def imported(byogpu, bench, tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    ended = byogpu("import", "vllm-bench", "--arm", f"baseline={bench}/baseline-c2.json",
                   "--arm", f"candidate={bench}/candidate-c2.json", "--out", folder)  # fmt: skip
    assert ended.code == 0, ended.err
    return folder


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_0_when_nothing_is_wrong(byogpu, imported):
    ended = byogpu("check", imported, "--json")
    assert ended.code == 0
    assert {finding["severity"] for finding in ended.document["findings"]} <= {"warning", "info"}


def test_1_when_a_blob_was_changed(byogpu, imported):
    blob = next((imported / "blobs").iterdir())
    blob.write_bytes(blob.read_bytes()[:-1])
    ended = byogpu("check", imported, "--json")
    assert ended.code == 1
    assert {"B"} & {finding["rule_id"][0] for finding in ended.document["findings"]}


def test_1_when_the_manifest_is_not_one(byogpu, imported):
    (imported / "manifest.json").write_text("{}")
    ended = byogpu("check", imported)
    assert ended.code == 1
    assert "manifest_invalid" in ended.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["frobnicate"], "No such command"),
        (["check"], "Missing argument"),
        (["run", "--suite", "nonsense"], "suite_unknown"),
        (["run", "--pull", "o/r#1"], "--pull needs a server"),
        (["check", "no-such-folder"], "bundle_missing"),
        (["check", "abcdef0123"], "bundle_missing"),
        (["import", "bundle", "no-such-file"], "archive_missing"),
        (["run", "--server", "ftp://example"], "http:// or https://"),
        (["import", "vllm-bench"], "--arm baseline=FILE"),
        (["import", "vllm-bench", "--arm", "third=x"], "baseline=PATH or candidate=PATH"),
        (["import", "vllm-bench", "--arm", "baseline=a", "--arm", "baseline=b"], "twice"),
        (["import", "lm-eval"], "give one DIR"),
        (["import", "lm-eval", "no-such-folder"], "import_missing"),
    ],
)
def test_2_when_the_command_line_is_wrong(byogpu, arguments, complaint):
    ended = byogpu(*arguments)
    assert ended.code == 2
    assert complaint in " ".join(ended.err.split())


def test_2_when_a_setting_is_wrong_and_its_variable_is_named(byogpu):
    ended = byogpu("doctor", BYOGPU_RETRY_ATTEMPTS="many")
    assert ended.code == 2
    assert "BYOGPU_RETRY_ATTEMPTS" in ended.err


def test_2_when_the_server_is_no_address(byogpu, imported):
    assert byogpu("upload", imported, "--server", "ftp://example").code == 2
    assert byogpu("upload", imported).code == 2


def test_3_when_an_arm_has_no_python(byogpu, tmp_path):
    ended = byogpu("run", "--candidate-python", tmp_path / "absent", "--json")
    assert ended.code == 3
    assert ended.document["error"]["code"] == "launcher_missing"


def test_3_when_a_folder_cannot_be_made(byogpu, tmp_path, bench):
    (tmp_path / "data").write_text("a file where a folder should be")
    ended = byogpu("import", "vllm-bench", "--arm", f"baseline={bench}/baseline-c2.json")
    assert ended.code == 3


def test_4_when_the_server_is_not_there(byogpu, imported):
    ended = byogpu("upload", imported, "--server", f"http://127.0.0.1:{closed_port()}", "--json")
    assert ended.code == 4
    assert ended.document["error"]["code"] == "server_unreachable"


def test_an_error_is_one_line_and_no_traceback(byogpu):
    ended = byogpu("check", "no-such-folder")
    assert ended.err.startswith("byogpu: bundle_missing: ")
    assert len(ended.err.splitlines()) == 1
    assert ended.out == ""


def test_an_error_is_one_json_document_when_json_was_asked_for(byogpu):
    ended = byogpu("check", "no-such-folder", "--json")
    assert json.loads(ended.out)["error"]["code"] == "bundle_missing"
