"""PostgreSQL ends what takes too long, with real locks: no request and no task waits for ever, and nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import Connection, create_engine, make_url, text

from server.db import Database, TimeLimits, unhurried
from server.queue import enqueue
from server.settings import Settings
from server.startup import database_of, make_ready

if TYPE_CHECKING:
    from tests.conftest import Service

pytestmark = pytest.mark.postgres

LIMITS = {"database_statement_timeout_s": 0.3, "database_lock_timeout_s": 0, "database_idle_timeout_s": 0}
SHOWN = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
ALIVE = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
WAITING = text(
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' AND now() - query_start > interval '0.2 s'"
)


@pytest.fixture
def outsider(new_postgres: Callable[[], str]) -> Iterator[Callable[[str], Connection]]:
    """Connect to a database like somebody else, who knows no limits."""
    opened: list[Connection] = []

    def connect(url: str) -> Connection:
        opened.append(create_engine(url).connect())
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()
        connection.engine.dispose()


@contextmanager
def locked(outsider: Connection, tables: str) -> Iterator[None]:
    with outsider.begin():
        outsider.execute(text(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE"))
        yield


@pytest.mark.parametrize(
    "limits", [LIMITS, {**LIMITS, "database_statement_timeout_s": 0, "database_lock_timeout_s": 0.3}]
)
def test_a_request_that_waits_too_long_may_come_again(
    make_service: Callable[..., Service], new_postgres: Callable[[], str], outsider: Any, make_bundle: Any, limits: Any
) -> None:
    url = new_postgres()
    service = make_service(database_url=url, **limits)
    bundle = make_bundle()
    with locked(outsider(url), "bundle"):
        for answer in (service.client.get("/api/v1/bundles"), service.post(bundle)):
            assert (answer.status_code, answer.json()["code"]) == (503, "database_busy")
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["retry-after"] == "5"
    assert service.client.get("/api/v1/bundles").json()["items"] == []
    assert service.post(bundle).status_code == 201


def test_a_task_whose_statements_take_too_long_uses_up_attempts(
    make_service: Callable[..., Service], new_postgres: Callable[[], str], outsider: Any
) -> None:
    url = new_postgres()
    service = make_service(database_url=url, **LIMITS)
    with service.services.database.write() as session:
        enqueue(session, "reap_leases", "all", now=service.clock())
    with locked(outsider(url), "job, lease"):
        service.work()
    (task,) = service.rows("task")
    assert (task["state"], task["attempts"]) == ("queued", 1)
    assert "statement timeout" in task["detail"]
    service.clock.advance(60)
    service.work()
    (task,) = service.rows("task")
    assert task["state"] == "done"


def test_a_session_that_forgot_its_transaction_is_ended(
    make_service: Callable[..., Service], new_postgres: Callable[[], str], outsider: Any
) -> None:
    url = new_postgres()
    service = make_service(database_url=url, **{**LIMITS, "database_idle_timeout_s": 0.2})
    watcher = outsider(url).execution_options(isolation_level="AUTOCOMMIT")

    @service.client.app.get("/dawdle")  # type: ignore[attr-defined]
    def dawdle() -> None:
        with service.services.database.read() as session:
            mine = session.scalar(text("SELECT pg_backend_pid()"))
            while watcher.scalar(ALIVE, {"pid": mine}):
                continue
            session.execute(text("SELECT 1"))

    answer = service.client.get("/dawdle")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_busy")
    assert service.client.get("/api/v1/bundles").status_code == 200


def test_a_defect_of_ours_is_not_called_a_busy_database(
    make_service: Callable[..., Service], new_postgres: Callable[[], str]
) -> None:
    service = make_service(database_url=new_postgres())

    @service.client.app.get("/defect")  # type: ignore[attr-defined]
    def defect() -> None:
        with service.services.database.read() as session:
            session.connection().exec_driver_sql("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'XX000'; END $$")

    answer = service.client.get("/defect")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")


def test_a_database_that_is_gone_is_told_of_in_few_words(
    make_service: Callable[..., Service],
    new_postgres: Callable[[], str],
    outsider: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    url = new_postgres()
    service = make_service(database_url=url)
    server = outsider(make_url(url).set(database="postgres").render_as_string(hide_password=False))
    server = server.execution_options(isolation_level="AUTOCOMMIT")
    server.execute(text(f"ALTER DATABASE {make_url(url).database} RENAME TO {make_url(url).database}_away"))
    answer = service.client.get("/api/v1/bundles")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["retry-after"] == "5"
    (said,) = [record for record in caplog.records if "cannot be reached" in record.getMessage()]
    assert "does not exist" in said.getMessage()
    assert said.exc_info is None, "every request would repeat it"
    server.execute(text(f"ALTER DATABASE {make_url(url).database}_away RENAME TO {make_url(url).database}"))
    assert service.client.get("/api/v1/bundles").status_code == 200


def test_no_connection_left_is_a_busy_database(
    make_service: Callable[..., Service], new_postgres: Callable[[], str]
) -> None:
    service = make_service(database_url=new_postgres())
    engine = service.services.database.engine
    engine.pool._timeout = 0  # type: ignore[attr-defined]
    taken = [engine.connect() for _ in range(50)]
    answer = service.client.get("/api/v1/bundles")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_busy")
    for connection in taken:
        connection.close()
    assert service.client.get("/api/v1/bundles").status_code == 200


def shown(connection: Connection) -> list[Any]:
    return [connection.scalar(text(f"SHOW {name}")) for name in SHOWN]


def test_limits_are_the_settings_but_for_backups_and_what_the_address_says(
    new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    url = new_postgres()
    database = database_of(Settings(data_dir=tmp_path, database_url=url))
    with database.read() as session:
        assert shown(session.connection()) == ["30s", "10s", "2min"]
        unhurried(session.connection())
        assert shown(session.connection()) == ["0", "0", "0"]
    with database.read() as session:
        assert shown(session.connection()) == ["30s", "10s", "2min"], "for one transaction only"
    database.close()
    own = make_url(url).update_query_dict({"options": "-c lock_timeout=7s", "connect_timeout": "3"})
    database = Database(own.render_as_string(hide_password=False), TimeLimits(statement_s=1.5))
    with database.read() as session:
        assert shown(session.connection()) == ["1500ms", "7s", "0"]
    database.close()


def test_migrations_take_as_long_as_they_take(new_postgres: Callable[[], str], outsider: Any, tmp_path: Path) -> None:
    """Another server migrates for longer than any statement may take; this one waits its turn."""
    url = new_postgres()
    settings = Settings(data_dir=tmp_path, database_url=url, **dict.fromkeys(LIMITS, 0.05))
    other, watcher = outsider(url), outsider(url).execution_options(isolation_level="AUTOCOMMIT")
    with other.begin():
        other.execute(text("SELECT pg_advisory_xact_lock(7246083115)"))
        thread = threading.Thread(target=make_ready, args=(settings,))
        thread.start()
        while not watcher.scalar(WAITING):
            assert thread.is_alive()
    thread.join()
    assert watcher.scalar(text("SELECT count(*) FROM bundle")) == 0
