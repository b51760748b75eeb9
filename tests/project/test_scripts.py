"""The scripts behind the Makefile say clearly what is wrong, and clean up."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
import redis


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Path]:
    """Write an executable shell script into a folder of its own and return the folder."""

    def write(name: str, script: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return folder

    return write


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def test_setup_refuses_an_old_python_by_name(root: Path, program: Callable[..., Path]) -> None:
    old = program("python3.9", 'case "$1" in --version) echo Python 3.9.18;; *) exit 1;; esac') / "python3.9"
    ended = run(root / "scripts/require_tools.sh", old)
    assert ended.returncode == 3
    assert "Python 3.11 or newer is needed" in ended.stderr
    assert "is Python 3.9.18" in ended.stderr


def test_setup_refuses_an_old_node_by_version(root: Path, program: Callable[..., Path]) -> None:
    folder = program("node", 'case "$1" in --version) echo v18.20.0;; *) exit 1;; esac')
    ended = run(root / "scripts/require_tools.sh", sys.executable, PATH=f"{folder}:{os.environ['PATH']}")
    assert ended.returncode == 3
    assert "Node.js 20 or newer is needed for the dashboard, node is v18.20.0" in ended.stderr


def test_setup_takes_this_machine(root: Path) -> None:
    assert run(root / "scripts/require_tools.sh", sys.executable).returncode == 0


def test_without_root_or_sudo_the_missing_packages_are_listed(root: Path, program: Callable[..., Path]) -> None:
    program("dpkg-query", 'for name; do :; done; [ "$name" = redis-server ] || printf installed')
    program("sudo", "exit 1")
    folder = program("id", "echo 1000")
    ended = run(root / "scripts/install_system_packages.sh", PATH=f"{folder}:{os.environ['PATH']}")
    assert ended.returncode == 3
    assert ended.stderr.rstrip().endswith("\n  redis-server")


def test_nothing_is_installed_where_nothing_is_missing(root: Path, program: Callable[..., Path]) -> None:
    program("dpkg-query", "printf installed")
    folder = program("apt-get", "echo called >&2; exit 1")
    ended = run(root / "scripts/install_system_packages.sh", PATH=f"{folder}:{os.environ['PATH']}")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.postgres
@pytest.mark.redis
def test_services_answer_and_end_with_the_command(root: Path) -> None:
    inner = """
import os, sys, psycopg, redis
with psycopg.connect(os.environ["BYOGPU_TEST_POSTGRES_URL"].replace("+psycopg", "")) as connection:
    connection.execute("create table t (i int)")
with redis.Redis.from_url(os.environ["BYOGPU_TEST_REDIS_URL"]) as client:
    client.set("k", "v")
print(os.environ["BYOGPU_TEST_POSTGRES_URL"], os.environ["BYOGPU_TEST_REDIS_URL"])
sys.exit(7)
"""
    with tempfile.TemporaryDirectory() as temporary:
        os.chmod(temporary, 0o755)  # PostgreSQL's own user looks inside.
        ended = run(root / "scripts/with_services.py", sys.executable, "-c", inner, TMPDIR=temporary)
        assert ended.returncode == 7, ended.stderr
        assert os.listdir(temporary) == []
    assert_gone(*ended.stdout.split())


@pytest.mark.postgres
@pytest.mark.redis
def test_services_end_when_the_run_is_interrupted(root: Path) -> None:
    inner = (
        "import os, time;"
        "print(os.environ['BYOGPU_TEST_POSTGRES_URL'], os.environ['BYOGPU_TEST_REDIS_URL'], flush=True);"
        "time.sleep(600)"
    )
    command = [root / "scripts/with_services.py", sys.executable, "-c", inner]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as services:
        assert services.stdout is not None
        urls = services.stdout.readline().split()
        services.send_signal(signal.SIGTERM)
        assert services.wait(timeout=60) == 128 + signal.SIGTERM
    assert_gone(*urls)


def assert_gone(postgres_url: str, redis_url: str) -> None:
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(postgres_url.replace("+psycopg", ""))
    with redis.Redis.from_url(redis_url) as client, pytest.raises(redis.ConnectionError):
        client.ping()
