"""Images built from the project's own Dockerfiles, on base images made here, where no image registry is reachable."""

import fcntl
import os
import secrets
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

BUILD_TIMEOUT_S = 1200
RUN_TIMEOUT_S = 600


@dataclass(frozen=True)
class Podman:
    """Podman with a container store that all runs of the tests share, for its layers.

    Attributes:
        root: The repository, the context of every build.
        store: Where the container store is.
        prefix: What makes a command run as root with the store's settings.
        volumes: Folders of this machine that pip reads wheels from during a build.
        run: Names the images of this run: what another run builds meanwhile is none of ours.
        tags: Those images.
    """

    root: Path
    store: Path
    prefix: tuple[str, ...]
    volumes: tuple[str, ...]
    run: str = field(default_factory=lambda: secrets.token_hex(4))
    tags: list[str] = field(default_factory=list)

    def __call__(self, *words: str, timeout_s: float = RUN_TIMEOUT_S, check: bool = True) -> str:
        """Run a podman command and return its standard output; on failure show what it said."""
        ended = subprocess.run(
            [*self.prefix, "podman", *words],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            cwd=self.root,
        )
        assert ended.returncode == 0 or not check, f"podman {words[0]}: {ended.stdout[-4000:]}{ended.stderr[-4000:]}"
        return ended.stdout

    def build(self, name: str) -> str:
        """Build ``containers/NAME/Dockerfile`` and return the image's tag.

        One build at a time: whoever waits finds the layers made, instead of making the same ones beside.
        """
        cache, tag = f"localhost/byogpu-test/{name}", f"localhost/byogpu-test/{name}:{self.run}"
        mounts = [f"--volume={folder}:{folder}:ro" for folder in self.volumes]
        options = ["--quiet", "--layers", "--format=docker", "--network=host", *mounts, "-t", cache, "-t", tag]
        with _held(self.store / f"{name}.lock"):
            self("build", *options, "-f", f"containers/{name}/Dockerfile", ".", timeout_s=BUILD_TIMEOUT_S)
        self.tags.append(tag)
        return tag


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold a lock among all runs of the tests; the kernel lets go of it however a run ends."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    root = Path(__file__).resolve().parents[2]
    store = root / "var/containers"
    store.mkdir(parents=True, exist_ok=True)
    as_root = () if os.geteuid() == 0 else ("sudo", "-n")
    with _held(store / "base.lock"):
        made = subprocess.run(
            [*as_root, root / "scripts/make_base_images.sh", store], capture_output=True, text=True, check=False
        )
    assert made.returncode == 0, made.stdout + made.stderr
    # Files of NAME=VALUE words and of folders, one a line; written by the script.
    environment = shlex.split((store / "env").read_text(encoding="utf-8"))
    volumes = (store / "volumes").read_text(encoding="utf-8").split()
    one = Podman(root=root, store=store, prefix=(*as_root, "env", *environment), volumes=tuple(volumes))
    yield one
    for tag in one.tags:
        one("untag", tag, tag, check=False)


@pytest.fixture(scope="session")
def eval_smoke(podman: Podman) -> str:
    """Tag of the image of containers/eval-smoke."""
    return podman.build("eval-smoke")


@pytest.fixture(scope="session")
def server_image(podman: Podman) -> str:
    """Tag of the image of containers/server."""
    return podman.build("server")
