"""The server's API as typed functions. Written by scripts/write_client.py, never by hand."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from worker.messages import Answer, Body, Caller, at

# What is raised: see `worker.service.Service.ask`.


class Health(Answer):
    """The process answers."""

    status: Literal["ok"]
    version: str


class AccountRef(Answer):
    """Somebody who signed in."""

    id: Annotated[int, Field(le=9007199254740991, ge=1)]
    """GitHub's number; it stays when the login changes."""
    login: Annotated[str, Field(max_length=200, min_length=1)]
    role: Literal["contributor", "maintainer", "admin"]


class SessionPage(Answer):
    """Who asks, and what they may do."""

    account: AccountRef | None
    kind: Literal["anonymous", "account", "node", "pull_key", "actions", "operator"]
    scopes: tuple[
        Literal["bundles:write", "challenges:write", "jobs:work", "jobs:request", "nodes:write", "admin"], ...
    ]
    sign_in: str | None
    """Where to sign in; null: nobody can."""


class DeviceReceipt(Answer):
    """A sign-in that waits for somebody to agree in a browser."""

    device_code: str
    expires_in_s: Annotated[int, Field(le=9007199254740991, ge=1)]
    interval_s: Annotated[int, Field(le=9007199254740991, ge=1)]
    """Ask no more often."""
    user_code: str
    """What they type at ``verification_uri``."""
    verification_uri: str


class TokenReceipt(Answer):
    """A new token, told once."""

    expires_at: AwareDatetime
    id: Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
    token: str


class DeviceProgress(Answer):
    """How far a sign-in on a device has come."""

    account: AccountRef | None
    interval_s: Annotated[int, Field(le=9007199254740991, ge=1)] | None
    """Waiting: the interval from now on, if we were asked too often."""
    state: Literal["waiting", "granted"]
    token: TokenReceipt | None
    """Granted: told once."""


class DevicePost(Body):
    """Body of ``POST /api/v1/sign-in/device/token``."""

    device_code: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,100}$")]
    name: Annotated[str, Field(max_length=100, min_length=1)]
    """Of the token."""


class TokenItem(Answer):
    """A token as it is listed."""

    id: Annotated[str, Field(pattern="^[0-9a-f]{12}$")]


class Claim(Answer):
    """One claim of a pull request."""

    id: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,79}$")]


class PullRef(Answer):
    """A pull request in short."""

    base_sha: Annotated[str, Field(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")]
    head_sha: Annotated[str, Field(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")]
    number: Annotated[int, Field(le=9007199254740991, ge=1)]
    repository: str
    repository_id: Annotated[int, Field(le=9007199254740991, ge=1)]


class PullPage(Answer):
    """A pull request: claims, their verdicts, and the evidence behind them."""

    claims: tuple[Claim, ...]
    pull: PullRef


class ChallengeReceipt(Answer):
    """A challenge, told once to whoever asked for it."""

    head_sha: Annotated[str, Field(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")]
    """The commit that the run has to be about."""
    id: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,79}$")]
    nonce: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{22,86}$")]
    """Everything that a run could choose is derived from it. Keep it to yourself until the bundle is submitted."""
    plan_digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the plan that nonce and suite imply."""
    repository_id: Annotated[int, Field(le=9007199254740991, ge=1)]


class ChallengePost(Body):
    """Body of ``POST /api/v1/challenges``."""

    node_key_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """A registered node: only a bundle with its signature can use the challenge. Null: any that knows the nonce."""
    pull_number: Annotated[int, Field(le=9007199254740991, ge=1)]
    repository: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}$")]
    suite_digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Of a published suite; `GET /api/v1/suites` lists them."""


class ChallengeRef(Answer):
    """An issued challenge and what became of it."""

    fate: Literal["open", "used", "abandoned", "expired"]
    """``open``: a bundle may still use it; ``used``: by ``bundle_id``; ``abandoned``: given up by whoever asked for it;
``expired``: no bundle came in time."""


class ChallengeGivenUp(Body):
    """Body of ``POST /api/v1/challenges/{challenge_id}/abandon``."""

    nonce: Annotated[str, Field(max_length=86, min_length=1)]
    """Proves that it is yours."""


class PartPlan(Answer):
    """One part of a blob to upload."""

    number: Annotated[int, Field(le=9007199254740991, ge=1)]
    offset: Annotated[int, Field(le=9007199254740991, ge=0)]
    """First byte of the blob that the part holds."""
    received: bool
    """It is here already; need not be sent again."""
    size_bytes: Annotated[int, Field(le=9007199254740991, ge=0)]


class UploadPlan(Answer):
    """How a blob is cut into parts."""

    part_size_bytes: Annotated[int, Field(le=9007199254740991, ge=1)]
    parts: tuple[PartPlan, ...]


class MissingBlob(Answer):
    """A blob the bundle lists and the server does not have whole."""

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    size_bytes: Annotated[int, Field(le=9007199254740991, ge=0)]
    upload: UploadPlan


class BundleReceipt(Answer):
    """Where a bundle stands. The same for a repeated request."""

    bundle_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    missing: tuple[MissingBlob, ...]
    """Empty once ``upload_state`` is ``complete``."""
    trust_level: Annotated[int, Field(le=4, ge=0)] | None
    """None until validated."""
    upload_state: Literal["open", "complete", "expired"]
    url: str
    """Page of the bundle for people."""
    validation_state: Literal["pending", "running", "valid", "invalid", "quarantined", "error"]


class EnvelopeSignature(Body):
    """One signature of an envelope."""

    keyid: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    sig: Annotated[str, Field(max_length=1000)]


class Envelope(Body):
    """A DSSE envelope, taken as it is: the signature is checked against the manifest's exact bytes."""

    payload: Annotated[str, Field(max_length=64000)]
    payload_type: Annotated[Literal["application/vnd.in-toto+json"], Field(alias="payloadType")]
    signatures: Annotated[tuple[EnvelopeSignature, ...], Field(max_length=8, min_length=1)]


class BundlePost(Body):
    """Body of ``POST /api/v1/bundles``."""

    envelope: Envelope | None = None
    """The DSSE envelope over it; null: unsigned."""
    manifest: Annotated[str, Field(min_length=2)]
    """The manifest's canonical JSON, as text: its UTF-8 bytes are what the bundle's id is the SHA-256 of."""


class PartAddress(Answer):
    """Where one part goes, and nothing else."""

    headers: dict[str, str]
    """To be sent along as they are."""
    number: Annotated[int, Field(le=9007199254740991, ge=1)]
    url: str
    """Where to ``PUT`` the part: absolute, or relative to the address of the request that was answered."""


class PartAddresses(Answer):
    """Where parts go. An address may expire: ask again."""

    parts: tuple[PartAddress, ...]


class PartAnnouncement(Body):
    """What a part will be."""

    number: Annotated[int, Field(le=9007199254740991, ge=1)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    size_bytes: Annotated[int, Field(le=9007199254740991, ge=0)]


class PartsPost(Body):
    """Body of ``POST /api/v1/blobs/{sha256}/parts``."""

    parts: Annotated[tuple[PartAnnouncement, ...], Field(max_length=100, min_length=1)]


class NodeReceipt(Answer):
    """A registered node."""

    key_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    owner: Annotated[str, Field(max_length=200, min_length=1)]
    project: bool
    public_key: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class NodePost(Body):
    """Body of ``POST /api/v1/nodes``."""

    owner: Annotated[str, Field(max_length=200, min_length=1)] | None = None
    """Whose machine it is; shown beside its bundles. Operators name it; null: the account that asks."""
    project: bool = False
    """Whether the project runs it itself: its bundles reach trust level 4. For operators."""
    proof: Annotated[str, Field(max_length=4000)] | None = None
    """What `worker.bundle.registration.prove` returns: that who asks holds the key. Accounts need it."""
    public_key: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """The 32 raw bytes of an ed25519 public key in hexadecimal."""


class OwnNode(Answer):
    """A node of an account."""

    key_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    owner: Annotated[str, Field(max_length=200, min_length=1)]
    registered_at: AwareDatetime
    revoked_at: AwareDatetime | None
    """Bundles that were submitted before keep its signature, later ones do not have it."""


class OwnNodeList(Answer):
    """One page of an account's nodes, newest first."""

    items: tuple[OwnNode, ...]
    next_cursor: str | None


class PartReceipt(Answer):
    """A part that arrived whole."""

    number: Annotated[int, Field(le=9007199254740991, ge=1)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    size_bytes: Annotated[int, Field(le=9007199254740991, ge=0)]


def get_health(caller: Caller) -> Health:
    """Is the process alive?."""
    return caller.ask("GET", "/health", Health)


def get_session(caller: Caller) -> SessionPage:
    """Ask who one is."""
    return caller.ask("GET", "/api/v1/session", SessionPage)


def post_device(caller: Caller) -> DeviceReceipt:
    """Sign in on a device."""
    return caller.ask("POST", "/api/v1/sign-in/device", DeviceReceipt)


def post_device_token(caller: Caller, body: DevicePost) -> DeviceProgress:
    """Ask whether a device is signed in."""
    return caller.ask("POST", "/api/v1/sign-in/device/token", DeviceProgress, body=body)


def revoke_token(caller: Caller, token_id: str) -> TokenItem:
    """Revoke a token."""
    return caller.ask("POST", at("/api/v1/tokens/{token_id}/revoke", token_id=token_id), TokenItem)


def get_pull(caller: Caller, owner: str, name: str, number: int) -> PullPage:
    """Read a pull request."""
    return caller.ask(
        "GET", at("/api/v1/pulls/{owner}/{name}/{number}", owner=owner, name=name, number=number), PullPage
    )


def post_challenge(caller: Caller, body: ChallengePost) -> ChallengeReceipt:
    """Ask for a challenge."""
    return caller.ask("POST", "/api/v1/challenges", ChallengeReceipt, body=body)


def abandon_challenge(caller: Caller, challenge_id: str, body: ChallengeGivenUp) -> ChallengeRef:
    """Give a challenge up."""
    return caller.ask(
        "POST", at("/api/v1/challenges/{challenge_id}/abandon", challenge_id=challenge_id), ChallengeRef, body=body
    )


def post_bundle(caller: Caller, body: BundlePost) -> BundleReceipt:
    """Register a bundle's manifest."""
    return caller.ask("POST", "/api/v1/bundles", BundleReceipt, body=body)


def announce_parts(caller: Caller, sha256: str, body: PartsPost) -> PartAddresses:
    """Ask where parts of a blob go."""
    return caller.ask("POST", at("/api/v1/blobs/{sha256}/parts", sha256=sha256), PartAddresses, body=body)


def submit_bundle(caller: Caller, bundle_id: str) -> BundleReceipt:
    """Submit a bundle for validation."""
    return caller.ask("POST", at("/api/v1/bundles/{bundle_id}/submit", bundle_id=bundle_id), BundleReceipt)


def get_status(caller: Caller, bundle_id: str) -> BundleReceipt:
    """Ask where a bundle stands."""
    return caller.ask("GET", at("/api/v1/bundles/{bundle_id}/status", bundle_id=bundle_id), BundleReceipt)


def post_node(caller: Caller, body: NodePost) -> NodeReceipt:
    """Register a node's public key."""
    return caller.ask("POST", "/api/v1/nodes", NodeReceipt, body=body)


def revoke_node(caller: Caller, key_id: str) -> OwnNode:
    """Revoke a node's key."""
    return caller.ask("POST", at("/api/v1/nodes/{key_id}/revoke", key_id=key_id), OwnNode)


def list_own_nodes(caller: Caller, *, cursor: str | None = None, limit: int | None = None) -> OwnNodeList:
    """List your nodes."""
    return caller.ask("GET", "/api/v1/account/nodes", OwnNodeList, query={"cursor": cursor, "limit": limit})
