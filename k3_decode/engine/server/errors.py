"""OpenAI-style error bodies: ``{"error": {"message", "type", "param", "code"}}``, each with a stable code.

| status | codes |
|---|---|
| 400 | `unknown_parameter`, `invalid_value`, `unsupported_value`, and the engine's own (`empty_prompt`, …) |
| 404 | `model_not_found`, `not_found` |
| 405 | `method_not_allowed` |
| 422 | `malformed_body`: not JSON, a missing field, or a field of the wrong type |
| 429 | `queue_full` |
| 500 | `internal_error`, `non_finite_logits` |
| 503 | `engine_stopped` |
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from k3_decode.engine.request import RequestError

_HTTP_CODES = {404: "not_found", 405: "method_not_allowed"}


def error_body(error: RequestError) -> dict[str, dict[str, str | None]]:
    """Return the body that reports an error."""
    kind = "invalid_request_error" if error.status < 500 else "server_error"
    return {"error": {"message": error.detail, "type": kind, "param": error.param, "code": error.code}}


def install(app: FastAPI) -> None:
    """Make the application answer every error in this shape."""

    @app.exception_handler(RequestError)
    async def request_error(request: Request, error: RequestError) -> JSONResponse:  # noqa: ARG001
        return _response(error)

    @app.exception_handler(RequestValidationError)
    async def validation_error(request: Request, error: RequestValidationError) -> JSONResponse:  # noqa: ARG001
        return _response(_from_validation(error.errors()))

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> JSONResponse:
        code = _HTTP_CODES.get(error.status_code, "http_error")
        detail = f"{request.method} {request.url.path}: {error.detail}"
        return _response(RequestError(code, detail, status=error.status_code))

    @app.exception_handler(Exception)
    async def internal_error(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
        return _response(RequestError("internal_error", type(error).__name__, status=500))


def _response(error: RequestError) -> JSONResponse:
    return JSONResponse(error_body(error), status_code=error.status)


def _from_validation(errors: Sequence[Mapping[str, Any]]) -> RequestError:
    """Turn pydantic's findings into one error: the deepest, which in a union is the alternative that came closest."""
    first = max(errors, key=lambda error: len(error["loc"]))
    kind, where = str(first["type"]), [str(part) for part in first["loc"][1:]]
    param = where[0] if where and kind != "json_invalid" else None
    message = f"{'.'.join(where)}: {first['msg']}" if param else str(first["msg"])
    if kind == "extra_forbidden":
        return RequestError("unknown_parameter", f"{param}: not supported here", param=param)
    if kind in ("json_invalid", "missing") or kind.endswith(("_type", "_parsing", "_attributes_type")):
        return RequestError("malformed_body", message, param=param, status=422)
    return RequestError("invalid_value", message, param=param)
