"""What `make check` runs, run by the tests as well, so that CI holds the line."""

import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = ("byogpu", "judge", "k3_decode", "migrations", "scripts", "server", "standin", "tests", "worker")
BIN = Path(sys.executable).parent


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check", *SOURCES], id="lint"),
        pytest.param(["ruff", "format", "--check", *SOURCES], id="format"),
        pytest.param(["mypy"], id="types"),
        pytest.param(
            [
                "mypy",
                "scripts/check_contract.py",
                "scripts/with_services.py",
                "scripts/write_client.py",
                "scripts/write_docs.py",
            ],
            id="types-of-scripts",
        ),
        pytest.param(["lint-imports"], id="imports"),
        pytest.param(
            ["hadolint", "containers/server/Dockerfile", "containers/eval-smoke/Dockerfile"], id="dockerfiles"
        ),
    ],
)
def test_the_tree_passes(root: Path, command: list[str]) -> None:
    ended = subprocess.run([BIN / command[0], *command[1:]], cwd=root, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
