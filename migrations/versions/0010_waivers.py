"""Waivers: what maintainers let pass at one commit of a pull request."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "waiver",
        sa.Column("pull_id", sa.BigInteger().with_variant(sa.INTEGER(), "sqlite"), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rule_id", sa.String(length=16), nullable=False),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("login", sa.String(length=100), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name="fk_waiver_pull_id_pull"),
        sa.PrimaryKeyConstraint("pull_id", "number", name="pk_waiver"),
    )


def downgrade() -> None:
    op.drop_table("waiver")
