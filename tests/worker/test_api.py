"""The functions that are written from the API's description."""

import subprocess
import sys
from pathlib import Path

import pytest

from worker.messages import at

ROOT = Path(__file__).parents[2]


def test_they_are_those_of_the_description() -> None:
    command = [sys.executable, "scripts/write_client.py", "--check"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    ("value", "path"), [("a", "/x/a/y"), ("../z", "/x/..%2Fz/y"), ("a?b#c", "/x/a%3Fb%23c/y"), (7, "/x/7/y")]
)
def test_a_value_never_leads_elsewhere(value: str | int, path: str) -> None:
    assert at("/x/{value}/y", value=value) == path
