"""An account's credentials, pull requests' keys, and roles. What is told once is told here, and never cached."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response

from server.accounts import examples, pull_keys, service
from server.accounts.schemas import (
    AccountItem,
    AccountList,
    PullKeyItem,
    PullKeyList,
    PullKeyReceipt,
    RolePut,
    TokenItem,
    TokenList,
    TokenPost,
    TokenReceipt,
)
from server.auth import Admin, InPrincipal, Principal, require
from server.bodies import answer, described, json_body
from server.errors import document
from server.pagination import Cursor, Limit
from server.services import InService


def unkept(response: Response) -> None:
    """Let nobody keep an answer."""
    response.headers["Cache-Control"] = "no-store"


router = APIRouter(prefix="/api/v1", tags=["accounts"], dependencies=[Depends(unkept)])

Me = Annotated[Principal, Depends(require("account"))]
CredentialId = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$", description="The part of it that may be shown.")]
Owner = Annotated[str, Path(max_length=100)]
Name = Annotated[str, Path(max_length=100)]
Number = Annotated[int, Path(ge=1, le=2**53 - 1)]
_BODY = ("unsupported_media_type", "body_too_large", "json_invalid", "body_invalid")
_PAGED: dict[int | str, dict[str, Any]] = document("parameter_invalid", "cursor_invalid")


@router.post(
    "/tokens",
    status_code=201,
    summary="Make a token",
    responses={
        **document(*_BODY, "scope_missing", "token_too_long_lived", "node_not_found"),
        201: answer(examples.TOKEN, description="The token, told once"),
    },
    openapi_extra=described(TokenPost, example=examples.TOKEN_POST),
)
def post_token(
    services: InService, by: Me, posted: Annotated[TokenPost, Depends(json_body(TokenPost, limit=4096))]
) -> TokenReceipt:
    """Make a token of your account, for a program. It can do no more than you can, at any time."""
    with services.database.write() as session:
        return service.make_token(session, services, by, posted)


@router.get(
    "/tokens",
    summary="List your tokens",
    responses={**_PAGED, 200: answer(TokenList(items=(examples.TOKEN_ITEM,), next_cursor=None))},
)
def list_tokens(services: InService, by: Me, cursor: Cursor = None, limit: Limit = 30) -> TokenList:
    """Every token of your account, newest first, those that ended too."""
    return service.tokens(services, by, cursor=cursor, limit=limit)


@router.post(
    "/tokens/{token_id}/revoke",
    summary="Revoke a token",
    responses={**document("parameter_invalid", "token_not_found"), 200: answer(examples.TOKEN_ITEM)},
)
def revoke_token(services: InService, by: InPrincipal, token_id: CredentialId) -> TokenItem:
    """End a token for good, at once: as its account, with the token itself, or as an administrator."""
    if by.kind == "anonymous":
        by.require("account")
    return service.revoke_token(services, by, token_id)


@router.post(
    "/pulls/{owner}/{name}/{number}/keys",
    status_code=201,
    summary="Issue a key for a pull request",
    responses={
        **document("parameter_invalid", "pull_not_found", "pull_closed", "pull_not_yours", "github_failed"),
        201: answer(examples.KEY, description="The key, told once"),
    },
)
def post_pull_key(services: InService, by: InPrincipal, owner: Owner, name: Name, number: Number) -> PullKeyReceipt:
    """Make a key that uploads bundles about the present head of a pull request, and does nothing else.

    For its author, for who may write to the repository, and for administrators.
    """
    by.require("admin" if by.kind == "operator" else "account")
    return pull_keys.issue(services, by, repository=f"{owner}/{name}", number=number)


@router.get(
    "/pulls/{owner}/{name}/{number}/keys",
    summary="List a pull request's keys",
    responses={
        **_PAGED,
        **document("parameter_invalid", "cursor_invalid", "pull_not_found"),
        200: answer(PullKeyList(items=(examples.KEY_ITEM,), next_cursor=None)),
    },
)
def list_pull_keys(
    services: InService,
    by: InPrincipal,
    owner: Owner,
    name: Name,
    number: Number,
    cursor: Cursor = None,
    limit: Limit = 30,
) -> PullKeyList:
    """The keys of a pull request that you issued; administrators see everybody's."""
    by.require("admin" if by.kind == "operator" else "account")
    return pull_keys.listed(services, by, repository=f"{owner}/{name}", number=number, cursor=cursor, limit=limit)


@router.get(
    "/pull-keys",
    summary="List the keys that you issued",
    responses={**_PAGED, 200: answer(PullKeyList(items=(examples.KEY_ITEM,), next_cursor=None))},
)
def list_keys(services: InService, by: Me, cursor: Cursor = None, limit: Limit = 30) -> PullKeyList:
    """Keys of every pull request, newest first, those that ended too."""
    return pull_keys.mine(services, by, cursor=cursor, limit=limit)


@router.post(
    "/pull-keys/{key_id}/revoke",
    summary="Revoke a pull request's key",
    responses={**document("parameter_invalid", "pull_key_not_found"), 200: answer(examples.KEY_ITEM)},
)
def revoke_pull_key(services: InService, by: InPrincipal, key_id: CredentialId) -> PullKeyItem:
    """End a key for good, at once. Bundles that it uploaded stay."""
    by.require("admin" if by.kind == "operator" else "account")
    return pull_keys.revoke(services, by, key_id)


@router.get(
    "/accounts",
    dependencies=[Admin],
    summary="List accounts",
    responses={**_PAGED, 200: answer(AccountList(items=(examples.ACCOUNT,), next_cursor=None))},
)
def list_accounts(services: InService, cursor: Cursor = None, limit: Limit = 30) -> AccountList:
    """Everybody who has signed in, the last first."""
    return service.accounts(services, cursor=cursor, limit=limit)


@router.put(
    "/accounts/{account_id}/role",
    summary="Give an account a role",
    responses={
        **document(*_BODY, "parameter_invalid", "account_not_found"),
        200: answer(examples.ACCOUNT),
    },
    openapi_extra=described(RolePut, example={"role": "maintainer"}),
)
def put_role(
    services: InService,
    by: Annotated[Principal, Depends(require("admin"))],
    account_id: Annotated[int, Path(ge=1, le=2**53 - 1, description="GitHub's number of the account.")],
    posted: Annotated[RolePut, Depends(json_body(RolePut, limit=1024))],
) -> AccountItem:
    """Decide what an account may do. Credentials that it has made are good for no more than that, at once."""
    return service.set_role(services, by, account_id, posted.role)
