"""Arms: which program is the baseline, which the candidate, and exactly which source each one runs.

An arm is a Python (its *launcher*), optionally a source tree put before what is installed there, and a decode mode:
the baseline runs stock, the candidate asks for the specialized path. Without options both arms are one installation
in two modes. Who an arm is, the machine finds out; nothing is typed.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from worker.bundle import BundleError, canonical, digest, digest_stream, parse_record
from worker.bundle.environment import Package
from worker.bundle.record import Label, Record, Unknown
from worker.bundle.schema import ArmName, CodeIdentity
from worker.deadline import Deadline
from worker.environment import launcher_facts
from worker.errors import WorkerError
from worker.processes import run
from worker.variables import clean_environment

PACKAGE = "k3_decode"
_QUESTION_LIMIT_S = 60.0

DecodeMode = Literal["stock", "specialized"]


class _Facts(Record):
    """What `worker.environment.launcher_facts` prints."""

    python_version: Label
    packages: Annotated[tuple[Package, ...], Field(max_length=5_000)]
    package_folder: str | None


@dataclass(frozen=True)
class Arm:
    """One side of the comparison, ready to be started.

    Attributes:
        name: ``baseline`` or ``candidate``.
        python: Its launcher.
        tree: Source tree put before what the launcher has installed; None: what is installed.
        decode: The decode path it asks for.
        code: Which source it runs.
        python_version: Version of the launcher.
        packages: What is installed there.
    """

    name: ArmName
    python: Path
    tree: Path | None
    decode: DecodeMode
    code: CodeIdentity
    python_version: str
    packages: tuple[Package, ...]

    @property
    def packages_digest(self) -> str:
        """SHA-256 over name, version and RECORD digest of every package."""
        return digest(canonical([package.model_dump(mode="json") for package in self.packages]))

    def module(self, name: str, *arguments: str) -> list[str]:
        """Command that runs a module of the arm."""
        return [str(self.python), "-m", name, *arguments]

    def environment(self, home: Path) -> dict[str, str]:
        """Environment of the arm's programs, with ``home`` as their home."""
        return _environment(home, self.tree)


@dataclass(frozen=True)
class Arms:
    """Both arms."""

    baseline: Arm
    candidate: Arm

    def __iter__(self) -> Iterator[Arm]:
        """Yield the baseline, then the candidate."""
        return iter((self.baseline, self.candidate))


def resolve(name: ArmName, *, work: Path, python: Path | None = None, tree: Path | None = None) -> Arm:
    """Find out what an arm is.

    Args:
        name: ``baseline`` runs stock, ``candidate`` specialized.
        work: A folder for scratch files.
        python: Launcher; this Python if None.
        tree: Folder that holds the ``k3_decode`` package to run; what the launcher has installed if None.

    Raises:
        WorkerError: ``launcher_missing``, ``tree_missing``.
    """
    launcher = Path(sys.executable) if python is None else python.absolute()
    source = None if tree is None else tree.resolve()
    if source is not None and not (source / PACKAGE / "__init__.py").is_file():
        raise WorkerError("tree_missing", f"{tree} holds no {PACKAGE} package")
    facts = _ask_launcher(launcher, source, work)
    if facts.package_folder is None:
        raise WorkerError("tree_missing", f"{launcher.name} cannot import {PACKAGE}; install it there, or name a tree")
    return Arm(
        name=name,
        python=launcher,
        tree=source,
        decode="stock" if name == "baseline" else "specialized",
        code=identify(Path(facts.package_folder), work=work),
        python_version=facts.python_version,
        packages=facts.packages,
    )


def identify(package: Path, *, work: Path) -> CodeIdentity:
    """Say which source a package folder holds: commit, whether it was changed since, and a digest of what is there."""
    commit = _git(package, work, "rev-parse", "--verify", "HEAD")
    status = None if commit is None else _git(package, work, "status", "--porcelain", "--untracked-files=normal", ".")
    tracked = None if commit is None else _git(package, work, "ls-files", "--error-unmatch", "__init__.py")
    dirty: bool | Unknown = "unknown" if status is None else status != ""
    if not tracked:
        return CodeIdentity(commit_sha="unknown", tree_digest=tree_digest(package), dirty="unknown")
    return CodeIdentity(commit_sha=commit or "unknown", tree_digest=tree_digest(package), dirty=dirty)


def tree_digest(package: Path) -> str:
    """SHA-256 of the canonical JSON list ``[[path, sha256], …]`` of a package's files, sorted by path.

    Every file counts, tracked by git or not, since every one can be imported; compiled Python and hidden files do not.
    Paths are relative to the folder that holds the package, with ``/``.
    """
    return digest(canonical([[path, found] for path, found in sorted(_files(package))]))


def _files(package: Path) -> Iterator[tuple[str, str]]:
    for path in package.rglob("*"):
        inside = path.relative_to(package.parent)
        hidden = any(part.startswith(".") or part == "__pycache__" for part in inside.parts)
        if hidden or path.suffix == ".pyc" or not path.is_file():
            continue
        with path.open("rb") as stream:
            yield inside.as_posix(), digest_stream(stream)[0]


def _environment(home: Path, tree: Path | None) -> dict[str, str]:
    return clean_environment(home, extra={} if tree is None else {"PYTHONPATH": str(tree)})


def _ask_launcher(python: Path, tree: Path | None, work: Path) -> _Facts:
    script = Path(launcher_facts.__file__)
    try:
        answer = run(
            [python, script],
            environment=_environment(work, tree),
            folder=work,
            deadline=Deadline.after(_QUESTION_LIMIT_S),
        )
        return parse_record(answer.output, _Facts, code="answer_invalid")
    except (BundleError, WorkerError) as error:
        raise WorkerError("launcher_missing", f"{python} does not work as a Python: {error.detail}") from error


def _git(folder: Path, work: Path, *arguments: str) -> str | None:
    """Ask git about a folder without running anything its repository configures; None if git cannot say."""
    command: list[str | Path] = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "-C",
        folder,
        *arguments,
    ]
    try:
        answer = run(
            command, environment=clean_environment(work), folder=work, deadline=Deadline.after(_QUESTION_LIMIT_S)
        )
    except WorkerError:
        return None
    return answer.output.decode("utf-8", "replace").strip()
