"""A database as after a long time: written by PostgreSQL itself, so that a hundred thousand bundles take seconds."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, text

from judge.assess import edition
from worker.bundle import canonical
from worker.bundle.job import Needs, Progress
from worker.suites import load

BUNDLES_PER_PULL = 50
REPOSITORY_ID = 1001
REPOSITORY = "octo/kernels"
IMAGE = f"registry.example/eval-smoke@sha256:{'1' * 64}"

_BUNDLE = "encode(sha256(('bundle' || n)::bytea), 'hex')"
_PULL = f"(1 + n / {BUNDLES_PER_PULL})"
_WHEN = "timestamptz '2026-01-01' + n * interval '1 second'"

_HISTORY = (
    f"INSERT INTO repository (id, name, seen_at) VALUES ({REPOSITORY_ID}, '{REPOSITORY}', now())",
    f"""INSERT INTO pull (repository_id, number, title, body, author, state, merged, draft, head_sha, base_sha, url,
        seen_at, judged_at, judged_head_sha)
        SELECT {REPOSITORY_ID}, n, 'Make decode faster, part ' || n, '', 'kim', 'open', false, false, repeat('a', 40),
        repeat('b', 40), 'https://github.example/pull/' || n, {_WHEN}, {_WHEN}, repeat('a', 40)
        FROM generate_series(1, :bundles / {BUNDLES_PER_PULL} + 1) AS n""",
    f"""INSERT INTO bundle (id, manifest, repository_id, repository, pull_number, head_sha, suite, origin, size_bytes,
        signature, upload_state, validation_state, validation_detail, trust_level, trust_reason, owner, address,
        created_at, progress_at, completed_at, validated_at)
        SELECT {_BUNDLE}, :manifest, {REPOSITORY_ID}, '{REPOSITORY}', {_PULL}, repeat('a', 40), 'smoke/1', 'measured',
        40000000, 'absent', 'complete', CASE WHEN n % 5 = 0 THEN 'invalid' ELSE 'valid' END, '', 0, 'unsigned',
        'account:' || n % 300, '10.0.0.' || n % 200, {_WHEN}, {_WHEN}, {_WHEN}, {_WHEN}
        FROM generate_series(1, :bundles) AS n""",
    """INSERT INTO blob (sha256, stored_at, loose)
        SELECT encode(sha256(('blob' || n)::bytea), 'hex'), now(), false FROM generate_series(1, :bundles * 2) AS n""",
    f"""INSERT INTO bundle_blob (bundle_id, sha256, size_bytes)
        SELECT {_BUNDLE}, encode(sha256(('blob' || n * 2 - k)::bytea), 'hex'), 1000
        FROM generate_series(1, :bundles) AS n, generate_series(0, 1) AS k""",
    f"""INSERT INTO assessment (bundle_id, errors, warnings, notes, edition, record)
        SELECT {_BUNDLE}, n % 3, n % 5, n % 7, :edition, '{{}}' FROM generate_series(1, :bundles) AS n""",
    f"""INSERT INTO evidence (bundle_id, pull_id, standing, record)
        SELECT {_BUNDLE}, pull.id, 'current', '{{}}'
        FROM generate_series(1, :bundles) AS n JOIN pull ON pull.number = {_PULL}""",
    """INSERT INTO verdict (pull_id, position, outcome, record)
        SELECT id, k, 'inconclusive', '{}' FROM pull, generate_series(0, 2) AS k""",
    """INSERT INTO post (pull_id, head_sha, digest, payload, conclusion, title, state, attempts, detail, url,
        created_at, sent_at)
        SELECT id, head_sha, md5(id::text), '{}', 'neutral', 'Inconclusive', 'sent', 1, '', '', now(), now()
        FROM pull""",
    f"""INSERT INTO task (kind, key, state, wanted, attempts, run_after, detail)
        SELECT 'validate', {_BUNDLE}, 'done', 1, 0, {_WHEN}, '' FROM generate_series(1, :bundles) AS n""",
    f"""INSERT INTO audit (at, actor, action, target, detail)
        SELECT {_WHEN}, 'anonymous', 'bundle.submitted', {_BUNDLE}, '' FROM generate_series(1, :bundles) AS n""",
)
_LENT = (
    """INSERT INTO node (key_id, public_key, owner, registered_at, project)
        SELECT encode(sha256(('node' || n)::bytea), 'hex'), repeat('0', 64), 'lender ' || n, now(), false
        FROM generate_series(1, :agents) AS n""",
    """INSERT INTO job (id, pull_id, head_sha, suite, suite_digest, image, needs, state, reason, priority, requested_by,
        requested_at, approved_by, approved_at, rank_at, run_after, token, failures, interruptions, progress)
        SELECT 'j-' || substr(md5(n::text), 1, 16), (SELECT min(id) FROM pull), repeat('a', 40), :suite, :suite_digest,
        :image, :needs, 'queued', '', 0, 'kim', now(), 'kim', now(), now(), now(), 0, 0, 0, :progress
        FROM generate_series(1, :agents) AS n""",
)


def seed(connection: Connection, *, manifest: bytes, bundles: int) -> None:
    """Write the history of that many bundles, all of which say the same, and let the planner look at it."""
    values = {"bundles": bundles, "manifest": manifest, "edition": edition()}
    for statement in _HISTORY:
        connection.execute(text(statement), _named(statement, values))
    connection.commit()
    connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))


def lend(connection: Connection, *, agents: int) -> None:
    """Register that many nodes, and order a job for each."""
    suite = load("smoke")
    parameters = {
        "agents": agents,
        "suite": f"{suite.id}/{suite.version}",
        "suite_digest": suite.digest,
        "image": IMAGE,
        "needs": canonical(Needs()).decode(),
        "progress": canonical(Progress()).decode(),
    }
    for statement in _LENT:
        connection.execute(text(statement), _named(statement, parameters))
    connection.commit()


def _named(statement: str, values: Mapping[str, object]) -> Mapping[str, object]:
    """Those values that a statement names."""
    return {name: value for name, value in values.items() if f":{name}" in statement}
