"""The application: settings in, a service out."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from anyio import to_thread
from fastapi import Depends, FastAPI, Request

from server import audit, dashboard, errors, health, openapi, status
from server.accounts import routes as accounts
from server.accounts import session_routes as sessions
from server.auth import WEBHOOKS, Principal, principal_of
from server.challenges import routes as challenges
from server.checks import routes as checks
from server.conditional import ConditionalReads
from server.errors import AppError
from server.headers import SecurityHeaders
from server.intake import routes as intake
from server.jobs import order_routes
from server.jobs import routes as jobs
from server.moderation import routes as moderation
from server.nodes import routes as nodes
from server.results import routes as results
from server.services import Services
from server.settings import Settings
from server.startup import build, start
from server.telemetry.meters import Meters
from server.telemetry.requests import Requests, bind_ids


def create_app(settings: Settings | None = None, *, services: Services | None = None) -> FastAPI:
    """Build the application.

    Args:
        settings: What the operator chose; None: the environment decides.
        services: Parts built elsewhere, for another blob store or GitHub; None: built from the settings.
    """
    settings = settings or (services.settings if services else Settings())
    services = services or build(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        to_thread.current_default_thread_limiter().total_tokens = settings.request_threads
        with start(services):
            yield

    app = _routes(FastAPI(lifespan=lifespan, **_IDENTITY))
    app.state.services = services
    app.state.meters = Meters()
    errors.install(app, on_refusal=_record_refusal)
    folder = settings.web_dir or dashboard.BESIDE_THE_PACKAGES
    if (folder / "index.html").is_file():
        dashboard.mount(app, folder)
    app.add_middleware(ConditionalReads)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(Requests, meters=app.state.meters)
    services.tracer.follow(app)
    return app


def describe_service() -> dict[str, Any]:
    """The OpenAPI document, without starting anything."""
    return _routes(FastAPI(**_IDENTITY)).openapi()


_IDENTITY: Mapping[str, Any] = {
    "title": "byogpu",
    "version": version("byogpu"),
    "openapi_url": "/api/v1/openapi.json",
    "docs_url": None,  # its page loads scripts from elsewhere
    "redoc_url": None,
    "redirect_slashes": False,
    "generate_unique_id_function": lambda route: route.name,
}


def _routes(app: FastAPI) -> FastAPI:
    for part in (intake, challenges, results, checks, jobs, order_routes, nodes, moderation, accounts, sessions):
        app.include_router(part.router, dependencies=[Depends(bind_ids), Depends(principal_of)])
    for part in (health, status):
        app.include_router(part.router)
    app.openapi = lambda: openapi.describe(app)  # type: ignore[method-assign]
    return app


def _record_refusal(request: Request, error: AppError) -> None:
    """Leave an audit row for every refused attempt to change something, as far as there may be attempts."""
    if request.method in ("GET", "HEAD", "OPTIONS") or error.code == "rate_limited":
        return
    services: Services = request.app.state.services
    target = f"{request.method} {request.url.path}"
    principal: Principal | None = getattr(request.state, "principal", None)
    actor: audit.Actor = "anonymous" if principal is None else principal.actor
    if request.url.path.endswith(WEBHOOKS):
        actor = "github"
    with services.database.write() as session:
        audit.record(
            session,
            at=services.clock(),
            actor=actor,
            action="refused",
            target=target,
            detail=f"{error.code}: {error.detail}",
        )
