"""Every table of the spine: bundles, blobs, pull requests, verdicts, the outbox, tasks, the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.INTEGER(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(length=100), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("target", sa.String(length=200), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_table(
        "blob",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("sha256", name="pk_blob"),
    )
    op.create_table(
        "delivery",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("event", sa.String(length=64), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_delivery"),
    )
    op.create_table(
        "node",
        sa.Column("key_id", sa.String(length=64), nullable=False),
        sa.Column("public_key", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=200), nullable=False),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key_id", name="pk_node"),
    )
    op.create_table(
        "repository",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_repository"),
    )
    op.create_index("ix_repository_name", "repository", ["name"])
    op.create_table(
        "task",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("run_after", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease", sa.String(length=32), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'dead')", name="ck_task_state"),
        sa.PrimaryKeyConstraint("id", name="pk_task"),
        sa.UniqueConstraint("kind", "key", name="uq_task_kind_key"),
    )
    op.create_index("ix_task_state", "task", ["state", "run_after"])
    op.create_table(
        "bundle",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("manifest", sa.LargeBinary(), nullable=False),
        sa.Column("envelope", sa.LargeBinary(), nullable=True),
        sa.Column("repository_id", sa.BigInteger(), nullable=True),
        sa.Column("repository", sa.String(length=200), nullable=True),
        sa.Column("pull_number", sa.BigInteger(), nullable=True),
        sa.Column("head_sha", sa.String(length=64), nullable=True),
        sa.Column("suite", sa.String(length=100), nullable=True),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("signature", sa.String(length=16), nullable=False),
        sa.Column("node_key_id", sa.String(length=64), nullable=True),
        sa.Column("upload_state", sa.String(length=16), nullable=False),
        sa.Column("validation_state", sa.String(length=16), nullable=False),
        sa.Column("validation_detail", sa.Text(), nullable=False),
        sa.Column("trust_level", sa.Integer(), nullable=True),
        sa.Column("trust_reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("progress_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("validated_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("signature IN ('absent', 'valid', 'invalid', 'unknown_key')", name="ck_bundle_signature"),
        sa.CheckConstraint("upload_state IN ('open', 'complete', 'expired')", name="ck_bundle_upload_state"),
        sa.CheckConstraint(
            "validation_state IN ('pending', 'running', 'valid', 'invalid', 'quarantined', 'error')",
            name="ck_bundle_validation_state",
        ),
        sa.ForeignKeyConstraint(["node_key_id"], ["node.key_id"], name="fk_bundle_node_key_id_node"),
        sa.PrimaryKeyConstraint("id", name="pk_bundle"),
    )
    op.create_index("ix_bundle_completed", "bundle", ["completed_at", "id"])
    op.create_index("ix_bundle_pull", "bundle", ["repository_id", "pull_number"])
    op.create_index("ix_bundle_upload", "bundle", ["upload_state", "progress_at"])
    op.create_table(
        "pull",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("repository_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("author", sa.String(length=100), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("merged", sa.Boolean(), nullable=False),
        sa.Column("draft", sa.Boolean(), nullable=False),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("base_sha", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("judged_head_sha", sa.String(length=64), nullable=True),
        sa.CheckConstraint("state IN ('open', 'closed')", name="ck_pull_state"),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name="fk_pull_repository_id_repository"),
        sa.PrimaryKeyConstraint("id", name="pk_pull"),
        sa.UniqueConstraint("repository_id", "number", name="uq_pull_repository_id_number"),
    )
    op.create_index("ix_pull_seen", "pull", ["seen_at", "id"])
    op.create_table(
        "assessment",
        sa.Column("bundle_id", sa.String(length=64), nullable=False),
        sa.Column("errors", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.Integer(), nullable=False),
        sa.Column("notes", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["bundle_id"], ["bundle.id"], name="fk_assessment_bundle_id_bundle"),
        sa.PrimaryKeyConstraint("bundle_id", name="pk_assessment"),
    )
    op.create_table(
        "bundle_blob",
        sa.Column("bundle_id", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["bundle_id"], ["bundle.id"], name="fk_bundle_blob_bundle_id_bundle"),
        sa.ForeignKeyConstraint(["sha256"], ["blob.sha256"], name="fk_bundle_blob_sha256_blob"),
        sa.PrimaryKeyConstraint("bundle_id", "sha256", name="pk_bundle_blob"),
    )
    op.create_index("ix_bundle_blob_sha256", "bundle_blob", ["sha256"])
    op.create_table(
        "post",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("pull_id", _SERIAL, nullable=False),
        sa.Column("head_sha", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("conclusion", sa.String(length=16), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('pending', 'sent', 'superseded', 'dead')", name="ck_post_state"),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name="fk_post_pull_id_pull"),
        sa.PrimaryKeyConstraint("id", name="pk_post"),
    )
    op.create_index("ix_post_pull_state", "post", ["pull_id", "state"])
    op.create_table(
        "verdict",
        sa.Column("pull_id", _SERIAL, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"], name="fk_verdict_pull_id_pull"),
        sa.PrimaryKeyConstraint("pull_id", "position", name="pk_verdict"),
    )


def downgrade() -> None:
    op.drop_table("verdict")
    op.drop_index("ix_post_pull_state", table_name="post")
    op.drop_table("post")
    op.drop_index("ix_bundle_blob_sha256", table_name="bundle_blob")
    op.drop_table("bundle_blob")
    op.drop_table("assessment")
    op.drop_index("ix_pull_seen", table_name="pull")
    op.drop_table("pull")
    op.drop_index("ix_bundle_upload", table_name="bundle")
    op.drop_index("ix_bundle_pull", table_name="bundle")
    op.drop_index("ix_bundle_completed", table_name="bundle")
    op.drop_table("bundle")
    op.drop_index("ix_task_state", table_name="task")
    op.drop_table("task")
    op.drop_index("ix_repository_name", table_name="repository")
    op.drop_table("repository")
    op.drop_table("node")
    op.drop_table("delivery")
    op.drop_table("blob")
    op.drop_index("ix_audit_at", table_name="audit")
    op.drop_table("audit")
