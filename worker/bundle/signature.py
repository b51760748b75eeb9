"""Signing a bundle: a DSSE envelope (ed25519) over an in-toto Statement v1 about the manifest's digest.

The envelope is detached: it names the manifest by digest and can be checked with any DSSE implementation.

Source: secure-systems-lab/dsse protocol 1.0.2; in-toto attestation Statement v1.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import Statement

from worker.bundle.canonical import canonical, check_json, digest
from worker.bundle.dsse import (
    MAX_ENVELOPE_BYTES,
    NodeKey,
    PublicKey,
    generate_key,
    key_id_of,
    load_key,
    seal,
    signers,
    unseal,
)
from worker.bundle.errors import BundleError
from worker.bundle.schema import FORMAT

__all__ = [
    "MAX_ENVELOPE_BYTES",
    "PAYLOAD_TYPE",
    "PREDICATE_TYPE",
    "NodeKey",
    "PublicKey",
    "generate_key",
    "key_id_of",
    "key_ids",
    "load_key",
    "sign",
    "verify",
]

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PREDICATE_TYPE = "urn:byogpu:predicate:bundle:v1"


def sign(manifest_bytes: bytes, key: NodeKey) -> bytes:
    """Sign a manifest.

    Returns:
        The DSSE envelope as canonical JSON.
    """
    statement = Statement(
        [ResourceDescriptor(name="manifest.json", digest={"sha256": digest(manifest_bytes)}).pb],
        PREDICATE_TYPE,
        {"format": FORMAT},
    )
    statement.validate()
    return seal(canonical(MessageToDict(statement.pb)), PAYLOAD_TYPE, key)


def key_ids(envelope: bytes) -> tuple[str, ...]:
    """Key ids that an envelope says signed it; nothing is verified.

    Raises:
        BundleError: ``envelope_invalid``.
    """
    return signers(envelope, PAYLOAD_TYPE)


def verify(envelope: bytes, manifest_bytes: bytes, public_keys: Mapping[str, str]) -> str:
    """Check that a known key signed exactly this manifest.

    Args:
        envelope: DSSE envelope as JSON.
        manifest_bytes: Canonical manifest.
        public_keys: Known keys by key id, each 64 hexadecimal characters.

    Returns:
        The id of the key whose signature holds.

    Raises:
        BundleError: ``envelope_invalid``, ``signature_unknown_key``, ``signature_invalid``,
            ``signature_wrong_subject``.
    """
    payload, key_id = unseal(envelope, PAYLOAD_TYPE, public_keys)
    if _subject(payload) != {digest(manifest_bytes)}:
        raise BundleError("signature_wrong_subject", "the signature is about another manifest")
    return key_id


def _subject(payload: bytes) -> set[str]:
    statement: Any = check_json(payload)
    try:
        if (statement["_type"], statement["predicateType"]) != ("https://in-toto.io/Statement/v1", PREDICATE_TYPE):
            return set()
        return {subject["digest"]["sha256"] for subject in statement["subject"]}
    except (KeyError, TypeError):
        return set()
