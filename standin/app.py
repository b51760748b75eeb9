"""The stand-in as a web application."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from standin.errors import ApiError
from standin.faults import FaultMiddleware
from standin.forge import Forge
from standin.limits import LimitHeaders
from standin.routes import apps, checks, comments, people, pulls, signin, web
from standin.settings import StandinSettings


def create_app(settings: StandinSettings) -> FastAPI:
    """Return the application; ``app.state.forge`` is the forge behind it.

    Args:
        settings: How the stand-in is set up.
    """
    app = FastAPI(title="GitHub stand-in", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.forge = Forge(settings)
    app.add_middleware(LimitHeaders, forge=app.state.forge)
    app.add_middleware(FaultMiddleware, faults=app.state.forge.faults)
    for module in (apps, pulls, checks, comments, people, signin, web):
        app.include_router(module.router)
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    return app


def _refusal(error: ApiError) -> JSONResponse:
    return JSONResponse(error.body(), status_code=error.status)


def _api_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)
    return _refusal(error)


def _invalid_request(request: Request, error: Exception) -> JSONResponse:
    """Answer as GitHub does: 400 for a body that is not JSON, 422 for one with the wrong content."""
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        return _refusal(ApiError(400, "Problems parsing JSON"))
    reasons = [
        {
            "resource": request.url.path.rpartition("/")[2],
            "field": ".".join(str(part) for part in one["loc"][1:]),
            "code": "invalid",
            "message": str(one["msg"]),
        }
        for one in found
    ]
    return _refusal(ApiError(422, "Validation Failed", errors=reasons))


def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    message = "Not Found" if error.status_code == 404 else str(error.detail)
    return _refusal(ApiError(error.status_code, message))
