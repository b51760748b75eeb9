"""Commands from GitHub and their answers, when a head was first heard of, whether we are let in, how GitHub answers."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.INTEGER(), "sqlite")


def upgrade() -> None:
    # The previous release inserts neither column: hence the default, and that the other may be absent.
    op.add_column("repository", sa.Column("covered", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("pull", sa.Column("head_seen_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "command",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("repository", sa.String(length=200), nullable=False),
        sa.Column("pull_number", sa.BigInteger(), nullable=False),
        sa.Column("comment_id", sa.BigInteger(), nullable=True),
        sa.Column("head_sha", sa.String(length=64), nullable=True),
        sa.Column("login", sa.String(length=100), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("heard_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.CheckConstraint("state IN ('heard', 'decided', 'answered', 'ignored', 'dead')", name="ck_command_state"),
        sa.PrimaryKeyConstraint("id", name="pk_command"),
        sa.UniqueConstraint("key", name="uq_command_key"),
    )
    op.create_index("ix_command_pull", "command", ["repository_id", "pull_number", "state"])
    op.create_table(
        "contact",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("quiet_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("limited", sa.Integer(), nullable=False),
        sa.Column("rate_limit", sa.Integer(), nullable=True),
        sa.Column("rate_remaining", sa.Integer(), nullable=True),
        sa.Column("rate_reset_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_contact"),
    )


def downgrade() -> None:
    op.drop_table("contact")
    op.drop_table("command")
    op.drop_column("pull", "head_seen_at")
    op.drop_column("repository", "covered")
