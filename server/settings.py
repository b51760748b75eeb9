"""The service's settings: the only module of the server that reads the environment."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

MIB = 1 << 20
Kind = Literal["read", "write", "part", "refused"]
"""Kinds of request, as they are counted."""


def _without_trailing_slash(value: str) -> str:
    return value.rstrip("/")


Address = Annotated[
    str, StringConstraints(pattern=r"^https?://[^\s/]+(/\S*)?$"), AfterValidator(_without_trailing_slash)
]


def _own_address(validated: dict[str, Any]) -> str:
    """The address that the fields above say the service listens on."""
    host, port = validated.get("host", "127.0.0.1"), validated.get("port", 8000)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Settings(BaseSettings):
    """Everything an operator can choose, from ``BYOGPU_*`` variables. Built once and passed down.

    With no variable set the service is the embedded one: SQLite and blobs under ``data_dir``, tasks in a thread.
    """

    model_config = SettingsConfigDict(env_prefix="BYOGPU_", frozen=True, extra="ignore", env_ignore_empty=True)

    data_dir: Path = Field(default=Path("var"), description="Folder of the blobs and of the embedded database.")
    database_url: str = Field(
        default="",
        pattern=r"^$|^sqlite:///|^postgresql\+psycopg://",
        description="`sqlite:///PATH` or `postgresql+psycopg://...`. Empty: `data_dir/byogpu.sqlite3`.",
    )
    redis_url: SecretStr | None = Field(
        default=None, description="Celery's broker. Unset: tasks run in a thread of the one server process."
    )
    database_wait_s: float = Field(
        default=300,
        ge=0,
        description="Seconds that a server, a Celery worker, and `byogpu admin` for what takes long anyway, wait at "
        "their start for a PostgreSQL that does not answer yet. One that refuses is not waited for. 0: none is.",
    )
    database_statement_timeout_s: float = Field(
        default=30,
        ge=0,
        description="Seconds that PostgreSQL works on one statement of the service, migrations and backups apart. A "
        "request that would take longer is answered with `database_busy`. 0: as long as it takes; so for the next two.",
    )
    database_lock_timeout_s: float = Field(
        default=10, ge=0, description="The same for waiting for one lock that somebody else holds."
    )
    database_idle_timeout_s: float = Field(
        default=120,
        ge=0,
        description="The same for an open transaction in which nothing is asked; its session is ended.",
    )
    migrate_on_start: bool = Field(
        default=True, description="Bring the database to the newest revision when a server or Celery worker starts."
    )
    host: str = Field(default="127.0.0.1", description="Address that `python -m server` listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port that `python -m server` listens on.")
    public_url: Address = Field(
        default_factory=_own_address,
        description="Address under which people reach the service; used in links. Unset: where it listens.",
    )
    web_dir: Path | None = Field(
        default=None, description="Folder of the built dashboard. Unset: `web/dist` beside the packages, if built."
    )

    github_url: Address = Field(default="https://api.github.com", description="Root of GitHub's REST API.")
    github_token: SecretStr | None = Field(
        default=None, description="Personal access token. Checks then become a commit status and one comment."
    )
    github_app_id: int | None = Field(default=None, gt=0, description="Numeric id of the GitHub App.")
    github_app_key_file: Path | None = Field(default=None, description="The App's RSA private key, PEM.")
    github_webhook_secret: SecretStr | None = Field(
        default=None, description="Secret of the webhook. Unset: every delivery is refused."
    )
    github_timeout_s: int = Field(default=15, ge=1, le=120, description="Seconds to wait for one answer of GitHub.")
    reconcile_interval_s: int = Field(
        default=3600,
        ge=60,
        description="Seconds between two comparisons of a repository's open pull requests with GitHub's list, which "
        "make up for lost webhooks.",
    )
    admin_token: SecretStr | None = Field(
        default=None, description="Bearer token of the administrative routes. Unset: they are closed."
    )

    github_web_url: Address = Field(default="https://github.com", description="Root of GitHub's pages for people.")
    github_oauth_client_id: str | None = Field(
        default=None,
        description="Client id of the GitHub or OAuth App that people sign in with. Unset: nobody signs in.",
    )
    github_oauth_client_secret: SecretStr | None = Field(default=None, description="Its client secret.")
    actions_issuer: Address = Field(
        default="https://token.actions.githubusercontent.com",
        description="Issuer of GitHub Actions' identities. Its keys are read from `/.well-known/jwks` there only.",
    )
    session_idle_s: int = Field(
        default=24 * 3600, ge=60, description="Seconds after which a browser that was not used is signed out."
    )
    session_ttl_s: int = Field(
        default=14 * 24 * 3600, ge=60, description="Seconds after which a browser is signed out however busy it is."
    )
    token_ttl_days: int = Field(default=90, ge=1, le=366, description="Most days that an account's token is good for.")
    pull_key_ttl_s: int = Field(
        default=7 * 24 * 3600, ge=60, description="Seconds that a pull request's key is good for."
    )
    reads_per_minute: int = Field(
        default=1800, ge=0, description="Reads that one account or address may make a minute. 0: any number."
    )
    writes_per_minute: int = Field(
        default=600, ge=0, description="The same for requests that change something, parts of uploads apart."
    )
    parts_per_minute: int = Field(default=6000, ge=0, description="The same for parts of uploads sent to this server.")
    refusals_per_minute: int = Field(
        default=60, ge=0, description="Bad credentials that one address may send a minute. 0: any number."
    )
    anonymous_uploads: bool | None = Field(
        default=None,
        description="Whether bundles and challenges are taken without a credential. Unset: if the service is embedded.",
    )

    s3_bucket: str | None = Field(
        default=None, description="Bucket of the blobs. Unset: they are kept in `data_dir`, which all processes share."
    )
    s3_url: Address | None = Field(default=None, description="Root of the S3 API. Unset: AWS's for the region.")
    s3_public_url: Address | None = Field(
        default=None, description="The same as contributors reach it. Unset: as the service does."
    )
    s3_region: str = Field(default="us-east-1", description="Region named in signatures.")
    s3_prefix: str = Field(
        default="", pattern=r"^([A-Za-z0-9._-]+/)*$", description="What the keys begin with, such as `byogpu/`."
    )
    s3_access_key: str | None = Field(
        default=None, description="Access key. Unset, with its secret: the role or profile that boto3 finds."
    )
    s3_secret_key: SecretStr | None = Field(default=None, description="Its secret.")
    s3_direct: bool = Field(
        default=True, description="Whether contributors send parts to the bucket themselves, at signed addresses."
    )
    s3_address_ttl_s: int = Field(default=900, ge=1, le=86400, description="Seconds that a signed address is good for.")

    request_threads: int = Field(
        default=8,
        ge=1,
        le=200,
        description="Threads of a server process that answer requests. More answer no more of them, they contend.",
    )
    transfer_threads: int = Field(
        default=4, ge=1, le=64, description="Threads of a server process that bring, verify and announce blobs."
    )
    part_size_bytes: int = Field(default=8 * MIB, ge=1024, le=64 * MIB, description="Size of an upload part.")
    upload_ttl_s: int = Field(default=24 * 3600, ge=1, description="Seconds an upload may stay open without progress.")
    bundles_per_owner: int = Field(
        default=200, ge=0, description="New bundles that one owner may post within 24 hours. 0: any number."
    )
    bundles_per_address: int = Field(default=400, ge=0, description="The same for one address.")
    open_bytes_per_owner: int = Field(
        default=16 << 30, ge=0, description="Bytes that the open uploads of one owner may list together. 0: any number."
    )
    open_bytes_per_address: int = Field(default=32 << 30, ge=0, description="The same for one address.")
    stored_bytes_per_owner: int = Field(
        default=256 << 30, ge=0, description="Bytes that the stored bundles of one owner may have. 0: any number."
    )
    stored_bytes_per_address: int = Field(default=512 << 30, ge=0, description="The same for one address.")
    retention_days: int = Field(
        default=0,
        ge=0,
        description="Days after which the contents of a bundle are dropped whose pull request is not open; digests and "
        "verdicts stay. 0: never.",
    )
    retention_refused_days: int = Field(
        default=0, ge=0, description="The same for bundles that were found invalid, whatever their pull request."
    )
    retention_events_days: int = Field(
        default=90,
        ge=0,
        description="Days after which events are forgotten that have had their effect: webhook deliveries, answered "
        "commands, ended tasks, checks that others replaced, credentials that ended. A comment that is older when it "
        "is delivered is no command. 0: never.",
    )
    retention_audit_days: int = Field(
        default=0, ge=0, description="Days after which rows of the audit log are forgotten. 0: never."
    )
    orphan_interval_s: int = Field(
        default=3600, ge=1, description="Seconds between two searches of the whole blob store for what nobody lists."
    )
    challenge_ttl_s: int = Field(
        default=24 * 3600, ge=60, description="Seconds in which the bundle of a challenge has to be submitted."
    )
    challenges_per_pull: int = Field(
        default=64, ge=1, description="Unused challenges that a pull request may have within their time."
    )
    challenges_per_requester: int = Field(
        default=16, ge=1, description="The same for one address, and for one node, over all pull requests."
    )
    job_images: dict[str, str] = Field(
        default_factory=dict,
        description='Image of each suite, by digest, as JSON: `{"smoke": "registry.example/eval-smoke@sha256:..."}`. '
        "A job whose suite has none waits, unless its order names an image.",
    )
    service_key_file: Path | None = Field(
        default=None,
        description="The ed25519 key that signs jobs, PEM; made if it is not there. Servers that share a database "
        "share it. Unset: `data_dir/service-key.pem`.",
    )
    job_lease_s: int = Field(
        default=60,
        ge=8,
        description="Seconds after which a node that went silent loses its job; it speaks four times as often.",
    )
    job_ageing_s: int = Field(
        default=3600, ge=1, description="Seconds of waiting that weigh as much as one step of priority."
    )
    job_backoff_s: int = Field(
        default=30, ge=1, description="Seconds before a job is tried again, doubled each time, an hour at most."
    )
    job_failures: int = Field(default=3, ge=1, description="Runs that a job itself may bring to nothing.")
    job_failing_nodes: int = Field(
        default=2, ge=1, description="Different nodes that a job may fail on before it is quarantined."
    )
    job_interruptions: int = Field(
        default=10, ge=1, description="Runs of a job that may come to nothing through no fault of its own."
    )
    job_resume_s: int = Field(
        default=300,
        ge=0,
        description="Seconds that a job waits for the node that has evals of it, before others get it.",
    )
    jobs_per_owner: int = Field(default=8, ge=1, description="Jobs that the nodes of one owner may run at once.")
    jobs_per_address: int = Field(default=16, ge=1, description="Jobs that may run at once behind one address.")
    jobs_per_pull: int = Field(default=8, ge=1, description="Jobs of one pull request that may run at once.")
    orders_per_pull: int = Field(default=16, ge=1, description="Jobs of one pull request that may be open at once.")
    orders_per_requester: int = Field(
        default=50,
        ge=1,
        description="Jobs that one account may order within a day. Those that never ran to an end of their own making "
        "do not count.",
    )
    client_address_header: str | None = Field(
        default=None,
        description="Header in which a proxy passes the client's address on, such as `X-Forwarded-For`; its last entry "
        "counts. Unset: the address of the connection. Set it only behind a proxy that writes the header itself.",
    )
    sweep_interval_s: float = Field(default=30, gt=0, description="Seconds between two sweeps over the task table.")
    task_lease_s: int = Field(
        default=600,
        ge=1,
        description="Seconds after which a Celery task that went silent is killed and given to another worker; after "
        "nine tenths of them it is told to stop.",
    )
    task_memory_mib: int = Field(
        default=2048, ge=0, description="Memory that a Celery worker process may have, in MiB. 0: any amount."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Least level logged.")
    log_format: Literal["console", "json"] = Field(
        default="console", description="Form of a log line: words for people, or JSON for programs."
    )
    metrics_token: SecretStr | None = Field(
        default=None, description="Bearer token of `GET /metrics`. Unset: the route is closed."
    )
    otlp_url: Address | None = Field(
        default=None,
        description="OpenTelemetry collector that traces go to over HTTP, such as `http://127.0.0.1:4318`. "
        "Unset: there are none. Needs the extra `tracing`.",
    )
    drain_s: float = Field(
        default=0,
        ge=0,
        le=300,
        description="Seconds between being told to stop and no longer accepting requests, in which `GET /ready` "
        "answers 503, so that a load balancer looks elsewhere first.",
    )
    shutdown_timeout_s: int = Field(
        default=30, ge=1, le=3600, description="Seconds that running requests, and the running task, have to end."
    )

    @property
    def embedded(self) -> bool:
        """Whether one process does everything."""
        return self.redis_url is None

    @property
    def sign_in_configured(self) -> bool:
        """Whether people can sign in with GitHub."""
        return self.github_oauth_client_id is not None

    def quota_per_minute(self, kind: Kind) -> int:
        """Requests of a kind that one owner may make a minute; 0: any number."""
        match kind:
            case "read":
                return self.reads_per_minute
            case "write":
                return self.writes_per_minute
            case "part":
                return self.parts_per_minute
            case "refused":
                return self.refusals_per_minute

    @property
    def anonymous_uploads_allowed(self) -> bool:
        """Whether who has no credential may upload."""
        return self.embedded if self.anonymous_uploads is None else self.anonymous_uploads

    @property
    def resolved_database_url(self) -> str:
        """The database's address, the embedded default filled in."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'byogpu.sqlite3'}"

    @property
    def resolved_service_key_file(self) -> Path:
        """Where the key is that signs jobs."""
        return self.service_key_file or self.data_dir / "service-key.pem"

    def events_since(self, now: datetime) -> datetime | None:
        """From when on events are remembered; None: all are."""
        return now - timedelta(days=self.retention_events_days) if self.retention_events_days else None

    @property
    def github_configured(self) -> bool:
        """Whether there are credentials to publish checks with."""
        return self.github_token is not None or self.github_app_id is not None

    @model_validator(mode="after")
    def _consistent(self) -> "Settings":
        if (self.github_app_id is None) != (self.github_app_key_file is None):
            raise ValueError("github_app_id and github_app_key_file belong together")
        if self.github_app_id is not None and self.github_token is not None:
            raise ValueError("give a GitHub App or a token, not both")
        if (self.github_oauth_client_id is None) != (self.github_oauth_client_secret is None):
            raise ValueError("github_oauth_client_id and github_oauth_client_secret belong together")
        if (self.s3_access_key is None) != (self.s3_secret_key is None):
            raise ValueError("s3_access_key and s3_secret_key belong together")
        if self.s3_bucket is not None and self.part_size_bytes < 5 * MIB:
            raise ValueError("S3 takes no parts of less than 5 MiB: raise part_size_bytes")
        for name in ("github_token", "github_webhook_secret", "admin_token", "metrics_token"):
            secret: SecretStr | None = getattr(self, name)
            if secret is not None and len(secret.get_secret_value()) < 16:
                raise ValueError(f"{name} needs at least 16 characters")
        return self
