"""Keys and owners nobody should register."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.hostile.conftest import Target

KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"

BODIES: dict[str, tuple[Any, str]] = {
    "key too short": ({"public_key": KEY[:-2], "owner": "o"}, "body_invalid"),
    "key in capitals": ({"public_key": KEY.upper(), "owner": "o"}, "body_invalid"),
    "key in PEM": ({"public_key": "-----BEGIN PUBLIC KEY-----", "owner": "o"}, "body_invalid"),
    "key with a line break": ({"public_key": KEY + "\n", "owner": "o"}, "body_invalid"),
    "no owner": ({"public_key": KEY}, "node_owner_invalid"),
    "proof that is none": ({"public_key": KEY, "proof": "{}", "owner": 7}, "body_invalid"),
    "empty owner": ({"public_key": KEY, "owner": ""}, "body_invalid"),
    "owner with an escape sequence": ({"public_key": KEY, "owner": "\x1b[2Jo"}, "body_invalid"),
    "owner without end": ({"public_key": KEY, "owner": "o" * 201}, "body_invalid"),
    "trust on top": ({"public_key": KEY, "owner": "o", "trust": 4}, "body_invalid"),
    "too large": ({"public_key": KEY, "owner": "o" * 9000}, "body_too_large"),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(target: Target, name: str) -> None:
    body, code = BODIES[name]
    headers = {"Content-Type": "application/json", **target.service.admin}
    target.expect(target.service.client.post("/api/v1/nodes", content=json.dumps(body), headers=headers), code)


def test_nobody_without_the_token_learns_whether_a_body_is_good(target: Target) -> None:
    target.expect(target.service.client.post("/api/v1/nodes", content=b"{"), "unauthorized")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("octo/kernels/0/sync", "parameter_invalid"),
        ("octo/kernels/x/sync", "parameter_invalid"),
        ("octo/ker%20nels/1/sync", "parameter_invalid"),
        ("oc%0Ato/kernels/1/sync", "parameter_invalid"),
        ("octo/kernels/1/sync", "github_not_configured"),
    ],
)
def test_pull_requests_that_cannot_be_read(target: Target, path: str, code: str) -> None:
    target.expect(target.service.client.post(f"/api/v1/pulls/{path}", headers=target.service.admin), code)
