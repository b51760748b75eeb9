"""The migrations, both ways, on both databases."""

import sqlalchemy as sa

import migrations
from server.models import Table


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
