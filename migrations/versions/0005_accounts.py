"""Accounts and their credentials, nodes that belong to an account, answers kept for repeated requests."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.INTEGER(), "sqlite")


def _time(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("login", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        _time("created_at"),
        _time("seen_at"),
        sa.CheckConstraint("role IN ('contributor', 'maintainer', 'admin')", name="ck_account_role"),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
    )
    op.create_index("ix_account_seen", "account", ["seen_at", "id"])
    # The previous release inserts neither column.
    with op.batch_alter_table("node") as table:
        table.add_column(sa.Column("account_id", sa.BigInteger(), nullable=True))
        table.add_column(_time("revoked_at", nullable=True))
        table.create_foreign_key("fk_node_account_id_account", "account", ["account_id"], ["id"])
        table.create_index("ix_node_account", ["account_id", "registered_at", "key_id"])
    op.create_table(
        "api_token",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("node_key_id", sa.String(length=64), nullable=True),
        _time("created_at"),
        _time("expires_at"),
        _time("used_at", nullable=True),
        _time("revoked_at", nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_api_token_account_id_account"),
        sa.ForeignKeyConstraint(["node_key_id"], ["node.key_id"], name="fk_api_token_node_key_id_node"),
        sa.PrimaryKeyConstraint("id", name="pk_api_token"),
    )
    op.create_index("ix_api_token_account", "api_token", ["account_id", "created_at", "id"])
    op.create_table(
        "pull_key",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("pull_id", _SERIAL, nullable=False),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=True),
        _time("created_at"),
        _time("expires_at"),
        _time("used_at", nullable=True),
        _time("revoked_at", nullable=True),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name="fk_pull_key_pull_id_pull"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_pull_key_account_id_account"),
        sa.PrimaryKeyConstraint("id", name="pk_pull_key"),
    )
    op.create_index("ix_pull_key_pull", "pull_key", ["pull_id", "created_at", "id"])
    op.create_index("ix_pull_key_account_id", "pull_key", ["account_id"])
    op.create_table(
        "web_session",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        _time("created_at"),
        _time("used_at"),
        _time("expires_at"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_web_session_account_id_account"),
        sa.PrimaryKeyConstraint("id", name="pk_web_session"),
    )
    op.create_index("ix_web_session_account_id", "web_session", ["account_id"])
    op.create_index("ix_web_session_expires_at", "web_session", ["expires_at"])
    op.create_table(
        "sign_in",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("verifier", sa.String(length=128), nullable=False),
        sa.Column("return_to", sa.Text(), nullable=False),
        _time("expires_at"),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in"),
    )
    op.create_index("ix_sign_in_expires_at", "sign_in", ["expires_at"])
    op.create_table(
        "kept_answer",
        sa.Column("owner", sa.String(length=100), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("request", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        _time("expires_at"),
        sa.PrimaryKeyConstraint("owner", "key", name="pk_kept_answer"),
    )
    op.create_index("ix_kept_answer_expires_at", "kept_answer", ["expires_at"])


def downgrade() -> None:
    for name in ("kept_answer", "sign_in", "web_session", "pull_key", "api_token"):
        op.drop_table(name)
    with op.batch_alter_table("node") as table:
        table.drop_index("ix_node_account")
        table.drop_constraint("fk_node_account_id_account", type_="foreignkey")
        table.drop_column("revoked_at")
        table.drop_column("account_id")
    op.drop_table("account")
