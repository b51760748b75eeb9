"""Sub-commands of those who lend a machine: agent, and what it starts inside a container."""

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byogpu.commands.options import BaselineTree, CandidateTree, Json, Server, settings_for
from byogpu.output import Output
from worker.errors import ExitCode

if TYPE_CHECKING:
    from worker.arms import Arm

MAX_ORDER_BYTES = 64_000


def run_job(
    out: Annotated[Path, typer.Option("--out", help="Folder of the bundle and of what an interruption leaves.")],
    baseline_tree: BaselineTree = None,
    candidate_tree: CandidateTree = None,
) -> None:
    """Run the job that comes on standard input, and write a bundle that somebody else signs and uploads.

    An agent starts this in a container. Nothing here holds a key or needs a network.
    """
    from byogpu.measuring import Sources
    from worker.arms import Arms
    from worker.bundle import parse_record
    from worker.bundle.job import JobSpec
    from worker.progress import Bars
    from worker.run import RunRequest, run_suite
    from worker.settings import Settings
    from worker.suites import by_digest

    spec = parse_record(sys.stdin.buffer.read(MAX_ORDER_BYTES), JobSpec, code="job_invalid")
    assert spec.subject.suite is not None
    arms = Sources(None, None, baseline_tree, candidate_tree).arms()
    request = RunRequest(
        suite=by_digest(spec.subject.suite.digest),
        arms=Arms(_at(arms.baseline, spec.source.base_sha), _at(arms.candidate, spec.source.head_sha)),
        subject=spec.subject,
        out=out / "bundle",
        challenge=spec.challenge,
        signer=spec.node_key_id,
        checkpoints=out / "checkpoints",
    )
    with Bars() as bars:
        run_suite(request, settings=Settings(), key=None, progress=bars)


def _at(arm: "Arm", commit: str) -> "Arm":
    """An arm whose code was unpacked from a commit by whoever started this; the tree itself no longer says so."""
    return dataclasses.replace(arm, code=arm.code.model_copy(update={"commit_sha": commit, "dirty": False}))


def agent(
    server: Server = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", help="What this machine may run.", show_default="agent.toml beside the key"),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="End after one job, or when there is none.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be offered and run; ask for nothing.")
    ] = False,
    print_policy: Annotated[bool, typer.Option("--print-policy", help="Print a policy to begin with.")] = False,
    print_unit: Annotated[bool, typer.Option("--print-unit", help="Print a systemd unit.")] = False,
    as_json: Json = False,
) -> None:
    """Lend this machine: run jobs that the service signed and the policy allows, each in a container without a network.

    SIGTERM drains: no new job is taken, and the one that runs gets the policy's time to end.
    """
    from worker.agent import Agent, describe, load_policy, policy_file, sample_policy, unit_file

    output = Output(as_json=as_json)
    if print_policy:
        print(sample_policy(), end="")
        return
    settings = settings_for(server)
    chosen = load_policy(policy or policy_file(settings))
    if print_unit:
        print(unit_file(chosen.drain_minutes, policy), end="")
        return
    if dry_run:
        shown = describe(settings, chosen)
        output.document(shown)
        for line in shown.lines():
            output.line(line)
        return
    ended_well = Agent(settings, chosen, say=output.line).run(once=once)
    if not ended_well:
        raise typer.Exit(ExitCode.FINDING)
