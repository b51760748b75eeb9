"""The job as a node gets it: everything it needs to know, signed by the service."""

from datetime import datetime

from server.claimed import claims_of
from server.models import Challenge, Job, Pull, Repository
from server.settings import Settings
from server.signing import service_key
from server.waiting import time_limit_s
from worker.bundle.job import JobSpec, Source
from worker.bundle.order import sign_job
from worker.bundle.schema import Challenge as ChallengeRecord
from worker.bundle.schema import Subject
from worker.suites import Suite


def issue_spec(
    settings: Settings,
    job: Job,
    pull: Pull,
    repository: Repository,
    *,
    suite: Suite,
    image: str,
    challenge: Challenge,
    now: datetime,
) -> str:
    """Write and sign the order for one lease.

    Returns:
        A DSSE envelope that holds a `worker.bundle.job` JobSpec.
    """
    assert job.node_key_id is not None
    assert job.approved_by is not None  # what nobody approved is not leased
    spec = JobSpec(
        format="byogpu.job/1",
        service=settings.public_url,
        job_id=job.id,
        token=job.token,
        node_key_id=job.node_key_id,
        image=image,
        source=Source(
            clone_url=pull.url.removesuffix(f"/pull/{pull.number}"), head_sha=job.head_sha, base_sha=pull.base_sha
        ),
        subject=Subject(
            repository_id=repository.id,
            repository=repository.name,
            pull_number=pull.number,
            head_sha=job.head_sha,
            base_sha=pull.base_sha,
            suite=suite.reference,
            claim_ids=tuple(claim.id for claim in claims_of(pull).claims),
        ),
        challenge=ChallengeRecord(id=challenge.id, nonce=challenge.nonce, plan_digest=challenge.plan_digest),
        author=pull.author,
        approved_by=job.approved_by,
        time_limit_s=time_limit_s(suite),
        issued_at=now,
        expires_at=challenge.expires_at,
    )
    return sign_job(spec, service_key(settings)).decode()
