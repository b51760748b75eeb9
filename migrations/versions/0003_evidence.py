"""Evidence lifetime, rulings on bundles, merge policies, the log of bundles judged again, the project's own nodes."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.INTEGER(), "sqlite")


def upgrade() -> None:
    # The previous release inserts neither column: hence their defaults in the database.
    op.add_column("node", sa.Column("project", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column(
        "assessment", sa.Column("edition", sa.String(length=64), server_default=sa.text("''"), nullable=False)
    )
    op.create_table(
        "ruling",
        sa.Column("bundle_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('retracted', 'invalidated', 'released')", name="ck_ruling_kind"),
        sa.ForeignKeyConstraint(["bundle_id"], ["bundle.id"], name="fk_ruling_bundle_id_bundle"),
        sa.PrimaryKeyConstraint("bundle_id", "kind", name="pk_ruling"),
    )
    op.create_table(
        "evidence",
        sa.Column("bundle_id", sa.String(length=64), nullable=False),
        sa.Column("pull_id", _SERIAL, nullable=False),
        sa.Column("standing", sa.String(length=16), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("placement", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "standing IN ('current', 'inherited', 'stale', 'superseded', 'retracted', 'invalidated')",
            name="ck_evidence_standing",
        ),
        sa.ForeignKeyConstraint(["bundle_id"], ["bundle.id"], name="fk_evidence_bundle_id_bundle"),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name="fk_evidence_pull_id_pull"),
        sa.PrimaryKeyConstraint("bundle_id", name="pk_evidence"),
    )
    op.create_index("ix_evidence_pull_id", "evidence", ["pull_id"])
    op.create_table(
        "outlook",
        sa.Column("pull_id", _SERIAL, nullable=False),
        sa.Column("rerun", sa.Text(), nullable=False),
        sa.Column("shortfalls", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name="fk_outlook_pull_id_pull"),
        sa.PrimaryKeyConstraint("pull_id", name="pk_outlook"),
    )
    op.create_table(
        "policy",
        sa.Column("repository_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("set_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name="fk_policy_repository_id_repository"),
        sa.PrimaryKeyConstraint("repository_id", name="pk_policy"),
    )
    op.create_table(
        "revalidation",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("bundle_id", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edition_before", sa.String(length=64), nullable=False),
        sa.Column("edition_after", sa.String(length=64), nullable=False),
        sa.Column("changed", sa.Boolean(), nullable=False),
        sa.Column("record", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["bundle_id"], ["bundle.id"], name="fk_revalidation_bundle_id_bundle"),
        sa.PrimaryKeyConstraint("id", name="pk_revalidation"),
    )
    op.create_index("ix_revalidation_at", "revalidation", ["at", "id"])


def downgrade() -> None:
    op.drop_index("ix_revalidation_at", table_name="revalidation")
    op.drop_table("revalidation")
    op.drop_table("policy")
    op.drop_table("outlook")
    op.drop_index("ix_evidence_pull_id", table_name="evidence")
    op.drop_table("evidence")
    op.drop_table("ruling")
    with op.batch_alter_table("assessment") as table:
        table.drop_column("edition")
    with op.batch_alter_table("node") as table:
        table.drop_column("project")
