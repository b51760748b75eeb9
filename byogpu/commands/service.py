"""Sub-commands that start something: serve, demo."""

import signal
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byogpu.commands.operating import usable_database
from byogpu.commands.options import Json
from byogpu.output import Output
from worker.errors import WorkerError
from worker.progress import Bars

if TYPE_CHECKING:
    from byogpu.demo import Summary


def serve(
    host: Annotated[str | None, typer.Option("--host", help="Else BYOGPU_HOST, else 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="Else BYOGPU_PORT, else 8000.")] = None,
    data_dir: Annotated[Path | None, typer.Option("--data-dir", help="Else BYOGPU_DATA_DIR, else var.")] = None,
) -> None:
    """Run the service. With nothing set: SQLite, blobs in a folder, tasks in threads of this process."""
    from server.__main__ import serve as serve_settings
    from server.settings import Settings

    chosen: dict[str, Any] = {"host": host, "port": port, "data_dir": data_dir}
    with usable_database():
        serve_settings(Settings(**{name: value for name, value in chosen.items() if value is not None}))


def demo(
    leave: Annotated[bool, typer.Option("--exit", help="End when everything has run, instead of serving on.")] = False,
    as_json: Json = False,
    port: Annotated[int | None, typer.Option("--port", help="Port of the service.", show_default="a free one")] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="New folder to keep everything in.", show_default="a temporary one")
    ] = None,
) -> None:
    """Run the whole path on this machine: a pull request with claims, a real run of the smoke suite, the verdicts.

    Only GitHub is a stand-in. It ends with 0 when every stage ran, whatever the verdicts are.
    """
    from byogpu.demo import performed

    output = Output(as_json=as_json)
    with ExitStack() as stack:
        if data is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="byogpu-demo-")))
        elif data.exists() and any(data.iterdir()):
            raise WorkerError("out_not_empty", f"{data} is not empty: the demo begins with nothing")
        else:
            folder = data.absolute()
        with Bars() as bars:
            summary = stack.enter_context(performed(folder, port=port, progress=bars))
        output.document(summary)
        _show(output, summary)
        if not leave:
            output.line("Serving until you press Ctrl-C.", style="bold")
            _wait_for_signal()


def _show(output: Output, summary: "Summary") -> None:
    output.table(
        "Verdicts",
        ("claim", "verdict", "why"),
        ((claim, verdict.outcome.replace("_", " "), verdict.reason) for claim, verdict in summary.verdicts.items()),
    )
    errors = sum(finding.severity == "error" for finding in summary.findings)
    trust = f"trust {summary.trust.level} ({summary.trust.name})"
    output.line(f"{len(summary.findings)} findings, {errors} of them errors. Bundle {summary.bundle_id[:16]}, {trust}.")
    output.line(f"Check: {summary.check.conclusion}: {summary.check.title}", style="bold")
    for page, url in summary.urls.items():  # no table: an address that is broken into lines cannot be clicked
        output.line(f"{page:<16} {url}")


def _wait_for_signal() -> None:
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    asked.wait()
