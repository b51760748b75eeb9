"""What one process counts: its own requests. Everything else is read from the database (`server.telemetry.figures`)."""

from prometheus_client import CollectorRegistry, Counter, Histogram

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Meters:
    """Counters of one application, in a registry of their own.

    Attributes:
        registry: What `GET /metrics` shows.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "byogpu_requests_total",
            "Requests that were answered, by the route's template.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "byogpu_request_seconds",
            "Seconds from a request's head to its answer's end.",
            ("method", "route"),
            buckets=SECONDS,
            registry=self.registry,
        )
        self._received = Counter("byogpu_received_bytes_total", "Bytes of request bodies.", registry=self.registry)
        self._sent = Counter("byogpu_sent_bytes_total", "Bytes of answers' bodies.", registry=self.registry)

    def count(self, *, method: str, route: str, status: int, seconds: float, received: int, sent: int) -> None:
        """Count one request.

        Args:
            method: HTTP method; unknown ones are counted together, as anybody can invent some.
            route: Template of the route, or ``none``.
            status: HTTP status.
            seconds: How long it took.
            received: Bytes of its body.
            sent: Bytes of the answer's.
        """
        known = method if method in METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)
        self._received.inc(received)
        self._sent.inc(sent)
