"""DSSE envelopes with ed25519 keys: what a bundle and a job are signed with.

Source: secure-systems-lab/dsse protocol 1.0.2.
"""

import os
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from pydantic import Field
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, Key, SSlibKey

from worker.bundle.canonical import canonical, parse_record
from worker.bundle.errors import BundleError
from worker.bundle.record import Label, Record, Sha256

MAX_ENVELOPE_BYTES = 64_000

PublicKey = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""The 32 raw bytes of an ed25519 public key in hexadecimal."""

_Base64 = Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]*={0,2}$", max_length=MAX_ENVELOPE_BYTES)]


class _Signature(Record):
    keyid: Sha256
    sig: _Base64


class _Envelope(Record):
    payload: _Base64
    payload_type: Annotated[Label, Field(alias="payloadType")]
    signatures: Annotated[tuple[_Signature, ...], Field(min_length=1, max_length=8)]


@dataclass(frozen=True)
class NodeKey:
    """A private key, held in memory only while it signs.

    Attributes:
        key_id: Names the public half; 64 hexadecimal characters.
        public_key: The 32 raw bytes of the public half in hexadecimal; safe to publish.
    """

    key_id: str
    public_key: str
    _signer: CryptoSigner

    def __repr__(self) -> str:
        """Name the key without showing it."""
        return f"NodeKey({self.key_id})"


def generate_key(path: Path) -> NodeKey:
    """Make a key, store it readable by its owner only, and return it.

    Raises:
        BundleError: ``key_exists``: a key is never overwritten.
    """
    signer = CryptoSigner.generate_ed25519()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BundleError("key_exists", f"{path} exists already; remove it to make a new key") from error
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(signer.private_bytes)
    return _node_key(signer)


def load_key(path: Path) -> NodeKey:
    """Load a key made by `generate_key`.

    Raises:
        BundleError: ``key_missing``, ``key_invalid``.
    """
    try:
        private = load_pem_private_key(path.read_bytes(), password=None)
    except FileNotFoundError as error:
        raise BundleError("key_missing", f"there is no key at {path}") from error
    except (ValueError, TypeError) as error:
        raise BundleError("key_invalid", f"{path} holds no unencrypted PEM private key") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise BundleError("key_invalid", f"{path} is not an ed25519 key")
    return _node_key(CryptoSigner(private))


def key_id_of(public_key: str) -> str:
    """Key id of a public key, as securesystemslib derives it.

    Args:
        public_key: 64 hexadecimal characters.

    Raises:
        BundleError: ``key_invalid``.
    """
    return str(_ssl_key(public_key).keyid)


def seal(payload: bytes, payload_type: str, key: NodeKey) -> bytes:
    """Sign bytes and what they are.

    Returns:
        The envelope as canonical JSON.
    """
    envelope = Envelope(payload, payload_type, {})
    envelope.sign(key._signer)
    return canonical(
        {
            "payload": b64encode(envelope.payload).decode(),
            "payloadType": payload_type,
            "signatures": [
                {"keyid": one.keyid, "sig": b64encode(bytes.fromhex(one.signature)).decode()}
                for one in envelope.signatures.values()
            ],
        }
    )


def unseal(envelope: bytes, payload_type: str, public_keys: Mapping[str, str]) -> tuple[bytes, str]:
    """Check that a known key signed an envelope's payload.

    Args:
        envelope: DSSE envelope as JSON.
        payload_type: What the payload has to be.
        public_keys: Known keys by key id, each 64 hexadecimal characters.

    Returns:
        The payload, and the id of the key whose signature holds.

    Raises:
        BundleError: ``envelope_invalid``, ``signature_unknown_key``, ``signature_invalid``.
    """
    parsed = _parse(envelope, payload_type)
    known: list[Key] = [_ssl_key(public_keys[one.keyid]) for one in parsed.signatures if one.keyid in public_keys]
    if not known:
        raise BundleError("signature_unknown_key", f"key {parsed.signatures[0].keyid} is not registered")
    dsse = Envelope.from_dict(parsed.model_dump(mode="json", by_alias=True))
    try:
        accepted = dsse.verify(known, 1)
    except VerificationError as error:
        raise BundleError("signature_invalid", "the signature does not match the envelope's payload") from error
    return bytes(dsse.payload), str(next(iter(accepted)))


def signers(envelope: bytes, payload_type: str) -> tuple[str, ...]:
    """Key ids that an envelope says signed it; nothing is verified.

    Raises:
        BundleError: ``envelope_invalid``.
    """
    return tuple(one.keyid for one in _parse(envelope, payload_type).signatures)


def _node_key(signer: CryptoSigner) -> NodeKey:
    public = signer.public_key
    return NodeKey(str(public.keyid), str(public.keyval["public"]), signer)


def _ssl_key(public_key: str) -> SSlibKey:
    try:
        return SSlibKey.from_crypto(Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)))
    except ValueError as error:
        raise BundleError("key_invalid", "a public key is 64 hexadecimal characters (32 raw bytes)") from error


def _parse(envelope: bytes, payload_type: str) -> _Envelope:
    if len(envelope) > MAX_ENVELOPE_BYTES:
        raise BundleError("envelope_invalid", f"the envelope has more than {MAX_ENVELOPE_BYTES} bytes")
    try:
        parsed = parse_record(envelope, _Envelope, code="envelope_invalid")
        for text in (parsed.payload, *(one.sig for one in parsed.signatures)):
            b64decode(text, validate=True)
    except (BundleError, ValueError) as error:
        detail = error.detail if isinstance(error, BundleError) else "a field is not base64"
        raise BundleError("envelope_invalid", detail) from error
    if parsed.payload_type != payload_type:
        raise BundleError("envelope_invalid", f"the payload is not {payload_type}")
    if len({one.keyid for one in parsed.signatures}) != len(parsed.signatures):
        raise BundleError("envelope_invalid", "two signatures by the same key")
    return parsed
