"""What starts while PostgreSQL is down or recovering waits for it; what it refuses ends at once, and says why."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

import migrations
from server.patience import EXIT_STATUS, StoppedError, UnusableDatabaseError, patiently
from server.settings import Settings
from server.startup import make_ready
from standin import free_port
from worker.errors import ExitCode

pytestmark = pytest.mark.postgres

ROOT = Path(__file__).parents[2]
COMMANDS = {
    "server": ["server"],
    "worker": ["celery", "-A", "server.tasks", "worker"],
    "migrate": ["byogpu.cli", "admin", "migrate", "up"],
}
LIMIT_S = 60
FOR_EVER_S = 3600


def load_services() -> ModuleType:
    spec = importlib.util.spec_from_file_location("byogpu_with_services", ROOT / "scripts" / "with_services.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SERVICES = load_services()


@dataclass
class Postgres:
    """A PostgreSQL that is started and stopped while others wait for it."""

    folder: Path
    port: int
    user: str | None = "postgres" if os.geteuid() == 0 else None
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        self.folder.mkdir()
        if self.user:
            shutil.chown(self.folder, self.user)
        made = [SERVICES.program("initdb"), "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*made, "--locale=C.UTF-8"], user=self.user, check=True, capture_output=True)
        rules = self.data / "pg_hba.conf"
        rules.write_text(f"host all guarded 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self, *, recovering: bool = False) -> None:
        """Start it; it may be recovering until `recover`, and refuses every connection until then."""
        if recovering:
            (self.data / "standby.signal").touch()
            if self.user:
                shutil.chown(self.data / "standby.signal", self.user)
        settings = {**SERVICES.POSTGRES_SETTINGS, "unix_socket_directories": self.folder, "hot_standby": "off"}
        flags = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self.process = subprocess.Popen(
            [SERVICES.program("postgres"), "-D", self.data, "-p", str(self.port), *flags],
            user=self.user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        said = "hot standby mode is disabled" if recovering else "ready"
        eventually(self.greeting, lambda greeting: said in greeting.lower())

    def recover(self) -> None:
        promote = [SERVICES.program("pg_ctl"), "promote", "--silent", "-D", self.data]
        subprocess.run(promote, user=self.user, check=True, cwd=self.folder)

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(LIMIT_S)
            self.process = None
        with contextlib.suppress(FileNotFoundError):
            (self.data / "standby.signal").unlink()

    def greeting(self) -> str:
        """What it says to who knocks."""
        try:
            psycopg.connect(self.url.replace("+psycopg", "")).close()
        except psycopg.OperationalError as error:
            return str(error)
        return "ready"


def eventually(ask: Callable[[], Any], good: Callable[[Any], bool]) -> Any:
    """Ask until the answer is good; the test's own time limit ends it otherwise."""
    while not good(answer := ask()):
        continue
    return answer


@pytest.fixture(scope="module")
def made() -> Iterator[Postgres]:
    with tempfile.TemporaryDirectory(prefix="byogpu-late-") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL's own user looks inside
        one = Postgres(Path(folder) / "postgres", free_port())
        one.make()
        yield one
        one.stop()


@pytest.fixture
def postgres(made: Postgres) -> Iterator[Postgres]:
    """A PostgreSQL that has yet to be started."""
    yield made
    made.stop()


@dataclass
class Started:
    """A process of the service, and what it has logged."""

    process: subprocess.Popen[bytes]
    lines: list[str] = field(default_factory=list)
    waiting: threading.Event = field(default_factory=threading.Event)

    def read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.decode())
            if b"waiting for the database" in line:
                self.waiting.set()

    def said(self, words: str) -> list[str]:
        return [line for line in self.lines if words in line]


@pytest.fixture
def run(postgres: Postgres, tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """Start a module of Python on the database; keyword arguments are settings."""
    started: list[tuple[Started, threading.Thread]] = []

    def start(*command: str, **settings: Any) -> Started:
        usual = {"data_dir": tmp_path, "database_url": postgres.url, "database_wait_s": FOR_EVER_S}
        env = {f"BYOGPU_{name.upper()}": str(value) for name, value in {**usual, **settings}.items()}
        process = subprocess.Popen(
            [sys.executable, "-m", *command], env={**os.environ, **env}, cwd=ROOT, stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        one = Started(process)
        reader = threading.Thread(target=one.read)
        reader.start()
        started.append((one, reader))
        return one

    yield start
    for one, reader in started:
        one.process.kill()
        one.process.wait()
        reader.join()
        assert one.process.stderr is not None
        one.process.stderr.close()


def readiness(port: int) -> dict[str, Any]:
    with contextlib.suppress(httpx.TransportError):
        answer: dict[str, Any] = httpx.get(f"http://127.0.0.1:{port}/ready", trust_env=False, timeout=LIMIT_S).json()
        return answer
    return {}


def test_a_server_waits_while_the_database_is_down_and_while_it_recovers(
    postgres: Postgres, run: Callable[..., Started]
) -> None:
    port = free_port()
    server = run("server", port=port)
    assert server.waiting.wait(LIMIT_S)
    assert "Connection refused" in server.said("waiting")[0]
    postgres.start(recovering=True)
    assert readiness(port) == {}, "it does not listen before it can work"
    assert server.process.poll() is None
    postgres.recover()
    found = eventually(lambda: readiness(port), bool)
    assert found["database"] == "ok"
    assert (len(server.said("waiting")), len(server.said("the database is there"))) == (1, 1)
    assert not server.said("Traceback")


@pytest.mark.redis
def test_a_celery_worker_waits_for_the_database_and_then_works(
    postgres: Postgres, run: Callable[..., Started], redis_url: str
) -> None:
    postgres.start(recovering=True)
    worker = run(
        "celery", "-A", "server.tasks", "worker", "--beat", "--concurrency", "1", redis_url=redis_url,
        sweep_interval_s=0.2,
    )  # fmt: skip
    assert worker.waiting.wait(LIMIT_S)
    postgres.recover()

    def swept() -> bool:
        with contextlib.suppress(psycopg.Error), psycopg.connect(postgres.url.replace("+psycopg", "")) as connection:
            done = connection.execute("SELECT count(*) FROM task WHERE state = 'done'").fetchone()
            return done is not None and done[0] > 0
        return False

    eventually(swept, bool)
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(LIMIT_S) == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_who_is_told_to_stop_waits_no_longer(run: Callable[..., Started], command: str) -> None:
    started = run(*COMMANDS[command], redis_url="redis://127.0.0.1:1/0")
    assert started.waiting.wait(LIMIT_S)
    started.process.send_signal(signal.SIGTERM)
    assert started.process.wait(LIMIT_S) == {"server": 0, "worker": 1, "migrate": 130}[command]


@pytest.mark.parametrize("command", ["worker", "migrate"])
def test_a_database_that_never_comes_ends_the_wait(run: Callable[..., Started], command: str) -> None:
    started = run(*COMMANDS[command], redis_url="redis://127.0.0.1:1/0", database_wait_s=0.3)
    assert started.process.wait(LIMIT_S) == EXIT_STATUS == ExitCode.NETWORK
    assert started.waiting.is_set()
    (last,) = started.said("database_absent")
    assert "did not answer within 0.3 s (BYOGPU_DATABASE_WAIT_S)" in last
    assert not started.said("Traceback")


def refused(url: str, **changes: str) -> UnusableDatabaseError:
    address = make_url(url).set(**changes).render_as_string(hide_password=False)
    with pytest.raises(UnusableDatabaseError) as caught:
        patiently(address, lambda: migrations.reach(address), limit_s=FOR_EVER_S)
    return caught.value


def test_a_database_that_says_no_is_not_waited_for(
    postgres: Postgres, run: Callable[..., Started], tmp_path: Path
) -> None:
    postgres.start()
    with psycopg.connect(postgres.url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    secret = secrets.token_hex(8)
    for changes, words in (
        ({"database": "nowhere"}, 'database "nowhere" does not exist'),
        ({"username": "nobody"}, 'role "nobody" does not exist'),
        ({"username": "guarded", "password": secret}, "password authentication failed"),
    ):
        error = refused(postgres.url, **changes)
        assert error.code == "database_refused"
        assert words in str(error)
        assert secret not in str(error)
    missing = make_url(postgres.url).set(database="nowhere").render_as_string()
    with pytest.raises(UnusableDatabaseError, match="nowhere"):
        make_ready(Settings(data_dir=tmp_path, database_url=missing, migrate_on_start=False))
    server = run("server", database_url=missing)
    assert server.process.wait(LIMIT_S) == EXIT_STATUS
    assert len(server.said("database_refused")) == 1
    assert not server.said("Traceback")


def test_what_fails_for_another_reason_fails_with_it(postgres: Postgres) -> None:
    postgres.start()

    def stumble() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        patiently(postgres.url, stumble, limit_s=FOR_EVER_S)


def test_the_wait_ends_when_its_owner_stops(postgres: Postgres) -> None:
    asked: list[bool] = []
    with pytest.raises(StoppedError):
        patiently(
            postgres.url, lambda: migrations.reach(postgres.url), limit_s=FOR_EVER_S,
            stopping=lambda: bool(asked) or asked.append(True) is not None,
        )  # fmt: skip


def test_an_embedded_database_is_never_waited_for(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'missing' / 'byogpu.sqlite3'}"
    with pytest.raises(OperationalError):
        patiently(url, lambda: migrations.reach(url), limit_s=FOR_EVER_S)
