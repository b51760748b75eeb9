"""Sub-commands that measure: run, reproduce."""

import re
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from byogpu.commands.options import (
    BaselinePython,
    BaselineTree,
    BundleName,
    CandidatePython,
    CandidateTree,
    Json,
    Out,
    Server,
)
from byogpu.library import opened
from byogpu.output import Output
from byogpu.reading import show_cells, show_findings, show_reproduction
from byogpu.sending import send
from byogpu.shelf import shelved
from judge.evidence import collect
from judge.reproduction import reproduction
from judge.summarise import summarise
from worker.arms import Arms, resolve
from worker.bundle import Bundle
from worker.bundle.schema import Arm
from worker.check import check
from worker.errors import ExitCode, WorkerError
from worker.node_key import node_key
from worker.progress import Bars
from worker.run import RunRequest, failed_evals, offline_subject, run_suite
from worker.service import Service
from worker.settings import Settings
from worker.suites import Suite, by_digest, load

_PULL = re.compile(r"([^/\s#]+/[^/\s#]+)#([1-9][0-9]{0,8})\Z")


def run(
    suite: Annotated[str, typer.Option("--suite", help="smoke runs on any machine.")] = "smoke",
    server: Server = None,
    pull: Annotated[
        str | None, typer.Option("--pull", metavar="OWNER/NAME#N", help="Pull request it is evidence for.")
    ] = None,
    out: Out = None,
    no_upload: Annotated[bool, typer.Option("--no-upload", help="Keep the bundle here.")] = False,
    baseline_python: BaselinePython = None,
    candidate_python: CandidatePython = None,
    baseline_tree: BaselineTree = None,
    candidate_tree: CandidateTree = None,
    as_json: Json = False,
) -> None:
    """Measure baseline and candidate on this machine, write a signed bundle, and upload it if a server is named.

    Ends with 1 if an eval failed, a rule found an error, or the server refused the bundle.
    """
    settings = Settings()
    output = Output(as_json=as_json)
    chosen = load(suite)
    if pull is not None and server is None and settings.server_url is None:
        raise WorkerError("usage", "--pull needs a server to ask about the pull request: give --server")
    with tempfile.TemporaryDirectory(prefix="byogpu-") as scratch:
        arms = Arms(
            resolve("baseline", work=Path(scratch), python=baseline_python, tree=baseline_tree),
            resolve("candidate", work=Path(scratch), python=candidate_python, tree=candidate_tree),
        )
    bundle = _measure(chosen, arms, settings, out, server=server, pull=pull)
    findings = check(bundle)
    receipt = None
    show_cells(output, summarise(collect(bundle)))
    show_findings(output, bundle, findings)
    output.line(f"Bundle {bundle.id}", style="bold")
    if not no_upload and (server is not None or settings.server_url is not None):
        receipt = send(bundle, settings, server=server, output=output)
    output.document({"bundle_id": bundle.id, "findings": findings, "receipt": receipt})
    refused = receipt is not None and receipt.validation_state != "valid"
    if failed_evals(bundle.manifest) or refused or any(finding.severity == "error" for finding in findings):
        raise typer.Exit(ExitCode.FINDING)


def reproduce(
    bundle: BundleName,
    server: Server = None,
    out: Out = None,
    baseline_python: BaselinePython = None,
    candidate_python: CandidatePython = None,
    baseline_tree: BaselineTree = None,
    candidate_tree: CandidateTree = None,
    as_json: Json = False,
) -> None:
    """Run a bundle's suite again, here, with the same code, and say whether its result comes out again.

    Ends with 1 if it does not. The code must be the same: name trees or Pythons that hold it.
    """
    settings = Settings()
    output = Output(as_json=as_json)
    with opened(bundle, settings) as first, tempfile.TemporaryDirectory(prefix="byogpu-") as scratch:
        suite = _suite_of(first)
        recorded = {arm.name: arm for arm in first.manifest.arms}
        arms = Arms(
            resolve("baseline", work=Path(scratch), python=baseline_python, tree=baseline_tree),
            resolve("candidate", work=Path(scratch), python=candidate_python, tree=candidate_tree),
        )
        for arm in arms:
            _require_same_code(recorded.get(arm.name), arm.code.tree_digest)
        second = _measure(suite, arms, settings, out, server=None, pull=None)
        result = reproduction(summarise(collect(first)), summarise(collect(second)), ids=(first.id, second.id))
    if server is not None:
        send(second, settings, server=server, output=output)
    output.document(result)
    show_reproduction(output, result)
    if result.outcome == "differs":
        raise typer.Exit(ExitCode.FINDING)


def _measure(
    suite: Suite, arms: Arms, settings: Settings, out: Path | None, *, server: str | None, pull: str | None
) -> Bundle:
    subject = offline_subject(suite, arms)
    if pull is not None:
        matched = _PULL.match(pull)
        if matched is None:
            raise WorkerError("usage", f"--pull {pull}: give OWNER/NAME#NUMBER")
        with Service(settings, url=server) as service:
            subject = service.subject(matched[1], int(matched[2]), suite=suite.reference)
    with shelved(settings, out) as target, Bars() as bars:
        run_suite(
            RunRequest(suite, arms, subject, target.folder), settings=settings, key=node_key(settings), progress=bars
        )
    return target.bundle


def _suite_of(bundle: Bundle) -> Suite:
    reference = bundle.manifest.subject.suite
    if reference is None:
        raise WorkerError("usage", "the bundle was imported: there is no suite to run again")
    return by_digest(reference.digest)


def _require_same_code(recorded: Arm | None, tree_digest: str) -> None:
    if recorded is None:
        raise WorkerError("usage", "the bundle has only one arm: there is no comparison to run again")
    if recorded.code.tree_digest != tree_digest:
        commit = recorded.code.commit_sha
        raise WorkerError(
            "code_differs",
            f"the {recorded.name} here is not the code that was measured: check out "
            f"{commit if commit != 'unknown' else 'that code'} and name it with --{recorded.name}-tree",
        )
