"""Builds the application: routes, errors, and the engine's start and stop."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from k3_decode.engine import metrics
from k3_decode.engine.core import Engine
from k3_decode.engine.engine_thread import EngineStoppedError, EngineThread
from k3_decode.engine.identity import Identity
from k3_decode.engine.server import chat, completions, errors, tokenization
from k3_decode.engine.server.service import Service

router = APIRouter()


class Model(BaseModel):
    """The served model."""

    id: str
    object: str = "model"
    created: int
    owned_by: str = "k3_decode"
    max_model_len: int


class Models(BaseModel):
    """Answer of ``/v1/models``."""

    object: str = "list"
    data: list[Model]


def create_app(engine: Engine, *, model_name: str, identity: Identity) -> FastAPI:
    """Build the service over an engine that nothing else uses.

    Args:
        engine: The engine; its thread lives from the application's start-up to its shutdown.
        model_name: The name clients ask for.
        identity: What ``/identity`` answers.
    """

    thread = EngineThread(engine)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        thread.start()
        yield
        await thread.stop()

    app = FastAPI(title="k3_decode engine", lifespan=lifespan)
    app.state.service = Service(thread=thread, model_name=model_name, started=int(time.time()))
    app.state.identity = identity
    errors.install(app)
    for each in (router, completions.router, chat.router, tokenization.router):
        app.include_router(each)
    return app


@router.get("/health")
async def health(request: Request) -> Response:
    """Answer 200 while the engine can answer requests, else 503 and why."""
    service: Service = request.app.state.service
    if service.thread.failure is not None:
        raise EngineStoppedError(service.thread.failure)
    return JSONResponse({"status": "ok"})


@router.get("/v1/models")
async def list_models(request: Request) -> Models:
    """List the one model served."""
    service: Service = request.app.state.service
    length = service.thread.engine.config.max_model_len
    return Models(data=[Model(id=service.model_name, created=service.started, max_model_len=length)])


@router.get("/metrics")
async def prometheus(request: Request) -> Response:
    """Report the engine's numbers as Prometheus text."""
    thread = request.app.state.service.thread
    text = metrics.render(thread.stats, thread.engine.decoder.ledger.snapshot())
    return Response(text, media_type=metrics.CONTENT_TYPE)


@router.get("/ledger")
async def ledger(request: Request) -> Response:
    """Report the steps by shape and decode path since the last reset."""
    return JSONResponse(request.app.state.service.thread.engine.decoder.ledger.snapshot())


@router.post("/ledger/reset")
async def reset_ledger(request: Request) -> Response:
    """Report the ledger and start it from zero; no step falls between two ledgers."""
    return JSONResponse(request.app.state.service.thread.engine.decoder.ledger.reset())


@router.get("/identity")
async def identity(request: Request) -> Response:
    """Report what exactly is running: configuration, weights, tokenizer, packages, decode mode."""
    return JSONResponse(request.app.state.identity)
