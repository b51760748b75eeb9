"""What Alembic runs around every migration. Called through `migrations.run` only."""

from alembic import context
from sqlalchemy import create_engine, text

from server.models import Table

_LOCK = 7_246_083_115
"""Key of the advisory lock that makes servers which start together migrate one after the other."""


def migrate() -> None:
    """Run the migrations that were asked for, in one transaction."""
    engine = create_engine(context.config.attributes["database_url"])
    with engine.connect() as connection:
        postgres = connection.dialect.name == "postgresql"
        with connection.begin():
            if postgres:
                connection.execute(text("SET LOCAL lock_timeout = '30s'"))
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            context.configure(
                connection=connection,
                target_metadata=Table.metadata,
                compare_type=True,
                compare_server_default=True,
                render_as_batch=not postgres,
            )
            with context.begin_transaction():
                context.run_migrations()
    engine.dispose()


migrate()
