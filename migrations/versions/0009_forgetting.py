"""Indexes by which events are found that are old enough to be forgotten."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_delivery_received_at", "delivery", ["received_at"])
    op.create_index("ix_command_heard", "command", ["heard_at"])
    op.create_index("ix_post_created", "post", ["created_at"])


def downgrade() -> None:
    op.drop_index("ix_post_created", table_name="post")
    op.drop_index("ix_command_heard", table_name="command")
    op.drop_index("ix_delivery_received_at", table_name="delivery")
