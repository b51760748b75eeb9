"""From settings to a running service."""

import fcntl
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy.exc import OperationalError

import migrations
from server.broker import CeleryBell
from server.contact import WatchedGitHub
from server.db import Database, TimeLimits
from server.embedded import LocalBell, embedded
from server.github import AppCredentials, GitHubClient, GitHubSettings, TokenCredentials
from server.limits import MemoryLimiter, RedisLimiter
from server.patience import patiently
from server.queue import enqueue
from server.services import GitHub, Services
from server.settings import Settings
from server.storage import BlobStore, LocalBlobs
from server.stored import count_outdated
from server.tracing import tracer

_log = logging.getLogger(__name__)


class DataFolderInUseError(Exception):
    """Another embedded server runs on the same data folder."""


def build(settings: Settings) -> Services:
    """Make the parts of a service. Opens no connection and starts no thread."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    database = database_of(settings)
    return Services(
        settings=settings,
        database=database,
        store=store_of(settings),
        github=_github(settings, database),
        bell=LocalBell() if settings.embedded else CeleryBell(settings),
        limiter=MemoryLimiter() if settings.redis_url is None else RedisLimiter(settings.redis_url.get_secret_value()),
        tracer=tracer(settings, database.engine),
    )


def database_of(settings: Settings) -> Database:
    """Make the database that the settings name, with their limits of time."""
    limits = TimeLimits(
        statement_s=settings.database_statement_timeout_s,
        lock_s=settings.database_lock_timeout_s,
        idle_s=settings.database_idle_timeout_s,
    )
    return Database(settings.resolved_database_url, limits)


def store_of(settings: Settings) -> BlobStore:
    """Make the blob store that the settings name."""
    if settings.s3_bucket is None:
        return LocalBlobs(settings.data_dir)
    from server.storage.s3 import S3Blobs  # boto3 takes a while to import, and most servers do without
    from server.storage.s3_client import Bucket

    secret = settings.s3_secret_key
    return S3Blobs(
        Bucket(
            name=settings.s3_bucket,
            url=settings.s3_url,
            public_url=settings.s3_public_url,
            region=settings.s3_region,
            prefix=settings.s3_prefix,
            access_key=settings.s3_access_key,
            secret_key=secret.get_secret_value() if secret is not None else None,
            address_ttl_s=settings.s3_address_ttl_s if settings.s3_direct else None,
        )
    )


@contextmanager
def start(services: Services) -> Iterator[None]:
    """Run a service while the block lasts.

    Raises:
        DataFolderInUseError: It is embedded and another process has its data folder.
        UnusableDatabaseError: See `make_ready`.
        StoppedError: It was told to stop while it waited for the database.
    """
    if isinstance(services.bell, LocalBell):
        with _alone(services):
            make_ready(services.settings, stopping=services.draining.is_set)
            if isinstance(services.store, LocalBlobs):
                services.store.clear_scratch()
            ask_for_outdated(services)
            with embedded(services, services.bell):
                yield
    else:
        make_ready(services.settings, stopping=services.draining.is_set)
        ask_for_outdated(services)
        yield
    close(services)


def ask_for_outdated(services: Services) -> None:
    """Have bundles judged again that other rules or limits judged, if there are any."""
    try:
        with services.database.read() as session:
            if not count_outdated(session):
                return
        with services.database.write() as session:
            enqueue(session, "find_outdated", "all", now=services.clock())
    except OperationalError:  # the database is down: requests are refused until it is back
        _log.exception("outdated bundles could not be looked for; POST /api/v1/revalidations does the same")


def make_ready(settings: Settings, *, stopping: Callable[[], bool] = lambda: False) -> None:
    """Wait for the database, and bring it to the newest revision, unless the operator does that.

    Args:
        settings: Which database, and how long to wait.
        stopping: Whether the process was told to stop meanwhile.

    Raises:
        UnusableDatabaseError: It did not come in time, or refuses us.
        StoppedError: ``stopping`` says so.
    """
    if not settings.migrate_on_start:
        await_database(settings, stopping=stopping)
        return
    url = settings.resolved_database_url
    patiently(url, lambda: migrations.upgrade(url), limit_s=settings.database_wait_s, stopping=stopping)


def await_database(settings: Settings, *, stopping: Callable[[], bool] = lambda: False) -> None:
    """Wait until the database can be used.

    Args and errors: see `make_ready`.
    """
    url = settings.resolved_database_url
    patiently(url, lambda: migrations.reach(url), limit_s=settings.database_wait_s, stopping=stopping)


def close(services: Services) -> None:
    """Close what a service holds open."""
    services.database.close()
    services.store.close()
    services.tracer.close()
    if isinstance(services.github, WatchedGitHub):
        services.github.close()


@contextmanager
def _alone(services: Services) -> Iterator[None]:
    """Hold the data folder; the kernel lets go of it however the process ends."""
    with (services.settings.data_dir / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DataFolderInUseError(f"another server runs on {services.settings.data_dir}") from error
        yield


def _github(settings: Settings, database: Database) -> GitHub | None:
    credentials: AppCredentials | TokenCredentials
    if settings.github_app_id is not None and settings.github_app_key_file is not None:
        key = settings.github_app_key_file.read_text(encoding="utf-8")
        credentials = AppCredentials.model_validate({"app_id": settings.github_app_id, "private_key_pem": key})
    elif settings.github_token is not None:
        credentials = TokenCredentials(token=settings.github_token)
    else:
        return None
    chosen = GitHubSettings(credentials=credentials, base_url=settings.github_url, timeout_s=settings.github_timeout_s)
    return WatchedGitHub(GitHubClient(chosen), database, lambda: datetime.now(UTC))
