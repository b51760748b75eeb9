"""Signing a job: a DSSE envelope (ed25519) by the service, so that a node runs nothing else."""

from worker.bundle.canonical import canonical, parse_record
from worker.bundle.dsse import NodeKey, key_id_of, seal, unseal
from worker.bundle.errors import BundleError
from worker.bundle.job import JobSpec

PAYLOAD_TYPE = "application/vnd.byogpu.job.v1+json"


def sign_job(spec: JobSpec, key: NodeKey) -> bytes:
    """Sign a job with the service's key.

    Returns:
        The DSSE envelope, which holds the job, as canonical JSON.
    """
    return seal(canonical(spec), PAYLOAD_TYPE, key)


def open_job(envelope: bytes, *, service_key: str) -> JobSpec:
    """Take a job out of its envelope if the service signed it.

    Args:
        envelope: As `sign_job` made it.
        service_key: The service's public key, 64 hexadecimal characters.

    Raises:
        BundleError: ``envelope_invalid``, ``signature_unknown_key``, ``signature_invalid``, ``job_invalid``.
    """
    payload, _ = unseal(envelope, PAYLOAD_TYPE, {key_id_of(service_key): service_key})
    spec = parse_record(payload, JobSpec, code="job_invalid")
    if canonical(spec) != payload:
        raise BundleError("job_invalid", "the job is not canonical JSON (RFC 8785)")
    return spec
