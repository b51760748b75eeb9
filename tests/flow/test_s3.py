"""The worker's own upload to a service that keeps its blobs in S3: parts never pass through the service."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import text

from server.runner import run_next
from server.settings import MIB, Settings
from server.startup import build, close
from worker.bundle import Bundle
from worker.service import Service
from worker.settings import Settings as WorkerSettings
from worker.upload import upload, wait

if TYPE_CHECKING:
    from tests.flow.conftest import Site

pytestmark = pytest.mark.s3


class Wire(httpx.HTTPTransport):
    """The network, with a list of what went where."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[httpx.Request] = []
        self.refuse: set[int] = set()
        """Parts, counted from 0 over the whole upload, that are sent with a signature that does not hold."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            number = sum(one.method == "PUT" for one in self.sent)
            self.sent.append(request)
            if number in self.refuse:
                forged = request.url.copy_merge_params({"X-Amz-Signature": "0" * 64})
                request = httpx.Request("PUT", forged, headers=request.headers, content=request.read())
        else:
            self.sent.append(request)
        return super().handle_request(request)


@pytest.fixture
def big(make_bundle: Callable[..., Bundle]) -> Bundle:
    """A bundle with a file of two parts."""
    return make_bundle(log=b"a line\n" * MIB)


@pytest.fixture
def place(site: Site, new_bucket: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The site's service, on S3."""
    site.settings.update(part_size_bytes=5 * MIB, **new_bucket())
    return site.settings


def bring(site: Site, bundle: Bundle, wire: Wire) -> str:
    settings = WorkerSettings(token="a-token-for-tests", retry_longest_wait_s=0)  # type: ignore[arg-type]
    with Service(settings, url=site.url, transport=wire) as service:
        upload(bundle, service)
        return wait(bundle, service, limit_s=60).validation_state


@pytest.mark.parametrize("refused", [set(), {0}, {1, 2}])
def test_parts_go_straight_to_the_store(
    site: Site, place: dict[str, Any], big: Bundle, flow: Any, refused: set[int]
) -> None:
    wire = Wire()
    wire.refuse = refused
    with flow.serving(Settings(**{**place, "admin_token": "a-token-for-tests"})):
        assert bring(site, big, wire) in ("valid", "invalid")
        for entry in big.manifest.files:
            answer = httpx.get(f"{site.url}/api/v1/blobs/{entry.sha256}")
            with big.blobs.open(entry.sha256) as sent:
                assert answer.content == sent.read()
            assert answer.headers["content-disposition"].startswith("attachment")
    parts = [request for request in wire.sent if request.method == "PUT"]
    assert {str(request.url.copy_with(path="/", query=None)) for request in parts} == {f"{place['s3_url']}/"}
    assert len(parts) == 3 + len(refused)
    assert all("authorization" not in request.headers for request in parts)
    assert all("authorization" in request.headers for request in wire.sent if request.method != "PUT")


def test_parts_go_through_the_service_where_the_store_is_out_of_reach(
    site: Site, place: dict[str, Any], big: Bundle, flow: Any
) -> None:
    wire = Wire()
    with flow.serving(Settings(**{**place, "s3_direct": False, "admin_token": "a-token-for-tests"})):
        assert bring(site, big, wire) in ("valid", "invalid")
    assert {request.url.port for request in wire.sent} == {httpx.URL(site.url).port}


def test_a_store_that_is_away_is_said_so_and_nothing_is_lost(
    site: Site, place: dict[str, Any], big: Bundle, flow: Any
) -> None:
    away = {**place, "s3_url": "http://127.0.0.1:1"}
    with flow.serving(Settings(**away)), httpx.Client(base_url=site.url, timeout=60) as api:
        client = flow.Uploader(api, big)
        [first, *_] = client.parts()
        answer = api.put(first[0], content=first[1], headers={"Content-Digest": digest_of(first[1])})
        assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
        assert int(answer.headers["Retry-After"]) > 0
        ready = api.get("/ready")
        assert (ready.status_code, ready.json()["storage"]) == (503, "down")
    with flow.serving(Settings(**place)), httpx.Client(base_url=site.url, timeout=60) as api:
        assert flow.Uploader(api, big).upload()["validation_state"] in ("valid", "invalid")


def test_an_outage_of_the_store_costs_a_task_no_attempt(
    site: Site, place: dict[str, Any], big: Bundle, flow: Any
) -> None:
    away = build(Settings(**{**place, "s3_url": "http://127.0.0.1:1", "redis_url": "redis://127.0.0.1:1/0"}))
    with flow.serving(Settings(**{**place, "redis_url": "redis://127.0.0.1:1/0", "anonymous_uploads": True})):
        with httpx.Client(base_url=site.url, timeout=60) as api:
            client = flow.Uploader(api, big)
            for url, data in list(client.parts()):
                client.put(url, data)
            client.submit()
        assert run_next(away)
    with away.database.read() as session:
        [task] = session.execute(text("SELECT state, attempts, detail FROM task WHERE kind = 'validate'")).all()
    close(away)
    assert (task.state, task.attempts) == ("queued", 0)
    assert "does not answer" in task.detail


def digest_of(data: bytes) -> str:
    return f"sha-256=:{b64encode(sha256(data).digest()).decode()}:"
