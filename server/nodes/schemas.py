"""What the routes around nodes say and hear."""

from worker.bundle.record import Label, Record, Sha256
from worker.bundle.signature import PublicKey


class NodePost(Record):
    """Body of ``POST /api/v1/nodes``."""

    public_key: PublicKey
    """The 32 raw bytes of an ed25519 public key in hexadecimal."""
    owner: Label
    """Whose machine it is; shown beside its bundles."""
    project: bool = False
    """Whether the project runs it itself: its bundles reach trust level 4."""


class NodeReceipt(Record):
    """A registered node."""

    key_id: Sha256
    public_key: PublicKey
    owner: Label
    project: bool
