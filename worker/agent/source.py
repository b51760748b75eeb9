"""The code of both arms, fetched by commit. Git names a commit by its content, so what comes is what was approved.

Fetching happens outside the container, which has no network. Nothing of the code is run here: no hooks, no filters, no
submodules, and only the protocols that the address itself needs.
"""

import os
import subprocess
from pathlib import Path

from worker.bundle.job import Source
from worker.errors import WorkerError

FETCH_TIMEOUT_S = 600
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=true",
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.http.allow=always",
    "submodule.recurse=false",
    "fetch.fsckObjects=true",
    "transfer.fsckObjects=true",
    "gc.auto=0",
    "advice.detachedHead=false",
)


def fetch_arms(source: Source, folder: Path, *, mirror: str | None) -> tuple[Path, Path]:
    """Fetch the code of both arms.

    Args:
        source: Where, and which commits.
        folder: An empty folder.
        mirror: Address or folder to fetch from instead.

    Returns:
        The trees of the baseline and of the candidate.

    Raises:
        WorkerError: ``source_unavailable``.
    """
    where = mirror or source.clone_url
    local = ("protocol.file.allow=always",) if mirror is not None and "://" not in mirror else ()
    store = folder / "objects.git"
    _git(["init", "--quiet", "--bare", str(store)], folder, local)
    trees = []
    for name, commit in (("baseline", source.base_sha), ("candidate", source.head_sha)):
        _git(["--git-dir", str(store), "fetch", "--quiet", "--depth=1", "--no-tags", where, commit], folder, local)
        tree = folder / name
        tree.mkdir()
        _git(
            ["--git-dir", str(store), "--work-tree", str(tree), "checkout", "--quiet", "--force", commit, "--", "."],
            tree,
        )
        trees.append(tree)
    return trees[0], trees[1]


def _git(arguments: list[str], folder: Path, settings: tuple[str, ...] = ()) -> None:
    options = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "GIT_ATTR_NOSYSTEM": "1",
        **{name: os.environ[name] for name in ("HTTPS_PROXY", "https_proxy", "SSL_CERT_FILE") if name in os.environ},
    }
    try:
        ended = subprocess.run(
            ["git", *options, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=FETCH_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkerError("source_unavailable", f"git could not be run to its end: {type(error).__name__}") from error
    if ended.returncode != 0:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        raise WorkerError("source_unavailable", f"git: {said[-1][:300] if said else 'no reason given'}")
