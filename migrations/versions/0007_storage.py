"""Announced parts, whom a bundle is counted for, blobs that may be loose, bundles retired by the retention policy."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_RULINGS = ("retracted", "invalidated", "released")


def upgrade() -> None:
    op.create_table(
        "part",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["sha256"], ["blob.sha256"], name="fk_part_sha256_blob"),
        sa.PrimaryKeyConstraint("sha256", "number", name="pk_part"),
    )
    # The previous release inserts none of these columns.
    with op.batch_alter_table("bundle") as table:
        table.add_column(sa.Column("owner", sa.String(length=200), nullable=True))
        table.add_column(sa.Column("address", sa.String(length=64), nullable=True))
        table.create_index("ix_bundle_owner", ["owner", "created_at"])
        table.create_index("ix_bundle_address", ["address", "created_at"])
    # Every blob counts as perhaps loose until it was looked at once: the previous release marked none.
    with op.batch_alter_table("blob") as table:
        table.add_column(sa.Column("loose", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.create_index(
        "ix_blob_loose", "blob", ["sha256"], postgresql_where=sa.text("loose"), sqlite_where=sa.text("loose")
    )
    _let_rulings_be((*_RULINGS, "retired"))


def downgrade() -> None:
    op.execute("DELETE FROM ruling WHERE kind = 'retired'")
    _let_rulings_be(_RULINGS)
    op.drop_index("ix_blob_loose", table_name="blob")
    with op.batch_alter_table("blob") as table:
        table.drop_column("loose")
    with op.batch_alter_table("bundle") as table:
        table.drop_index("ix_bundle_address")
        table.drop_index("ix_bundle_owner")
        table.drop_column("address")
        table.drop_column("owner")
    op.drop_table("part")


def _let_rulings_be(kinds: tuple[str, ...]) -> None:
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    with op.batch_alter_table("ruling") as table:
        table.drop_constraint("ck_ruling_kind", type_="check")
        table.create_check_constraint("ck_ruling_kind", f"kind IN ({listed})")
