"""Challenges that the service issued, and what became of each."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.INTEGER(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "challenge",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("nonce", sa.String(length=86), nullable=False),
        sa.Column("plan_digest", sa.String(length=64), nullable=False),
        sa.Column("pull_id", _SERIAL, nullable=False),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("suite_digest", sa.String(length=64), nullable=False),
        sa.Column("suite", sa.String(length=100), nullable=False),
        sa.Column("node_key_id", sa.String(length=64), nullable=True),
        sa.Column("requester", sa.String(length=64), nullable=False),
        sa.Column("issued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_by", sa.String(length=64), nullable=True),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("abandoned_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["node_key_id"], ["node.key_id"], name="fk_challenge_node_key_id_node"),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name="fk_challenge_pull_id_pull"),
        sa.ForeignKeyConstraint(["used_by"], ["bundle.id"], name="fk_challenge_used_by_bundle"),
        sa.PrimaryKeyConstraint("id", name="pk_challenge"),
    )
    op.create_index("ix_challenge_node", "challenge", ["node_key_id", "expires_at"])
    op.create_index("ix_challenge_pull", "challenge", ["pull_id", "issued_at", "id"])
    op.create_index("ix_challenge_requester", "challenge", ["requester", "expires_at"])


def downgrade() -> None:
    op.drop_index("ix_challenge_requester", table_name="challenge")
    op.drop_index("ix_challenge_pull", table_name="challenge")
    op.drop_index("ix_challenge_node", table_name="challenge")
    op.drop_table("challenge")
