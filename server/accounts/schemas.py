"""What the routes around accounts say and hear."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from server.principals import Role, Scope
from worker.bundle.record import CommitSha, Label, Positive, Record, RepositoryName, Sha256

PublicId = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
"""The part of a credential that may be shown."""


class AccountRef(Record):
    """Somebody who signed in."""

    id: Positive
    """GitHub's number; it stays when the login changes."""
    login: Label
    role: Role


class AccountItem(AccountRef):
    """Somebody who signed in, as administrators see them."""

    created_at: AwareDatetime
    seen_at: AwareDatetime
    """When they last signed in."""


class AccountList(Record):
    """One page of accounts, the last seen first."""

    items: tuple[AccountItem, ...]
    next_cursor: str | None


class RolePut(Record):
    """Body of ``PUT /api/v1/accounts/{account_id}/role``."""

    role: Role


class SessionPage(Record):
    """Who asks, and what they may do."""

    kind: Literal["anonymous", "account", "node", "pull_key", "actions", "operator"]
    account: AccountRef | None
    scopes: tuple[Scope, ...]
    csrf_token: str | None
    """A page of ours sends it as ``X-CSRF-Token`` with what changes something; null: no cookie came along."""
    sign_in: str | None
    """Where to sign in; null: nobody can."""


class TokenPost(Record):
    """Body of ``POST /api/v1/tokens``."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    """For whoever reads the list later."""
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1, max_length=6)]
    expires_in_days: Annotated[int, Field(ge=1, le=366)]
    node_key_id: Sha256 | None = None
    """A node of yours: the token then speaks for it, and ends when its key is revoked."""


class TokenItem(Record):
    """A token as it is listed."""

    id: PublicId
    prefix: str
    """How the token begins."""
    name: str
    scopes: tuple[Scope, ...]
    node_key_id: Sha256 | None
    created_at: AwareDatetime
    expires_at: AwareDatetime
    used_at: AwareDatetime | None
    """To the minute."""
    revoked_at: AwareDatetime | None


class TokenReceipt(TokenItem):
    """A new token, told once."""

    token: str


class TokenList(Record):
    """One page of tokens, newest first."""

    items: tuple[TokenItem, ...]
    next_cursor: str | None


class PullKeyItem(Record):
    """A pull request's key as it is listed."""

    id: PublicId
    prefix: str
    """How the key begins."""
    repository_id: Positive
    repository: RepositoryName
    pull_number: Positive
    head_sha: CommitSha
    """The one commit that it uploads bundles about."""
    issued_by: Label | None
    """Null: the operator."""
    created_at: AwareDatetime
    expires_at: AwareDatetime
    used_at: AwareDatetime | None
    revoked_at: AwareDatetime | None


class PullKeyReceipt(PullKeyItem):
    """A new key, told once."""

    key: str


class PullKeyList(Record):
    """One page of keys, newest first."""

    items: tuple[PullKeyItem, ...]
    next_cursor: str | None


class DeviceReceipt(Record):
    """A sign-in that waits for somebody to agree in a browser."""

    device_code: str
    user_code: str
    """What they type at ``verification_uri``."""
    verification_uri: str
    expires_in_s: Positive
    interval_s: Positive
    """Ask no more often."""


class DevicePost(Record):
    """Body of ``POST /api/v1/sign-in/device/token``."""

    device_code: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    """Of the token."""


class DeviceProgress(Record):
    """How far a sign-in on a device has come."""

    state: Literal["waiting", "granted"]
    interval_s: Positive | None
    """Waiting: the interval from now on, if we were asked too often."""
    account: AccountRef | None
    token: TokenReceipt | None
    """Granted: told once."""
