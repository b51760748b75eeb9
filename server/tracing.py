"""Traces over OpenTelemetry, if a collector is named: requests, SQL statements and tasks.

Its packages are the extra ``tracing``; they are imported when there is a collector, and not before.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import event

from server.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI
    from sqlalchemy import Engine
    from sqlalchemy.engine import ExceptionContext


_SPANS = "byogpu_spans"
"""Where a connection keeps the spans of the statements that it is executing."""


class Tracer(Protocol):
    """Makes spans."""

    @contextmanager
    def span(self, name: str, **attributes: str | int) -> Iterator[None]:  # noqa: ARG002
        """Make everything inside the block part of one span."""
        yield

    def follow(self, app: "FastAPI") -> None:
        """Make a span of every request."""

    def close(self) -> None:
        """Send what has not been sent."""


class NoTracer:
    """Makes none."""

    @contextmanager
    def span(self, name: str, **attributes: str | int) -> Iterator[None]:  # noqa: ARG002
        """See `Tracer`."""
        yield

    def follow(self, app: "FastAPI") -> None:
        """See `Tracer`."""

    def close(self) -> None:
        """See `Tracer`."""


class OtlpTracer:
    """Sends spans to a collector, in batches, from a thread of its own.

    Args:
        url: Root of the collector.
        engine: Its statements become spans.
    """

    def __init__(self, url: str, engine: "Engine") -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        resource = Resource.create({"service.name": "byogpu", "service.version": version("byogpu")})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{url}/v1/traces", timeout=5)))
        self._tracer = self._provider.get_tracer("byogpu")
        event.listen(engine, "before_cursor_execute", self._begin)
        event.listen(engine, "after_cursor_execute", self._end)
        event.listen(engine, "handle_error", self._fail)

    @contextmanager
    def span(self, name: str, **attributes: str | int) -> Iterator[None]:
        """See `Tracer`."""
        with self._tracer.start_as_current_span(name, attributes=attributes):
            yield

    def follow(self, app: "FastAPI") -> None:
        """See `Tracer`."""
        from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor

        FastAPIInstrumentor.instrument_app(app, tracer_provider=self._provider, excluded_urls="health,ready,metrics")

    def close(self) -> None:
        """See `Tracer`."""
        self._provider.shutdown()

    def _begin(self, connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        """Begin a statement's span: its text, which holds placeholders, and never its values."""
        name = statement.lstrip().partition(" ")[0].upper()[:20] or "SQL"
        attributes = {"db.system.name": connection.dialect.name, "db.query.text": statement[:2000]}
        connection.info.setdefault(_SPANS, []).append(self._tracer.start_span(name, attributes=attributes))

    def _end(self, connection: Any, *_: Any) -> None:
        connection.info[_SPANS].pop().end()

    def _fail(self, failure: "ExceptionContext") -> None:
        spans = failure.connection.info.get(_SPANS) if failure.connection is not None else None
        if spans:
            span = spans.pop()
            span.record_exception(failure.original_exception)
            span.end()


def tracer(settings: Settings, engine: "Engine") -> Tracer:
    """Make the tracer that the settings ask for."""
    return NoTracer() if settings.otlp_url is None else OtlpTracer(settings.otlp_url, engine)
