"""Jobs for community compute, their leases, and what nodes say about themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.INTEGER(), "sqlite")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("pull_id", _SERIAL, nullable=False),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("suite", sa.String(length=100), nullable=False),
        sa.Column("suite_digest", sa.String(length=64), nullable=False),
        sa.Column("image", sa.String(length=400), nullable=True),
        sa.Column("needs", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("requested_by", sa.String(length=200), nullable=False),
        sa.Column("requested_at", _TIME, nullable=False),
        sa.Column("approved_by", sa.String(length=200), nullable=True),
        sa.Column("approved_at", _TIME, nullable=True),
        sa.Column("cancelled_by", sa.String(length=200), nullable=True),
        sa.Column("rank_at", _TIME, nullable=False),
        sa.Column("run_after", _TIME, nullable=False),
        sa.Column("token", sa.Integer(), nullable=False),
        sa.Column("node_key_id", sa.String(length=64), nullable=True),
        sa.Column("lease_until", _TIME, nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("interruptions", sa.Integer(), nullable=False),
        sa.Column("challenge_id", sa.String(length=32), nullable=True),
        sa.Column("progress", sa.Text(), nullable=False),
        sa.Column("bundle_id", sa.String(length=64), nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "state IN ('unapproved', 'queued', 'leased', 'done', 'cancelled', 'stale', 'quarantined', 'dead')",
            name="ck_job_state",
        ),
        sa.ForeignKeyConstraint(["bundle_id"], ["bundle.id"], name="fk_job_bundle_id_bundle"),
        sa.ForeignKeyConstraint(["challenge_id"], ["challenge.id"], name="fk_job_challenge_id_challenge"),
        sa.ForeignKeyConstraint(["node_key_id"], ["node.key_id"], name="fk_job_node_key_id_node"),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name="fk_job_pull_id_pull"),
        sa.PrimaryKeyConstraint("id", name="pk_job"),
    )
    op.create_index("ix_job_line", "job", ["state", "rank_at"])
    op.create_index("ix_job_node_key_id", "job", ["node_key_id"])
    op.create_index("ix_job_pull", "job", ["pull_id", "requested_at"])
    op.create_index("ix_job_requested", "job", ["requested_at", "id"])
    op.create_index("ix_job_requester", "job", ["requested_by", "requested_at"])
    op.create_table(
        "lease",
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("token", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("node_key_id", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=200), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("challenge_id", sa.String(length=32), nullable=False),
        sa.Column("image", sa.String(length=400), nullable=False),
        sa.Column("began_at", _TIME, nullable=False),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("bundle_id", sa.String(length=64), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('finished', 'failed', 'interrupted', 'expired', 'cancelled', 'replaced')",
            name="ck_lease_outcome",
        ),
        sa.ForeignKeyConstraint(["bundle_id"], ["bundle.id"], name="fk_lease_bundle_id_bundle"),
        sa.ForeignKeyConstraint(["challenge_id"], ["challenge.id"], name="fk_lease_challenge_id_challenge"),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_lease_job_id_job"),
        sa.ForeignKeyConstraint(["node_key_id"], ["node.key_id"], name="fk_lease_node_key_id_node"),
        sa.PrimaryKeyConstraint("job_id", "token", name="pk_lease"),
    )
    op.create_index("ix_lease_address", "lease", ["address", "ended_at"])
    op.create_index("ix_lease_node_key_id", "lease", ["node_key_id"])
    op.create_index("ix_lease_owner", "lease", ["owner", "ended_at"])
    op.create_table(
        "node_status",
        sa.Column("node_key_id", sa.String(length=64), nullable=False),
        sa.Column("seen_at", _TIME, nullable=False),
        sa.Column("skew_s", sa.Double(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["node_key_id"], ["node.key_id"], name="fk_node_status_node_key_id_node"),
        sa.PrimaryKeyConstraint("node_key_id", name="pk_node_status"),
    )
    op.create_index("ix_node_status_seen_at", "node_status", ["seen_at"])


def downgrade() -> None:
    op.drop_index("ix_node_status_seen_at", table_name="node_status")
    op.drop_table("node_status")
    op.drop_index("ix_lease_owner", table_name="lease")
    op.drop_index("ix_lease_node_key_id", table_name="lease")
    op.drop_index("ix_lease_address", table_name="lease")
    op.drop_table("lease")
    op.drop_index("ix_job_requester", table_name="job")
    op.drop_index("ix_job_requested", table_name="job")
    op.drop_index("ix_job_pull", table_name="job")
    op.drop_index("ix_job_node_key_id", table_name="job")
    op.drop_index("ix_job_line", table_name="job")
    op.drop_table("job")
