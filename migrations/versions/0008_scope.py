"""The declared scope of a pull request, filled in; a lot for each judged bundle; answers to hidden prompts."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outlook", sa.Column("scope", sa.Text(), nullable=True))
    op.add_column("assessment", sa.Column("lot", sa.Double(), nullable=True))
    op.create_table(
        "answer",
        sa.Column("weights_digest", sa.String(length=64), nullable=False),
        sa.Column("prompt_sha256", sa.String(length=64), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("output_sha256", sa.String(length=64), nullable=False),
        sa.Column("bundle_id", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["bundle_id"], ["bundle.id"], name="fk_answer_bundle_id_bundle"),
        sa.PrimaryKeyConstraint("weights_digest", "prompt_sha256", "output_tokens", name="pk_answer"),
    )
    op.create_index("ix_answer_bundle_id", "answer", ["bundle_id"])


def downgrade() -> None:
    op.drop_index("ix_answer_bundle_id", table_name="answer")
    op.drop_table("answer")
    with op.batch_alter_table("assessment") as table:
        table.drop_column("lot")
    with op.batch_alter_table("outlook") as table:
        table.drop_column("scope")
