"""Servers that stop dead at a named point, so that a test can kill them there.

Each line on standard input is a JSON object ``{point, marker, environment}`` and forks a server with those settings;
its process id is printed. Forking saves importing everything a dozen times; the server is an ordinary process that can
be killed. At ``point`` it writes the file ``marker`` and goes no further. Points:

    receiving     a part lies in the store, and nobody has been told
    assembling    a blob is whole in the store, and the database does not know it
    validating    the first blob is opened to be judged
    publishing    a check is about to be posted
    published     GitHub has the check, and the database does not know it
    none          never
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import uvicorn

from server.app import create_app
from server.github import Answer, CheckPayload, Permission, PublishedCheck, Pull, Rate
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

    def assemble(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> None:
        """See `LocalBlobs`."""
        super().assemble(sha256, parts, digests)
        self._stop.at("assembling")


@dataclass(frozen=True)
class StoppingGitHub:
    """GitHub, with points to stop at."""

    github: GitHub
    stop: Stop

    def fetch_pull(self, repository: str, number: int) -> Pull:
        """See `GitHub`."""
        return self.github.fetch_pull(repository, number)

    def fetch_open_pulls(self, repository: str) -> list[Pull]:
        """See `GitHub`."""
        return self.github.fetch_open_pulls(repository)

    def permission(self, repository: str, login: str) -> Permission:
        """See `GitHub`."""
        return self.github.permission(repository, login)

    def answer(self, answer: Answer) -> str:
        """See `GitHub`."""
        return self.github.answer(answer)

    def covers(self, repository: str) -> bool:
        """See `GitHub`."""
        return self.github.covers(repository)

    def rate(self) -> Rate | None:
        """See `GitHub`."""
        return self.github.rate()

    def publish(self, payload: CheckPayload) -> PublishedCheck:
        """See `GitHub`."""
        self.stop.at("publishing")
        published = self.github.publish(payload)
        self.stop.at("published")
        return published


def serve(point: str, marker: Path) -> None:
    """Serve until killed."""
    stop = Stop(point, marker)
    settings = Settings()
    services = build(settings)
    assert services.github is not None
    stopping = replace(
        services, store=StoppingBlobs(settings.data_dir, stop), github=StoppingGitHub(services.github, stop)
    )
    uvicorn.run(create_app(settings, services=stopping), host=settings.host, port=settings.port, log_level="warning")


def main() -> None:
    """Fork a server for each line."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries them
    for line in sys.stdin:
        wanted = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.environ.update(wanted["environment"])
            serve(wanted["point"], Path(wanted["marker"]))
            os._exit(1)
        print(child, flush=True)


if __name__ == "__main__":
    main()
