"""Images built from the project's own Dockerfiles, on base images made here, where no image registry is reachable."""

import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

BUILD_TIMEOUT_S = 1200
RUN_TIMEOUT_S = 600


@dataclass(frozen=True)
class Podman:
    """Podman with a container store of its own.

    Attributes:
        root: The repository, the context of every build.
        prefix: What makes a command run as root with the store's settings.
        volumes: Folders of this machine that pip reads wheels from during a build.
    """

    root: Path
    prefix: tuple[str, ...]
    volumes: tuple[str, ...]

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
        """Build ``containers/NAME/Dockerfile`` and return the image's tag."""
        tag = f"localhost/byogpu-test/{name}"
        mounts = [f"--volume={folder}:{folder}:ro" for folder in self.volumes]
        options = ["--quiet", "--layers", "--format=docker", "--network=host", *mounts]
        self("build", *options, "-f", f"containers/{name}/Dockerfile", "-t", tag, ".", timeout_s=BUILD_TIMEOUT_S)
        return tag


@pytest.fixture(scope="session")
def podman() -> Podman:
    root = Path(__file__).resolve().parents[2]
    store = root / "var/containers"
    as_root = () if os.geteuid() == 0 else ("sudo", "-n")
    made = subprocess.run(
        [*as_root, root / "scripts/make_base_images.sh", store], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    # Files of NAME=VALUE words and of folders, one a line; written by the script.
    environment = shlex.split((store / "env").read_text(encoding="utf-8"))
    volumes = (store / "volumes").read_text(encoding="utf-8").split()
    return Podman(root=root, prefix=(*as_root, "env", *environment), volumes=tuple(volumes))


@pytest.fixture(scope="session")
def eval_smoke(podman: Podman) -> str:
    """Tag of the image of containers/eval-smoke."""
    return podman.build("eval-smoke")


@pytest.fixture(scope="session")
def server_image(podman: Podman) -> str:
    """Tag of the image of containers/server."""
    return podman.build("server")
