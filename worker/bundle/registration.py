"""Proof that whoever registers a node's key holds it: a statement about the account, signed with the key."""

from typing import Literal

from worker.bundle.canonical import canonical, parse_record
from worker.bundle.dsse import NodeKey, PublicKey, key_id_of, seal, unseal
from worker.bundle.errors import BundleError
from worker.bundle.record import Positive, Record

PAYLOAD_TYPE = "application/vnd.byogpu.node-registration+json"


class Registration(Record):
    """What the key signs."""

    format: Literal["byogpu.node-registration/1"]
    account_id: Positive
    """GitHub's number of the account that the node shall belong to."""
    public_key: PublicKey


def prove(key: NodeKey, *, account_id: int) -> bytes:
    """Sign that a node shall belong to an account.

    Returns:
        A DSSE envelope as canonical JSON.
    """
    statement = Registration(format="byogpu.node-registration/1", account_id=account_id, public_key=key.public_key)
    return seal(canonical(statement.model_dump(mode="json")), PAYLOAD_TYPE, key)


def check_proof(envelope: bytes, *, public_key: PublicKey, account_id: int) -> None:
    """Demand that the holder of a key wants its node to belong to an account.

    Raises:
        BundleError: ``proof_invalid``.
    """
    try:
        payload = unseal(envelope, PAYLOAD_TYPE, {key_id_of(public_key): public_key})[0]
        said = parse_record(payload, Registration, code="proof_invalid")
    except BundleError as error:
        raise BundleError("proof_invalid", error.detail) from error
    if (said.account_id, said.public_key) != (account_id, public_key):
        raise BundleError("proof_invalid", "the proof is about another account or another key")
