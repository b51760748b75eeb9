"""Measuring on this machine, for the sub-commands that do: which code, about what, and where the bundle goes."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from byogpu.shelf import shelved
from worker.arms import Arms, resolve
from worker.bundle import Bundle
from worker.bundle.schema import Challenge
from worker.errors import WorkerError
from worker.node_key import node_key
from worker.progress import Bars
from worker.run import RunRequest, offline_subject, run_suite
from worker.service import Service
from worker.settings import Settings
from worker.suites import Suite, by_digest

_PULL = re.compile(r"([^/\s#]+/[^/\s#]+)#([1-9][0-9]{0,8})\Z")


@dataclass(frozen=True)
class Sources:
    """Where each arm's code is; None: this Python, and what is installed in it.

    Attributes:
        baseline_python: Launcher of the baseline.
        candidate_python: Launcher of the candidate.
        baseline_tree: Source tree of the baseline.
        candidate_tree: Source tree of the candidate.
    """

    baseline_python: Path | None
    candidate_python: Path | None
    baseline_tree: Path | None
    candidate_tree: Path | None

    def arms(self) -> Arms:
        """Find out what each arm is.

        Raises:
            WorkerError: ``launcher_missing``, ``tree_missing``.
        """
        with tempfile.TemporaryDirectory(prefix="byogpu-") as scratch:
            work = Path(scratch)
            return Arms(
                resolve("baseline", work=work, python=self.baseline_python, tree=self.baseline_tree),
                resolve("candidate", work=work, python=self.candidate_python, tree=self.candidate_tree),
            )


def measure(
    suite: Suite,
    arms: Arms,
    settings: Settings,
    out: Path | None,
    *,
    server: str | None = None,
    pull: str | None = None,
    challenged: bool = True,
) -> Bundle:
    """Run a suite with bars, and shelve the bundle.

    Args:
        suite: What to run.
        arms: With which code.
        settings: Where state is kept.
        out: Folder of the bundle; None: among the runs.
        server: Asked about the pull request; None: the settings'.
        pull: ``OWNER/NAME#NUMBER``; None: the bundle is about no pull request.
        challenged: Whether to ask the server for a challenge; only a run about a pull request can have one.

    Raises:
        WorkerError: ``usage``, and what `run_suite`, `Service.subject` and `Service.challenge` raise.
    """
    key = node_key(settings)
    subject, challenge = offline_subject(suite, arms), None
    if pull is not None:
        matched = _PULL.match(pull)
        if matched is None:
            raise WorkerError("usage", f"--pull {pull}: give OWNER/NAME#NUMBER")
        with Service(settings, url=server) as service:
            subject = service.subject(matched[1], int(matched[2]), suite=suite.reference)
            challenge = service.challenge(subject, suite=suite, key=key) if challenged else None
    with _given_up_if_broken(challenge, settings, server), shelved(settings, out) as target, Bars() as bars:
        request = RunRequest(suite, arms, subject, target.folder, challenge)
        run_suite(request, settings=settings, key=key, progress=bars)
    return target.bundle


@contextmanager
def _given_up_if_broken(challenge: Challenge | None, settings: Settings, server: str | None) -> Iterator[None]:
    """Tell the server about a run that ends without a bundle. A server that does not answer is not waited for."""
    try:
        yield
    except BaseException:
        if challenge is not None:
            hasty = settings.model_copy(update={"retry_attempts": 1, "request_timeout_s": 5.0})
            with suppress(WorkerError), Service(hasty, url=server) as service:
                service.give_up(challenge)
        raise


def plan_of(bundle: Bundle, arms: Arms) -> Suite:
    """The suite to run again, once it is certain that the code at hand is the code that was measured.

    Raises:
        WorkerError: ``usage``: there is nothing to run again; ``code_differs``.
        UnknownSuiteError: The suite is not among the published ones.
    """
    reference = bundle.manifest.subject.suite
    if reference is None:
        raise WorkerError("usage", "the bundle was imported: there is no suite to run again")
    recorded = {arm.name: arm.code for arm in bundle.manifest.arms}
    for arm in arms:
        if arm.name not in recorded:
            raise WorkerError("usage", "the bundle has only one arm: there is no comparison to run again")
        if recorded[arm.name].tree_digest != arm.code.tree_digest:
            commit = recorded[arm.name].commit_sha
            raise WorkerError(
                "code_differs",
                f"the {arm.name} here is not the code that was measured: check out "
                f"{commit if commit != 'unknown' else 'that code'} and name it with --{arm.name}-tree",
            )
    return by_digest(reference.digest)
