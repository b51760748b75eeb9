"""``byogpu doctor``: what this machine can run, and why not."""

import typer

from byogpu.commands.options import Json, Server, settings_for
from byogpu.output import Output
from worker.errors import ExitCode


def doctor(server: Server = None, as_json: Json = False) -> None:
    """Say what this machine can run and, where it cannot, why and what would help.

    Ends with 3 if something is missing that every run needs.
    """
    from worker.doctor import Patient, diagnose
    from worker.environment import Host, Nvml

    settings = settings_for(server)
    output = Output(as_json=as_json)
    capabilities = diagnose(Patient(settings, Nvml.load(), Host()))
    ready = all(capability.ok for capability in capabilities if capability.needed)
    output.document({"ready": ready, "capabilities": capabilities})
    for capability in capabilities:
        mark, style = (
            ("ok", "green") if capability.ok else ("missing", "red") if capability.needed else ("no", "yellow")
        )
        output.line(f"{mark:<8}{capability.name}: {capability.detail}", style=style)
        if capability.how_to_fix:
            output.line(f"        → {capability.how_to_fix}", style="dim")
    output.line("This machine can run." if ready else "This machine cannot run yet.", style="bold")
    if not ready:
        raise typer.Exit(ExitCode.ENVIRONMENT)
