"""No page reads a big table from end to end: every query that pages make is explained on a database with a history."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event

from server.runner import sweep

if TYPE_CHECKING:
    from tests.conftest import Service

pytestmark = pytest.mark.postgres

BUNDLES = 20_000
BIG = {"bundle", "bundle_blob", "blob", "assessment", "evidence", "task", "audit"}
"""Tables that grow with every bundle."""
BUNDLE = sha256(f"bundle{BUNDLES // 2}".encode()).hexdigest()
PULL = BUNDLES // 50 // 2


@pytest.fixture(scope="module")
def seeds() -> ModuleType:
    """The module that writes a history."""
    spec = importlib.util.spec_from_file_location("tests_load_seed", Path(__file__).with_name("seed.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def service(
    make_service: Callable[..., Service], new_postgres: Callable[[], str], seeds: ModuleType, make_bundle: Any
) -> Service:
    """A service with a history."""
    one = make_service(database_url=new_postgres(), reads_per_minute=0)
    with one.services.database.engine.connect() as connection:
        seeds.seed(connection, manifest=make_bundle().manifest_bytes, bundles=BUNDLES)
    return one


@pytest.fixture
def statements(service: Service) -> Iterator[list[tuple[str, Any]]]:
    """Every query that the service makes, with its values."""
    found: list[tuple[str, Any]] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, executemany: bool) -> None:
        if statement.lstrip().upper().startswith("SELECT"):
            found.append((statement, parameters))

    engine = service.services.database.engine
    event.listen(engine, "before_cursor_execute", note)
    yield found
    event.remove(engine, "before_cursor_execute", note)


def scanned(plan: Any) -> Iterator[str]:
    """Tables that a plan reads from end to end."""
    if plan["Node Type"] == "Seq Scan":
        yield plan["Relation Name"]
    for part in plan.get("Plans", ()):
        yield from scanned(part)


def explain(service: Service, statement: str, parameters: Any) -> Any:
    with service.services.database.engine.connect() as connection:
        cursor = connection.connection.cursor()
        cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
        (plan,) = cursor.fetchone()
        cursor.close()
    return (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]


def test_no_request_reads_a_big_table(
    service: Service, statements: list[tuple[str, Any]], make_bundle: Callable[..., Any]
) -> None:
    first = service.client.get("/api/v1/bundles").json()
    for path in (
        f"/api/v1/bundles?cursor={first['next_cursor']}",
        f"/api/v1/bundles/{BUNDLE}",
        f"/api/v1/bundles/{BUNDLE}/status",
        f"/api/v1/bundles/{BUNDLE}/manifest",
        "/api/v1/pulls",
        f"/api/v1/pulls/octo/kernels/{PULL}",
        "/api/v1/revalidations",
        "/api/v1/jobs",
    ):
        assert service.client.get(path).status_code == 200, path
    assert service.client.get(f"/api/v1/blobs/{'0' * 64}").status_code == 404
    assert len(statements) > 20
    service.upload(make_bundle(rows=3))  # the whole protocol, with every quota
    sweep(service.services)
    service.work()

    made = {statement: values for statement, values in statements if "FOR UPDATE" not in statement}
    slow = [statement for statement, values in made.items() if BIG & set(scanned(explain(service, statement, values)))]
    assert slow == [], "\n\n".join(slow)
    assert set(scanned(explain(service, "SELECT * FROM bundle WHERE size_bytes = 1", None))) == {"bundle"}
