"""Databases to test on: SQLite always, PostgreSQL where `make test` started one."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import migrations
from server.db import Database


@pytest.fixture
def new_sqlite(tmp_path: Path) -> Callable[[], str]:
    """Address of a database that does not exist yet."""
    return lambda: f"sqlite:///{tmp_path / secrets.token_hex(4)}.sqlite3"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """Address of an empty database, once of each kind."""
    name = "new_sqlite" if request.param == "sqlite" else "new_postgres"
    url: str = request.getfixturevalue(name)()
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated database, once of each kind."""
    migrations.upgrade(database_url)
    one = Database(database_url)
    yield one
    one.close()
