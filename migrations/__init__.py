"""Database migrations: up, down, and whether tables and models still agree."""

from migrations.run import check, downgrade, upgrade

__all__ = ["check", "downgrade", "upgrade"]
