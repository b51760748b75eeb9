"""``GET /metrics``: what this process counts, and what the database holds, in Prometheus' format."""

import shutil
from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from server.services import Services
from server.telemetry import figures
from server.telemetry.figures import Figures
from server.telemetry.meters import Meters

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(services: Services, meters: Meters) -> bytes:
    """Everything that Prometheus may know.

    Of several servers each counts its own requests; the gauges are the database's and alike on all of them, so take the
    highest, not the sum.

    Args:
        services: The service.
        meters: This process's counters.
    """
    registry = CollectorRegistry()
    registry.register(_Gauges(services))
    return generate_latest(meters.registry) + generate_latest(registry)


class _Gauges(Collector):
    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Read the database, once."""
        services = self._services
        try:
            with services.database.read() as session:
                found: Figures | None = figures.read(session, now=services.clock())
        except SQLAlchemyError:
            found = None
        yield _one("byogpu_database_up", "1: the database answers.", float(found is not None))
        yield _one("byogpu_draining", "1: this process was told to stop.", float(services.draining.is_set()))
        free = shutil.disk_usage(services.settings.data_dir).free
        yield _one("byogpu_data_dir_free_bytes", "Bytes that are free where the data folder is.", free)
        if found is not None:
            yield from _families(found)


def _families(found: Figures) -> Iterator[GaugeMetricFamily]:
    tasks = GaugeMetricFamily("byogpu_tasks", "Tasks.", labels=("kind", "state"))
    for (kind, state), count in sorted(found.tasks.items()):
        tasks.add_metric((kind, state), count)
    yield tasks
    yield _many("byogpu_task_oldest_seconds", "How long the oldest due task has waited.", "kind", found.task_oldest_s)
    yield _one("byogpu_tasks_due", "Tasks that could run now.", found.tasks_due)
    yield _many("byogpu_uploads", "Bundles, by state of their upload.", "state", found.uploads)
    yield _many("byogpu_posts", "Checks for GitHub.", "state", found.posts)
    yield _one("byogpu_post_oldest_seconds", "How long the oldest check has waited for GitHub.", found.post_oldest_s)
    yield _many("byogpu_commands", "Commands from comments and buttons.", "state", found.commands)
    yield _one("byogpu_command_oldest_seconds", "How long the oldest command has waited.", found.command_oldest_s)
    yield _many("byogpu_jobs", "Jobs.", "state", found.jobs)
    yield _one(
        "byogpu_job_oldest_seconds", "How long the oldest approved job has waited for a node.", found.job_oldest_s
    )
    yield _one("byogpu_nodes", "Nodes that asked for work within ten minutes.", found.nodes)
    yield _one("byogpu_github_failing_seconds", "For how long GitHub has given no answer.", found.github.failing_s)
    yield _one("byogpu_github_quiet_seconds", "For how long GitHub asked not to be called.", found.github.quiet_s)
    if found.github.rate_limit is not None and found.github.rate_remaining is not None:
        yield _one("byogpu_github_rate_limit", "Calls that GitHub lets us make in an hour.", found.github.rate_limit)
        yield _one("byogpu_github_rate_remaining", "How many of them are left.", found.github.rate_remaining)


def _one(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)


def _many(name: str, meaning: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, meaning, labels=(label,))
    for key, value in sorted(values.items()):
        family.add_metric((key,), value)
    return family
