"""What the API answers when it refuses: RFC 9457 problem documents with stable codes.

`CODES` is the registry: an error without an entry here cannot be raised. docs/errors.md is generated from it.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from server.db import overran
from server.storage import StoreUnavailableError

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Code:
    """One registered error.

    Attributes:
        status: HTTP status it is always answered with.
        title: What kind of problem it is, the same words every time.
    """

    status: int
    title: str


CODES: Mapping[str, Code] = {
    # the request as such
    "parameter_invalid": Code(400, "A path, query or header parameter is malformed"),
    "header_invalid": Code(400, "A header is missing, repeated or malformed"),
    "cursor_invalid": Code(400, "The cursor was not made by this list"),
    "unauthorized": Code(401, "A credential is missing, or the one that was sent is not good"),
    "scope_missing": Code(403, "The credential does not allow this"),
    "csrf_refused": Code(403, "The request does not come from a page of this service"),
    "rate_limited": Code(429, "Too many requests in too short a time"),
    "identity_unavailable": Code(503, "The keys that identities are checked with cannot be read; try again later"),
    "idempotency_key_reused": Code(422, "The idempotency key was sent with another request before"),
    "idempotency_in_progress": Code(409, "A request with this idempotency key is being answered"),
    "credential_confined": Code(403, "The credential is for another repository, pull request or commit"),
    "admin_disabled": Code(403, "Administrative routes are closed: no admin token is configured"),
    "metrics_disabled": Code(403, "Metrics are closed: no metrics token is configured"),
    "not_found": Code(404, "There is nothing at this address"),
    "method_not_allowed": Code(405, "This address does not answer to this method"),
    "body_too_large": Code(413, "The body is larger than this address takes"),
    "unsupported_media_type": Code(415, "The body's media type or encoding is not taken here"),
    "json_invalid": Code(422, "The body is not strict JSON"),
    "body_invalid": Code(422, "The body does not have the documented shape"),
    "request_refused": Code(400, "The request was refused"),
    "client_gone": Code(400, "The client went away before its body was complete"),
    "internal_error": Code(500, "The server failed; the same request may work later"),
    "unavailable": Code(503, "The database cannot be reached; the same request will work later"),
    "database_busy": Code(503, "The database did not get to it in time; the same request will work later"),
    "storage_unavailable": Code(503, "The blob store cannot be reached; the same request will work later"),
    # manifests and envelopes
    "manifest_too_large": Code(413, "The manifest is too large"),
    "manifest_invalid": Code(422, "The manifest does not have the documented shape"),
    "manifest_not_canonical": Code(422, "The manifest is not canonical JSON"),
    "not_canonical": Code(422, "The manifest cannot be written as canonical JSON"),
    "bundle_too_large": Code(413, "The bundle's files are too large together"),
    "blob_too_large": Code(413, "One of the bundle's files is too large"),
    "blob_size_conflict": Code(422, "One digest is listed with two sizes"),
    "envelope_invalid": Code(422, "The envelope is not a DSSE envelope of ours"),
    "envelope_conflict": Code(409, "The bundle is known with another envelope"),
    # uploads
    "bundle_not_found": Code(404, "No such bundle"),
    "bundle_incomplete": Code(409, "Parts of the bundle are missing"),
    "upload_expired": Code(409, "The upload expired; post the manifest again"),
    "blob_not_expected": Code(404, "No open upload lists this blob"),
    "part_out_of_range": Code(404, "The blob has no part of this number"),
    "part_size_wrong": Code(400, "The part does not have the size the upload plan gave it"),
    "part_digest_wrong": Code(400, "The part does not match its Content-Digest"),
    "blob_corrupt": Code(409, "The blob's parts do not add up to its digest; upload them again"),
    "quota_bundles": Code(403, "Too many new bundles within a day"),
    "quota_open_bytes": Code(403, "Too many bytes in open uploads; finish some, or wait until they expire"),
    "quota_stored_bytes": Code(403, "Too many bytes are stored already"),
    # reading results
    "envelope_not_found": Code(404, "The bundle is unsigned"),
    "bundle_not_validated": Code(409, "The bundle's contents are not shown before it has been validated"),
    "bundle_quarantined": Code(403, "The bundle is quarantined; its contents are not shown"),
    "bundle_retracted": Code(410, "The bundle was retracted; a tombstone is kept"),
    "bundle_retired": Code(410, "The bundle's contents were not kept any longer; a tombstone is"),
    "bundle_not_invalidated": Code(409, "The bundle is not invalidated"),
    "bundle_not_quarantined": Code(409, "The bundle is not quarantined"),
    "repository_not_found": Code(404, "No pull request of this repository is known here"),
    "blob_not_found": Code(404, "No validated bundle holds this blob"),
    "pull_not_found": Code(404, "No such pull request is known here"),
    # challenges
    "challenge_not_found": Code(404, "No such challenge"),
    "suite_not_found": Code(404, "No published suite has this digest"),
    "node_not_found": Code(404, "No registered node has this key"),
    "pull_closed": Code(409, "The pull request is closed"),
    "challenges_of_pull_exhausted": Code(409, "The pull request has as many unused challenges as it may have"),
    "challenges_exhausted": Code(429, "The address or the node has as many unused challenges as it may have"),
    "challenge_not_open": Code(409, "The challenge was used, or its time is over"),
    "challenge_nonce_wrong": Code(403, "The nonce is not this challenge's"),
    "claims_in_description": Code(409, "The pull request's description has a claims block, which is what counts"),
    "claims_invalid": Code(422, "The claims block cannot be read; `errors` says where and why"),
    "policy_repeated": Code(422, "The policy names a kind of claim twice"),
    # jobs
    "job_not_found": Code(404, "No such job"),
    "job_suite_not_found": Code(404, "No published suite has this name"),
    "job_head_moved": Code(409, "The pull request has another head than the one that was named"),
    "job_not_waiting": Code(409, "The job does not wait for approval"),
    "job_ended": Code(409, "The job has ended"),
    "job_not_ended": Code(409, "Only a job that was given up can be ordered again"),
    "orders_of_pull_exhausted": Code(409, "The pull request has as many open jobs as it may have"),
    "orders_exhausted": Code(429, "The account has ordered as many jobs today as it may"),
    "permission_missing": Code(403, "The account may not write to this repository"),
    "node_not_yours": Code(403, "The node belongs to somebody else"),
    "lease_lost": Code(409, "The lease has ended or was replaced; nothing of it counts any more"),
    "job_bundle_unbound": Code(409, "The bundle does not answer the job's challenge"),
    "job_progress_invalid": Code(422, "The progress names an eval that the suite does not have, or names one twice"),
    # accounts
    "sign_in_disabled": Code(403, "Nobody can sign in: no App is configured for it"),
    "sign_in_denied": Code(403, "GitHub does not say who this is"),
    "sign_in_expired": Code(410, "The sign-in took too long, or has ended"),
    "sign_in_state_invalid": Code(400, "The browser did not begin this sign-in"),
    "token_too_long_lived": Code(422, "A token may not be good for so long"),
    "token_not_found": Code(404, "You have no such token"),
    "pull_key_not_found": Code(404, "You have issued no such key"),
    "pull_not_yours": Code(403, "The pull request is not yours"),
    "account_not_found": Code(404, "No such account"),
    "task_not_dead": Code(409, "No task of this number was given up"),
    # nodes
    "key_invalid": Code(422, "The public key is not an ed25519 key"),
    "node_revoked": Code(409, "The key was revoked"),
    "node_owner_invalid": Code(422, "An operator names the owner; an account is it"),
    "proof_invalid": Code(422, "The proof does not show that you hold the key"),
    "node_conflict": Code(409, "The key is registered with another owner"),
    # GitHub
    "github_not_configured": Code(409, "The service has no GitHub credentials"),
    "github_not_found": Code(404, "GitHub does not know this pull request, or hides it"),
    "github_failed": Code(502, "GitHub did not give a usable answer"),
    "webhook_disabled": Code(403, "Webhooks are refused: no webhook secret is configured"),
    "webhook_too_large": Code(413, "The delivery is too large"),
    "webhook_media_type": Code(415, "The delivery is not JSON"),
    "webhook_signature_missing": Code(401, "The delivery is not signed"),
    "webhook_signature_invalid": Code(401, "The delivery's signature is wrong"),
    "webhook_delivery_missing": Code(400, "The delivery has no id"),
    "webhook_event_missing": Code(400, "The delivery names no event"),
    "webhook_malformed": Code(422, "The delivery is not in its event's shape"),
}


class Problem(BaseModel):
    """An error, as RFC 9457 describes one."""

    model_config = ConfigDict(extra="allow")

    type: Annotated[str, Field(examples=["urn:byogpu:error:bundle_incomplete"])]
    """A name for the kind of problem, made of its code."""
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    code: str
    """Stable; what a program decides by. All codes: docs/errors.md."""
    detail: str
    """What is wrong this time, for a person."""


class AppError(Exception):
    """An expected refusal.

    Attributes:
        code: Key of `CODES`; decides the status.
        detail: What is wrong, for a person; quotes little of the input.
        extra: Further members of the problem document, JSON values.
        headers: Headers of the answer.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = CODES[code].status
        self.code = code
        self.detail = detail
        self.extra = dict(extra or {})
        self.headers = dict(headers or {})


def problem(error: AppError) -> Response:
    """Make the answer for an error."""
    content = {
        **error.extra,
        "type": f"urn:byogpu:error:{error.code}",
        "title": CODES[error.code].title,
        "status": error.status,
        "code": error.code,
        "detail": error.detail,
    }
    return JSONResponse(content, status_code=error.status, media_type=MEDIA_TYPE, headers=error.headers)


def document(*codes: str, database: bool = True) -> dict[int | str, dict[str, Any]]:
    """Describe a route's refusals for OpenAPI, one response a status, one example a code.

    Args:
        codes: Keys of `CODES`, beside ``internal_error``, which every route has.
        database: Whether the route needs the database, which may be away.
    """
    responses: dict[int | str, dict[str, Any]] = {}
    for code in (*codes, "internal_error", *(_AWAY if database else ())):
        known = CODES[code]
        response = responses.setdefault(
            known.status,
            {"description": known.title, "content": {MEDIA_TYPE: {"schema": {"$ref": _SCHEMA}, "examples": {}}}},
        )
        if known.title not in response["description"]:
            response["description"] += f"; {known.title[0].lower()}{known.title[1:]}"
        response["content"][MEDIA_TYPE]["examples"][code] = {
            "summary": known.title,
            "value": {
                "type": f"urn:byogpu:error:{code}",
                "title": known.title,
                "status": known.status,
                "code": code,
                "detail": f"{known.title}.",
            },
        }
    return dict(sorted(responses.items(), key=lambda item: int(item[0])))


_SCHEMA = "#/components/schemas/Problem"
_AWAY = ("unavailable", "database_busy")
_FRAMEWORK = {
    401: "unauthorized",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "unsupported_media_type",
    422: "body_invalid",
}


def _methods(request: Request) -> list[str]:
    """Every method that an address answers to: each has a route of its own, and the framework names the first one's."""
    matching = [one for one in iter_route_contexts(request.app.routes) if one.path_regex.match(request.url.path)]
    return sorted({method for one in matching for method in one.methods or ()})


def install(app: FastAPI, *, on_refusal: Callable[[Request, AppError], None]) -> None:
    """Make every refusal of the app, the framework's own included, a problem document.

    Args:
        app: The application.
        on_refusal: Told of every refused request; writes the audit row. Runs in a worker thread.
    """

    def refuse(request: Request, error: AppError) -> Response:
        on_refusal(request, error)
        return problem(error)

    @app.exception_handler(AppError)
    def on_app_error(request: Request, error: AppError) -> Response:
        return refuse(request, error)

    @app.exception_handler(RequestValidationError)
    def on_parameters(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])[:200]
        return refuse(request, AppError("parameter_invalid", f"{where}: {first['msg'][:200]}"))

    @app.exception_handler(HTTPException)
    def on_framework(request: Request, error: HTTPException) -> Response:
        code = _FRAMEWORK.get(error.status_code, "internal_error" if error.status_code >= 500 else "request_refused")
        detail = f"{request.method} {request.url.path[:200]}: {error.detail}"
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(request))
        return refuse(request, AppError(code, detail, headers=headers))

    @app.exception_handler(ClientDisconnect)
    def on_disconnect(request: Request, error: ClientDisconnect) -> Response:  # noqa: ARG001
        return refuse(request, AppError("client_gone", "Nothing was kept."))

    @app.exception_handler(OperationalError)
    @app.exception_handler(InternalError)
    @app.exception_handler(PoolTimeoutError)
    def on_database_down(request: Request, error: OperationalError | InternalError | PoolTimeoutError) -> Response:
        if overran(error) or isinstance(error, PoolTimeoutError):
            code, what = "database_busy", "the database did not get to it in time"
        elif isinstance(error, OperationalError):
            code, what = "unavailable", "the database cannot be reached"
        else:
            raise error
        asked = getattr(error, "statement", None)  # without one it was not even reached: where from tells nothing
        words = " ".join(str(getattr(error, "orig", error)).split())
        _log.error("%s %s: %s: %s", request.method, request.url.path, what, words, exc_info=error if asked else None)
        return problem(AppError(code, "Try again in a while.", headers={"Retry-After": "5"}))

    @app.exception_handler(StoreUnavailableError)
    def on_store_down(request: Request, error: StoreUnavailableError) -> Response:
        _log.error("%s %s: %s", request.method, request.url.path, error)
        return problem(AppError("storage_unavailable", "Try again in a while.", headers={"Retry-After": "5"}))

    @app.exception_handler(Exception)
    def on_surprise(request: Request, error: Exception) -> Response:  # noqa: ARG001
        return problem(AppError("internal_error", "The failure was recorded."))
