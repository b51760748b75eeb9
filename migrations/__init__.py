"""Database migrations: up, down, and whether tables and models still agree."""

from migrations.run import VERSION_TABLE, check, current, downgrade, reach, upgrade

__all__ = ["VERSION_TABLE", "check", "current", "downgrade", "reach", "upgrade"]
