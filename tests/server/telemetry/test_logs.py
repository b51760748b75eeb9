"""Lines of the log: whole, with their ids, and never with a secret."""

from __future__ import annotations

import json
import logging
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import StringIO
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import uvicorn

from server.settings import Settings
from server.telemetry.logs import MASK, bound, formatter
from standin import free_port

if TYPE_CHECKING:
    from tests.conftest import Service
    from worker.bundle import Bundle

SECRETS = {
    "admin_token": "operators-very-own-token",
    "github_webhook_secret": "webhooks-very-own-secret",
    "metrics_token": "prometheus-very-own-token",
}


@pytest.fixture
def listen() -> Iterator[Callable[[Settings], Callable[[], list[dict[str, Any]]]]]:
    """Hear what is logged as JSON."""
    root, level = logging.getLogger(), logging.getLogger().level
    handlers: list[logging.Handler] = []

    def start(settings: Settings) -> Callable[[], list[dict[str, Any]]]:
        heard = StringIO()
        handlers.append(logging.StreamHandler(heard))
        handlers[-1].setFormatter(formatter(settings))
        root.addHandler(handlers[-1])
        root.setLevel(logging.INFO)
        return lambda: [json.loads(line) for line in heard.getvalue().splitlines()]

    yield start
    root.setLevel(level)
    for handler in handlers:
        root.removeHandler(handler)


def test_a_line_carries_what_it_belongs_to(listen: Any) -> None:
    lines = listen(Settings(log_format="json"))
    with bound(task_id=7, bundle_id="b" * 64):
        logging.getLogger("server.intake").warning("part %s is late", 3)
    logging.getLogger("server.intake").info("later")
    first, second = lines()
    assert first["event"] == "part 3 is late"
    assert (first["level"], first["logger"]) == ("warning", "server.intake")
    assert (first["task_id"], first["bundle_id"]) == (7, "b" * 64)
    assert "task_id" not in second
    assert first["timestamp"].endswith("Z")


def test_words_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    record = logging.LogRecord("server", logging.INFO, "x.py", 1, "hello %s", ("you",), None)
    line = formatter(Settings()).format(record)
    assert "hello you" in line
    assert "\x1b" not in line


@pytest.mark.parametrize(
    "said",
    [
        *SECRETS.values(),
        "Authorization: Bearer abcdefghijklmnop",
        "byo_t_0123456789ab_qqqqqqqqqqqqqqqqqqqqqqqqqqq",
        "ghs_abcdefghijklmnopqrstuvwxyz0123456789",
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiI3NyJ9.c2lnbmF0dXJl",
        "postgresql+psycopg://byogpu:hunter2hunter2@db/byogpu",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
        "https://s3.example/b?X-Amz-Signature=0123456789abcdef",
    ],
)
@pytest.mark.parametrize("where", ["message", "argument", "field", "exception"])
def test_no_secret_is_ever_logged(listen: Any, said: str, where: str) -> None:
    lines = listen(Settings(log_format="json", **SECRETS))
    log = logging.getLogger("server")
    match where:
        case "message":
            log.error(said.replace("%", "%%"))
        case "argument":
            log.error("it is %s", said)
        case "field":
            log.error("it is", extra={"header": said})
        case _:
            try:
                raise ValueError(said)
            except ValueError:
                log.exception("it failed")
    text = json.dumps(lines())
    assert MASK in text
    for piece in ("very-own", "abcdefghijkl", "qqqqqqq", "c2lnbmF0", "hunter2", "MIIEow", "0123456789abcdef"):
        assert piece not in text


def test_requests_are_logged_with_their_id_and_bundle(make_service: Callable[..., Service], listen: Any) -> None:
    service = make_service(log_format="json", metrics_token=SECRETS["metrics_token"])
    lines = listen(service.services.settings)
    given = service.client.get(f"/api/v1/bundles/{'c' * 64}", headers={"X-Request-Id": "from-the-proxy.7"})
    assert given.headers["X-Request-Id"] == "from-the-proxy.7"
    made = service.client.get("/api/v1/pulls", headers={"X-Request-Id": "not an id"})
    assert made.headers["X-Request-Id"] not in ("", "not an id")
    service.client.get("/health")
    first, second = [line for line in lines() if line["logger"] == "byogpu.request"]
    assert (first["request_id"], first["bundle_id"], first["status"]) == ("from-the-proxy.7", "c" * 64, 404)
    assert first["route"] == "/api/v1/bundles/{bundle_id}"
    assert first["ms"] >= 0
    assert second["request_id"] == made.headers["X-Request-Id"]


def test_requests_on_one_connection_share_no_ids(
    make_service: Callable[..., Service], make_bundle: Callable[..., Bundle], listen: Any
) -> None:
    """A server that holds a large body back reads on in the context of that request, and so does what follows it."""
    service, bundle = make_service(), make_bundle(log=b"one line\n" * 50_000)
    missing = service.post(bundle).json()["missing"]
    [large] = [blob for blob in missing if blob["size_bytes"] > 400_000]
    with bundle.blobs.open(large["sha256"]) as stream:
        data = stream.read()
    config = uvicorn.Config(service.client.app, host="127.0.0.1", port=free_port(), log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.02)
    lines = listen(Settings(log_format="json"))
    with httpx.Client(base_url=f"http://127.0.0.1:{config.port}") as client:
        digest = f"sha-256=:{b64encode(sha256(data).digest()).decode()}:"
        put = client.put(large["upload"]["parts"][0]["url"], content=data, headers={"Content-Digest": digest})
        assert put.status_code == 200
        client.get("/api/v1/rules")
        client.get(f"/api/v1/bundles/{bundle.id}")
    server.should_exit = True
    thread.join()
    heard = [line for line in lines() if line["logger"] == "byogpu.request"]
    shown = [{name: line[name] for name in ("bundle_id", "blob") if name in line} for line in heard]
    assert shown == [{"blob": large["sha256"]}, {}, {"bundle_id": bundle.id}]


def test_what_is_logged_inside_a_request_carries_its_ids(service: Service, listen: Any) -> None:
    from sqlalchemy import text

    lines = listen(Settings(log_format="json"))
    with service.services.database.write() as session:
        session.execute(text("ALTER TABLE bundle RENAME TO gone"))
    answer = service.client.get(f"/api/v1/bundles/{'d' * 64}", headers={"X-Request-Id": "r1"})
    assert answer.status_code == 503
    inside = next(line for line in lines() if line["logger"] == "server.errors")
    assert (inside["request_id"], inside["bundle_id"]) == ("r1", "d" * 64)


def test_a_tasks_lines_carry_the_task(service: Service, make_bundle: Any, listen: Any) -> None:
    lines = listen(Settings(log_format="json"))
    bundle = make_bundle()
    with service.services.database.write() as session:
        from server.queue import enqueue

        enqueue(session, "refresh", "12345", now=service.clock())
    service.work()
    failed = next(line for line in lines() if line["level"] == "error")
    assert failed["event"].startswith("task refresh 12345 failed")
    assert "NoResultFound" in failed["exception"]
    assert bundle.id not in json.dumps(lines())
