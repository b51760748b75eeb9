"""What the routes around nodes say and hear."""

from typing import Annotated

from pydantic import AwareDatetime, Field

from worker.bundle.record import Label, Record, Sha256
from worker.bundle.signature import PublicKey


class NodePost(Record):
    """Body of ``POST /api/v1/nodes``."""

    public_key: PublicKey
    """The 32 raw bytes of an ed25519 public key in hexadecimal."""
    owner: Label | None = None
    """Whose machine it is; shown beside its bundles. Operators name it; null: the account that asks."""
    project: bool = False
    """Whether the project runs it itself: its bundles reach trust level 4. For operators."""
    proof: Annotated[str, Field(max_length=4_000)] | None = None
    """What `worker.bundle.registration.prove` returns: that who asks holds the key. Accounts need it."""


class NodeReceipt(Record):
    """A registered node."""

    key_id: Sha256
    public_key: PublicKey
    owner: Label
    project: bool


class OwnNode(NodeReceipt):
    """A node of an account."""

    registered_at: AwareDatetime
    revoked_at: AwareDatetime | None
    """Bundles that were submitted before keep its signature, later ones do not have it."""


class OwnNodeList(Record):
    """One page of an account's nodes, newest first."""

    items: tuple[OwnNode, ...]
    next_cursor: str | None
