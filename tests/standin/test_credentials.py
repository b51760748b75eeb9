from __future__ import annotations

import base64
import hmac
import json

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from standin.acts import NewPull

NOT_DECODED = "A JSON web token could not be decoded"


def test_a_right_jwt_is_the_app(http, sign):
    answer = http.get("/app", headers=sign())
    assert (answer.status_code, answer.json()["id"], answer.json()["slug"]) == (200, 77, "byogpu")


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"exp": -1}, "'Expiration time' claim ('exp') must be"),
        ({"exp": 0}, "'Expiration time' claim ('exp') must be"),
        ({"exp": 601}, "too far in the future"),
        ({"exp": None}, "'Expiration time' claim ('exp') must be"),
        ({"iat": 30}, "'Issued at' claim"),
        ({"iat": None}, "'Issued at' claim"),
        ({"iss": "78"}, "'Issuer' claim"),
        ({"iss": None}, "'Issuer' claim"),
    ],
)
def test_a_wrong_claim_is_refused_in_githubs_words(http, sign, clock, claims, words):
    now = int(clock.now.timestamp())
    absolute = {k: v + now if isinstance(v, int) else v for k, v in claims.items()}
    answer = http.get("/app", headers=sign(**absolute))
    assert answer.status_code == 401
    assert words in answer.json()["message"]


@pytest.mark.parametrize("claims", [{"exp": 600}, {"exp": 1}, {"iat": 0}])
def test_the_limits_themselves_are_accepted(http, sign, clock, claims):
    now = int(clock.now.timestamp())
    assert http.get("/app", headers=sign(**{k: v + now for k, v in claims.items()})).status_code == 200


def by_hand(header, claims, signer):
    """Put a JWT together without the checks that PyJWT makes when it signs."""
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (header, claims)]
    signature = base64.urlsafe_b64encode(signer(b".".join(parts))).rstrip(b"=")
    return {"Authorization": f"Bearer {b'.'.join([*parts, signature]).decode()}"}


def test_an_issuer_may_be_a_number(http, private_key, clock):
    now = int(clock.now.timestamp())
    headers = by_hand(
        {"alg": "RS256", "typ": "JWT"},
        {"iat": now, "exp": now + 60, "iss": 77},
        lambda signed: private_key.sign(signed, padding.PKCS1v15(), hashes.SHA256()),
    )
    assert http.get("/app", headers=headers).status_code == 200


@pytest.mark.parametrize("algorithm", ["HS256", "none"])
def test_the_public_key_is_not_a_shared_secret(http, settings, clock, algorithm):
    now = int(clock.now.timestamp())
    secret = settings.app.public_key_pem.encode()
    headers = by_hand(
        {"alg": algorithm, "typ": "JWT"},
        {"iat": now, "exp": now + 60, "iss": "77"},
        lambda signed: hmac.digest(secret, signed, "sha256") if algorithm == "HS256" else b"",
    )
    answer = http.get("/app", headers=headers)
    assert (answer.status_code, answer.json()["message"]) == (401, NOT_DECODED)


def test_another_key_is_refused(http, sign, other_key):
    answer = http.get("/app", headers=sign(other_key))
    assert (answer.status_code, answer.json()["message"]) == (401, NOT_DECODED)


@pytest.mark.parametrize("algorithm", ["RS512", "PS256"])
def test_other_algorithms_are_refused(http, sign, private_key, algorithm):
    assert http.get("/app", headers=sign(private_key, algorithm=algorithm)).status_code == 401


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic d3JpdGVz", "Bearer nobody", "Bearer a.b.c"])
def test_no_or_unknown_credentials(http, pull, header):
    for path in ("/app", "/user", "/repos/octo/hello"):
        assert http.get(path, headers={"Authorization": header}).status_code == 401


def test_without_an_app_every_jwt_is_refused(reopen, sign):
    with reopen(app=None) as http:
        answer = http.get("/app", headers=sign())
    assert (answer.status_code, answer.json()["message"]) == (401, NOT_DECODED)


def test_an_installation_token_works_until_its_hour_is_over(http, install_headers, clock):
    clock.forward(minutes=59, seconds=59)
    assert http.get("/repos/octo/hello", headers=install_headers).status_code == 200
    clock.forward(seconds=1)
    answer = http.get("/repos/octo/hello", headers=install_headers)
    assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")


def test_an_installation_token_does_not_reach_other_accounts(http, forge, install_headers):
    forge.open_pull(NewPull(repository="other/hello", title="t", author="kim"))
    assert http.get("/repos/other/hello", headers=install_headers).status_code == 404


def test_a_token_narrowed_to_one_repository(http, forge, pull, sign):
    forge.open_pull(NewPull(repository="octo/second", title="t", author="kim"))
    number = http.get("/repos/octo/hello/installation", headers=sign()).json()["id"]
    issued = http.post(f"/app/installations/{number}/access_tokens", headers=sign(), json={"repositories": ["hello"]})
    headers = {"Authorization": f"Bearer {issued.json()['token']}"}
    assert [one["full_name"] for one in issued.json()["repositories"]] == ["octo/hello"]
    assert http.get("/repos/octo/hello", headers=headers).status_code == 200
    assert http.get("/repos/octo/second", headers=headers).status_code == 404


def test_a_token_narrowed_to_a_permission(http, pull, sign):
    number = http.get("/repos/octo/hello/installation", headers=sign()).json()["id"]
    wanted = {"permissions": {"metadata": "read", "checks": "read"}}
    issued = http.post(f"/app/installations/{number}/access_tokens", headers=sign(), json=wanted).json()
    headers = {"Authorization": f"Bearer {issued['token']}"}
    assert http.get(f"/repos/octo/hello/commits/{pull.head_sha}/check-runs", headers=headers).status_code == 200
    refused = http.post("/repos/octo/hello/check-runs", headers=headers, json={"name": "x", "head_sha": pull.head_sha})
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")
    assert http.get("/repos/octo/hello/pulls/1", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "wanted",
    [{"permissions": {"administration": "write"}}, {"permissions": {"contents": "write"}}, {"repositories": ["no"]}],
)
def test_a_token_for_more_than_is_installed_is_refused(http, pull, sign, wanted):
    number = http.get("/repos/octo/hello/installation", headers=sign()).json()["id"]
    answer = http.post(f"/app/installations/{number}/access_tokens", headers=sign(), json=wanted)
    assert answer.status_code == 422


def test_uninstalling_ends_the_tokens_and_the_lookup(http, forge, install_headers, sign):
    forge.uninstall("octo/hello")
    assert http.get("/repos/octo/hello", headers=install_headers).status_code == 401
    assert http.get("/repos/octo/hello/installation", headers=sign()).status_code == 404


def test_the_app_itself_may_only_manage_installations(http, pull, sign):
    assert http.get("/repos/octo/hello", headers=sign()).status_code == 401
    assert http.get("/user", headers=sign()).status_code == 403


def test_an_installation_or_a_person_is_not_the_app(http, install_headers):
    for headers in (install_headers, {"Authorization": "Bearer writes"}):
        assert http.get("/app", headers=headers).status_code == 401
        assert http.get("/repos/octo/hello/installation", headers=headers).status_code == 401


@pytest.mark.parametrize(("token", "status"), [("writes", 201), ("reads", 403)])
def test_a_person_writes_only_with_the_role(http, pull, token, status):
    headers = {"Authorization": f"Bearer {token}"}
    answer = http.post(f"/repos/octo/hello/statuses/{pull.head_sha}", headers=headers, json={"state": "success"})
    assert answer.status_code == status


def test_a_person_cannot_create_check_runs(http, pull):
    headers = {"Authorization": "Bearer writes"}
    body = {"name": "x", "head_sha": pull.head_sha}
    answer = http.post("/repos/octo/hello/check-runs", headers=headers, json=body)
    assert (answer.status_code, answer.json()["message"]) == (403, "You must authenticate via a GitHub App.")


def test_a_person_does_not_see_repositories_they_have_no_part_in(http, forge, pull):
    forge.open_pull(NewPull(repository="other/hello", title="t", author="kim"))
    assert http.get("/repos/other/hello", headers={"Authorization": "Bearer writes"}).status_code == 404
