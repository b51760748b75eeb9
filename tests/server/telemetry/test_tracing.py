"""Traces reach a collector that listens, in OpenTelemetry's own form."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.testclient import TestClient

from server.app import create_app
from server.queue import enqueue
from server.runner import run_next
from server.tracing import NoTracer, tracer

if TYPE_CHECKING:
    from tests.conftest import Service


@dataclass
class Collector:
    """Keeps the spans that arrive."""

    url: str = ""
    spans: list[Any] = field(default_factory=list)
    resources: list[dict[str, str]] = field(default_factory=list)

    def take(self, body: bytes) -> None:
        for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append({one.key: one.value.string_value for one in sent.resource.attributes})
            self.spans += [span for scope in sent.scope_spans for span in scope.spans]

    def names(self) -> list[str]:
        return [span.name for span in self.spans]


@pytest.fixture
def collector() -> Iterator[Collector]:
    kept = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.take(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        kept.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield kept
        server.shutdown()


def test_requests_statements_and_tasks_become_spans(make_service: Callable[..., Service], collector: Collector) -> None:
    service = make_service(otlp_url=collector.url)
    traced = replace(service.services, tracer=tracer(service.services.settings, service.services.database.engine))
    client = TestClient(create_app(services=traced))
    client.get("/api/v1/pulls")
    client.get("/health")
    with traced.database.write() as session:
        enqueue(session, "sweep_uploads", "all", now=service.clock())
    assert run_next(traced)
    traced.tracer.close()
    assert "GET /api/v1/pulls" in collector.names()
    assert "task sweep_uploads" in collector.names()
    assert not any("/health" in name for name in collector.names())
    task = next(span for span in collector.spans if span.name == "task sweep_uploads")
    inside = [span for span in collector.spans if span.parent_span_id == task.span_id]
    statements = {span.name for span in inside}
    assert "SELECT" in statements, "its statements belong to it"
    texts = [one.value.string_value for span in inside for one in span.attributes if one.key == "db.query.text"]
    assert any("FROM bundle" in one for one in texts)
    assert {one["service.name"] for one in collector.resources} == {"byogpu"}


def test_without_a_collector_none_is_made_and_nothing_for_it_imported(make_service: Callable[..., Service]) -> None:
    service = make_service()
    assert isinstance(tracer(service.services.settings, service.services.database.engine), NoTracer)
    script = """
import sys
from server.settings import Settings
from server.tracing import tracer

tracer(Settings(), None)
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_collector_that_is_away_does_no_harm(make_service: Callable[..., Service], collector: Collector) -> None:
    from standin import free_port

    service = make_service(otlp_url=f"http://127.0.0.1:{free_port()}")
    traced = replace(service.services, tracer=tracer(service.services.settings, service.services.database.engine))
    assert TestClient(create_app(services=traced)).get("/api/v1/pulls").status_code == 200
    traced.tracer.close()
