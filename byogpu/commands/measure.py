"""Sub-commands that measure: run, reproduce."""

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
from byogpu.failures import found_problem
from byogpu.output import Output
from worker.errors import ExitCode, WorkerError
from worker.settings import Settings


def run(
    suite: Annotated[str, typer.Option("--suite", help="smoke runs on any machine.")] = "smoke",
    server: Server = None,
    pull: Annotated[
        str | None, typer.Option("--pull", metavar="OWNER/NAME#N", help="Pull request it is evidence for.")
    ] = None,
    no_challenge: Annotated[
        bool, typer.Option("--no-challenge", help="Choose prompts and seeds here; trust stays lower.")
    ] = False,
    out: Out = None,
    no_upload: Annotated[bool, typer.Option("--no-upload", help="Keep the bundle here.")] = False,
    baseline_python: BaselinePython = None,
    candidate_python: CandidatePython = None,
    baseline_tree: BaselineTree = None,
    candidate_tree: CandidateTree = None,
    as_json: Json = False,
) -> None:
    """Measure baseline and candidate on this machine, write a signed bundle, and upload it if a server is named.

    With --pull the server first issues a challenge, which fixes prompts, seeds and commit; the bundle is trusted more.

    Ends with 1 if an eval failed, a rule found what takes evidence away, or the server refused the bundle. That the
    specialized path did not run is shown and is no such finding: without a GPU it is the expected answer.
    """
    from byogpu.measuring import Sources, measure
    from byogpu.reading import show_cells, show_findings
    from byogpu.sending import send
    from judge.evidence import collect
    from judge.summarise import summarise
    from worker.check import check
    from worker.run import failed_evals
    from worker.service import Service
    from worker.suites import load

    settings, output = Settings(), Output(as_json=as_json)
    named = server is not None or settings.server_url is not None
    if pull is not None and not named:
        raise WorkerError("usage", "--pull needs a server to ask about the pull request: give --server")
    chosen = load(suite)
    if named:
        with Service(settings, url=server):
            pass  # a wrong address is said now, not after minutes of measuring
    arms = Sources(baseline_python, candidate_python, baseline_tree, candidate_tree).arms()
    bundle = measure(chosen, arms, settings, out, server=server, pull=pull, challenged=not no_challenge)
    findings = check(bundle)
    show_cells(output, summarise(collect(bundle)))
    show_findings(output, bundle, findings)
    output.line(f"Bundle {bundle.id}", style="bold")
    receipt = send(bundle, settings, server=server, output=output) if named and not no_upload else None
    output.document({"bundle_id": bundle.id, "findings": findings, "receipt": receipt})
    refused = receipt is not None and receipt.validation_state != "valid"
    if failed_evals(bundle.manifest) or refused or found_problem(findings):
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
    from byogpu.library import opened
    from byogpu.measuring import Sources, measure, plan_of
    from byogpu.reading import show_reproduction
    from byogpu.sending import send
    from judge.evidence import collect
    from judge.reproduction import reproduction
    from judge.summarise import summarise

    settings, output = Settings(), Output(as_json=as_json)
    with opened(bundle, settings) as first:
        arms = Sources(baseline_python, candidate_python, baseline_tree, candidate_tree).arms()
        second = measure(plan_of(first, arms), arms, settings, out)
        result = reproduction(summarise(collect(first)), summarise(collect(second)), ids=(first.id, second.id))
    if server is not None:
        send(second, settings, server=server, output=output)
    output.document(result)
    show_reproduction(output, result)
    if result.outcome == "differs":
        raise typer.Exit(ExitCode.FINDING)
