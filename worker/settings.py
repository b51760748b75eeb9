"""Settings of the worker: the one place that reads its environment variables."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field, HttpUrl, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from worker.bundle.record import Sha256


def _xdg(variable: str, fallback: str) -> Path:
    """A base folder of the XDG specification; a relative value is ignored, as it demands."""
    stated = Path(os.environ.get(variable, ""))
    return (stated if stated.is_absolute() else Path.home() / fallback) / "byogpu"


class Settings(BaseSettings):
    """Built once by the command and passed down. Each field is read from ``BYOGPU_<NAME>``.

    None of these variables reaches an arm's process (`worker.variables`).
    """

    model_config = SettingsConfigDict(env_prefix="BYOGPU_", frozen=True, extra="ignore")

    server_url: HttpUrl | None = None
    """Where bundles go, such as ``https://byogpu.example``."""
    store_url: HttpUrl | None = None
    """The server's blob store, if that is neither on the server's host nor public: parts may be sent there."""
    token: SecretStr | None = None
    """API token for the server. Better kept in ``token_file``: a variable can be read by every process of the user."""
    token_file: Path | None = None
    """File with the token; used when ``token`` is not set."""
    credentials_file: Path = Field(default_factory=lambda: _xdg("XDG_CONFIG_HOME", ".config") / "credentials.json")
    """Where `byogpu login` keeps its tokens; used when neither ``token`` nor ``token_file`` is set."""
    node_key: Path = Field(default_factory=lambda: _xdg("XDG_CONFIG_HOME", ".config") / "node.pem")
    """The ed25519 key that signs bundles; made on first use."""
    state_folder: Path = Field(default_factory=lambda: _xdg("XDG_STATE_HOME", ".local/state"))
    """Where attempts are counted."""
    runs_folder: Path = Field(default_factory=lambda: _xdg("XDG_DATA_HOME", ".local/share") / "runs")
    """Where bundles are written unless the command names a folder."""
    image_digest: Sha256 | None = None
    """Digest of the container image the worker runs in, set by whoever starts the container."""
    request_timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """Longest silence of the server within one request."""
    retry_attempts: Annotated[int, Field(ge=1, le=100)] = 8
    """Tries of one request before the upload gives up."""
    retry_longest_wait_s: Annotated[float, Field(ge=0)] = 30.0
    """Cap on the wait between two tries; a longer ``Retry-After`` is honoured up to ten times this."""

    def bearer(self) -> str | None:
        """The API token, from ``token`` or ``token_file``; None without one.

        Raises:
            OSError: The file cannot be read.
        """
        if self.token is not None:
            return self.token.get_secret_value()
        return self.token_file.read_text(encoding="utf-8").strip() if self.token_file is not None else None
