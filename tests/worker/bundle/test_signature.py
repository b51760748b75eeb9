import base64
import json
import stat

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from worker.bundle import BundleError
from worker.bundle.signature import generate_key, key_id_of, key_ids, load_key, sign, verify

MANIFEST = b'{"format":"byogpu.bundle/1"}'


@pytest.fixture
def key(tmp_path):
    return generate_key(tmp_path / "keys" / "node.pem")


def test_a_signature_verifies_and_names_its_key(key):
    envelope = sign(MANIFEST, key)
    assert key_ids(envelope) == (key.key_id,)
    assert verify(envelope, MANIFEST, {key.key_id: key.public_key}) == key.key_id
    assert key_id_of(key.public_key) == key.key_id


def test_the_envelope_holds_for_an_independent_implementation(key):
    envelope = json.loads(sign(MANIFEST, key))
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"].encode()
    pae = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.public_key))
    signature = base64.b64decode(envelope["signatures"][0]["sig"])
    public.verify(signature, pae)
    with pytest.raises(InvalidSignature):
        public.verify(signature, pae + b" ")
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"


def test_the_key_file_is_private_and_never_overwritten(key, tmp_path):
    path = tmp_path / "keys" / "node.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_key(path).key_id == key.key_id
    with pytest.raises(BundleError) as caught:
        generate_key(path)
    assert caught.value.code == "key_exists"
    assert "PRIVATE" not in repr(key)


def refusal(envelope, manifest, keys):
    with pytest.raises(BundleError) as caught:
        verify(envelope, manifest, keys)
    return caught.value.code


def test_wrong_keys_manifests_and_signatures_are_told_apart(key, tmp_path):
    other = generate_key(tmp_path / "other.pem")
    envelope = sign(MANIFEST, key)
    keys = {key.key_id: key.public_key}
    assert refusal(envelope, MANIFEST, {other.key_id: other.public_key}) == "signature_unknown_key"
    assert refusal(envelope, b"{}", keys) == "signature_wrong_subject"
    assert refusal(envelope, MANIFEST, {key.key_id: other.public_key}) == "signature_invalid"
    tampered = json.loads(envelope)
    tampered["payload"] = json.loads(sign(b"{}", key))["payload"]
    assert refusal(json.dumps(tampered).encode(), b"{}", keys) == "signature_invalid"


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.update(extra=1),
        lambda e: e.update(payloadType="text/plain"),
        lambda e: e.update(payload="***"),
        lambda e: e.update(payload="A"),
        lambda e: e.update(signatures=[]),
        lambda e: e.update(signatures=e["signatures"] * 2),
        lambda e: e["signatures"][0].update(keyid="short"),
        lambda e: e["signatures"][0].pop("sig"),
    ],
)
def test_malformed_envelopes_are_refused(key, change):
    envelope = json.loads(sign(MANIFEST, key))
    change(envelope)
    assert refusal(json.dumps(envelope).encode(), MANIFEST, {key.key_id: key.public_key}) == "envelope_invalid"


def test_oversized_and_truncated_envelopes_are_refused(key):
    envelope = sign(MANIFEST, key)
    for data in (envelope[:-1], b"", b" " * 70_000):
        assert refusal(data, MANIFEST, {}) == "envelope_invalid"


def test_bad_key_files_and_keys_are_refused(tmp_path):
    path = tmp_path / "key.pem"
    for content in (b"", b"not a key"):
        path.write_bytes(content)
        with pytest.raises(BundleError) as caught:
            load_key(path)
        assert caught.value.code == "key_invalid"
    curve = ec.generate_private_key(ec.SECP256R1())
    path.write_bytes(curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(BundleError) as caught:
        load_key(path)
    assert caught.value.code == "key_invalid"
    with pytest.raises(BundleError) as caught:
        load_key(tmp_path / "absent")
    assert caught.value.code == "key_missing"
    for public in ("zz" * 32, "00" * 31):
        with pytest.raises(BundleError) as caught:
            key_id_of(public)
        assert caught.value.code == "key_invalid"
