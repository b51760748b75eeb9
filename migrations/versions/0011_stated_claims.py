"""Claims that were stated through the API."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pull", sa.Column("stated_claims", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("pull") as table:
        table.drop_column("stated_claims")
