"""What every table has in common: how constraints are named, and the column types that many use."""

from sqlalchemy import BigInteger, CheckConstraint, MetaData, String
from sqlalchemy.dialects.sqlite import INTEGER as SQLITE_INTEGER
from sqlalchemy.orm import DeclarativeBase

_NAMES = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
DIGEST = String(64)
"""A SHA-256 in hexadecimal, or anything as short."""
STATE = String(16)
"""A state's name."""
SERIAL = BigInteger().with_variant(SQLITE_INTEGER(), "sqlite")
"""A number that the database hands out."""


class Table(DeclarativeBase):
    """A table."""

    metadata = MetaData(naming_convention=_NAMES)


def one_of(column: str, states: object) -> CheckConstraint:
    """Let a column hold the values of a ``Literal`` only."""
    listed = ", ".join(f"'{state}'" for state in states.__args__)  # type: ignore[attr-defined]
    return CheckConstraint(f"{column} IN ({listed})", name=column)
