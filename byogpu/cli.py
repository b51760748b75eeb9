"""The command line: every sub-command by name, and how each of them ends."""

import json
import sys
import traceback
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from byogpu.commands import accounts, admin_data, bundles, doctor, errands, foreign, measure, rules, service
from byogpu.failures import failure_of

INTERRUPTED = 130
"""Exit code after Ctrl-C or SIGTERM."""
DEFECT = 70
"""Exit code after an error that byogpu does not know; never 1, which says something about what was evaluated."""

app = typer.Typer(
    name="byogpu",
    help="Bring-your-own-GPU evaluation: measure a change on your GPUs, have every number recomputed and judged.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(service.demo)
app.command("serve")(service.serve)
app.command("run")(measure.run)
app.command("check")(bundles.check)
app.command("upload")(bundles.upload)
app.command("compare")(bundles.compare)
app.command("export")(bundles.export)
app.command("reproduce")(measure.reproduce)
app.command("agent")(errands.agent)
app.command("run-job", hidden=True)(errands.run_job)
app.command("doctor")(doctor.doctor)
app.command("rules")(rules.rules)
app.command("login")(accounts.login)
app.command("logout")(accounts.logout)
app.command("whoami")(accounts.whoami)
app.add_typer(accounts.nodes, name="node")
app.add_typer(foreign.app, name="import")
app.add_typer(admin_data.app, name="admin")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"byogpu {version('byogpu')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Bring-your-own-GPU evaluation: measure a change on your GPUs, have every number recomputed and judged."""


def main() -> None:
    """Run the command; translate what went wrong into one line and an exit code."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        failure = failure_of(error)
        if failure is None:
            traceback.print_exc()
            sys.exit(DEFECT)
        if "--json" in sys.argv:
            print(json.dumps({"error": {"code": failure.code, "detail": failure.detail}}))
        Console(stderr=True, highlight=False).print(
            Text.assemble(("byogpu: ", "bold"), (failure.code, "bold red"), f": {failure.detail}"), soft_wrap=True
        )
        sys.exit(failure.exit_code)


if __name__ == "__main__":
    main()
