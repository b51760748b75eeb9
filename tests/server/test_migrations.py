"""The migrations, both ways, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

import migrations
from server.models import Table

if TYPE_CHECKING:
    from tests.conftest import Service
    from worker.bundle import Bundle

VERSIONS = Path(migrations.__file__).parent / "versions"


def tables(url: str) -> set[str]:
    engine = sa.create_engine(url)
    try:
        return set(sa.inspect(engine).get_table_names()) - {"alembic_version"}
    finally:
        engine.dispose()


def test_up_down_up_and_no_drift(database_url: str) -> None:
    migrations.upgrade(database_url)
    assert tables(database_url) == set(Table.metadata.tables)
    migrations.check(database_url)
    migrations.downgrade(database_url, revision="base")
    assert tables(database_url) == set()
    migrations.upgrade(database_url)
    migrations.upgrade(database_url)
    migrations.check(database_url)


def test_rows_survive_every_step_down_and_back_up(
    make_service: Callable[..., Service], make_bundle: Callable[..., Bundle], database_url: str
) -> None:
    service = make_service(database_url=database_url)
    bundles = [make_bundle(), make_bundle(base_sha="c" * 40)]
    for bundle in bundles:
        service.upload(bundle)
    url = service.services.settings.resolved_database_url
    steps = sorted(path.name[:4] for path in VERSIONS.glob("0*.py"))
    for step in reversed(steps[:-1]):
        migrations.downgrade(url, revision=step)
    migrations.upgrade(url)
    migrations.check(url)
    for bundle in bundles:
        page = service.client.get(f"/api/v1/bundles/{bundle.id}/manifest")
        assert page.content == bundle.manifest_bytes
    assert service.upload(make_bundle(base_sha="d" * 40))["upload_state"] == "complete"


def test_the_database_knows_every_state_machine(database_url: str) -> None:
    migrations.upgrade(database_url)
    engine = sa.create_engine(database_url)
    made = {
        (table.name, f"ck_{table.name}_{constraint.name}")
        for table in Table.metadata.sorted_tables
        for constraint in table.constraints
        if isinstance(constraint, sa.CheckConstraint)
    }
    found = {
        (name, constraint["name"])
        for name in Table.metadata.tables
        for constraint in sa.inspect(engine).get_check_constraints(name)
    }
    engine.dispose()
    assert found == made
    assert len(made) >= 6
