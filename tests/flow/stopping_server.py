"""A server that stops dead at a named point, so that a test can kill it there.

    python stopping_server.py POINT MARKER

Settings come from the environment, as always. At POINT it writes the file MARKER and goes no further. Points:

    receiving     a part lies in the store, and nobody has been told
    assembling    a blob is whole in the store, and the database does not know it
    validating    the first blob is opened to be judged
    publishing    a check is about to be posted
    published     GitHub has the check, and the database does not know it
    none          never
"""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import uvicorn

from server.app import create_app
from server.github import CheckPayload, PublishedCheck, Pull
from server.services import GitHub
from server.settings import Settings
from server.startup import build
from server.storage import LocalBlobs, Part, PartSink


@dataclass(frozen=True)
class Stop:
    """The point to stop at."""

    point: str
    marker: Path

    def at(self, point: str) -> None:
        """Go no further if this is the point."""
        if point == self.point:
            self.marker.touch()
            time.sleep(3600)


class StoppingBlobs(LocalBlobs):
    """The local store, with points to stop at."""

    def __init__(self, folder: Path, stop: Stop) -> None:
        super().__init__(folder)
        self._stop = stop

    def open(self, sha256: str) -> BinaryIO:
        """See `LocalBlobs`."""
        self._stop.at("validating")
        return super().open(sha256)

    @contextmanager
    def part(self, sha256: str, number: int) -> Iterator[PartSink]:
        """See `LocalBlobs`."""
        with super().part(sha256, number) as sink:
            yield sink
            self._stop.at("receiving")

    def assemble(self, sha256: str, parts: Iterable[Part]) -> None:
        """See `LocalBlobs`."""
        super().assemble(sha256, parts)
        self._stop.at("assembling")


@dataclass(frozen=True)
class StoppingGitHub:
    """GitHub, with points to stop at."""

    github: GitHub
    stop: Stop

    def fetch_pull(self, repository: str, number: int) -> Pull:
        """See `GitHub`."""
        return self.github.fetch_pull(repository, number)

    def publish(self, payload: CheckPayload) -> PublishedCheck:
        """See `GitHub`."""
        self.stop.at("publishing")
        published = self.github.publish(payload)
        self.stop.at("published")
        return published


def main() -> None:
    """Serve until killed."""
    stop = Stop(sys.argv[1], Path(sys.argv[2]))
    settings = Settings()
    services = build(settings)
    assert services.github is not None
    stopping = replace(
        services, store=StoppingBlobs(settings.data_dir, stop), github=StoppingGitHub(services.github, stop)
    )
    uvicorn.run(create_app(settings, services=stopping), host=settings.host, port=settings.port, log_level="warning")


if __name__ == "__main__":
    main()
