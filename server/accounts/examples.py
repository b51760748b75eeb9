"""Examples of the routes around accounts, for OpenAPI."""

from datetime import UTC, datetime, timedelta

from server.accounts.schemas import (
    AccountItem,
    AccountRef,
    DeviceProgress,
    DeviceReceipt,
    PullKeyItem,
    PullKeyReceipt,
    SessionPage,
    TokenItem,
    TokenReceipt,
)
from server.pulls import EXAMPLE as PULL

_AT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
_SECRET = "Xw5vXn7nB0mLZ7o0o2W6r8Yk3m1sJq4uGd9hTfPzRcE"  # noqa: S105  an example
_ACCOUNT = AccountRef(id=583231, login="octocat", role="contributor")

ACCOUNT = AccountItem(**_ACCOUNT.model_dump(), created_at=_AT, seen_at=_AT)
SESSION = SessionPage(
    kind="account",
    account=_ACCOUNT,
    scopes=("bundles:write", "challenges:write", "jobs:work", "nodes:write"),
    csrf_token="5f9c1f0b7a5d3e0c2b4a69788796a5b4c3d2e1f0918273645546372819a0b1c2",  # noqa: S106  an example
    sign_in="/api/v1/sign-in",
)
TOKEN_POST = {"name": "desk", "scopes": ["bundles:write"], "expires_in_days": 30, "node_key_id": None}
TOKEN_ITEM = TokenItem(
    id="21fe31dfa154",
    prefix="byo_t_21fe31dfa154",
    name="desk",
    scopes=("bundles:write",),
    node_key_id=None,
    created_at=_AT,
    expires_at=_AT + timedelta(days=30),
    used_at=None,
    revoked_at=None,
)
TOKEN = TokenReceipt(**TOKEN_ITEM.model_dump(), token=f"byo_t_21fe31dfa154_{_SECRET}")
KEY_ITEM = PullKeyItem(
    id="a261626bf854",
    prefix="byo_k_a261626bf854",
    repository_id=PULL.repository_id,
    repository=PULL.repository,
    pull_number=PULL.number,
    head_sha=PULL.head_sha,
    issued_by="octocat",
    created_at=_AT,
    expires_at=_AT + timedelta(days=7),
    used_at=None,
    revoked_at=None,
)
KEY = PullKeyReceipt(**KEY_ITEM.model_dump(), key=f"byo_k_a261626bf854_{_SECRET}")
DEVICE_POST = {"device_code": "3584d83530557fdd1f46af8289938c8ef79f9dc5", "name": "login from a device"}
DEVICE = DeviceReceipt(
    device_code=DEVICE_POST["device_code"],
    user_code="WDJB-MJHT",
    verification_uri="https://github.com/login/device",
    expires_in_s=900,
    interval_s=5,
)
PROGRESS = DeviceProgress(state="waiting", interval_s=None, account=None, token=None)
