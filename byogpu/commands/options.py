"""Options that several sub-commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from worker.settings import Settings

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Server = Annotated[str | None, typer.Option("--server", metavar="URL", help="The service; else BYOGPU_SERVER_URL.")]
BundleName = Annotated[
    str, typer.Argument(metavar="BUNDLE", help="A folder, a .byogpu file, or the beginning of the id of a run here.")
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of the bundle; new or empty.", show_default=False)]
BaselinePython = Annotated[
    Path | None, typer.Option("--baseline-python", help="Python that runs the baseline.", show_default="this one")
]
CandidatePython = Annotated[
    Path | None, typer.Option("--candidate-python", help="Python that runs the candidate.", show_default="this one")
]
BaselineTree = Annotated[
    Path | None, typer.Option("--baseline-tree", help="Folder with the baseline's k3_decode.", show_default="installed")
]
CandidateTree = Annotated[
    Path | None,
    typer.Option("--candidate-tree", help="Folder with the candidate's k3_decode.", show_default="installed"),
]


def settings_for(server: str | None) -> Settings:
    """The environment's settings, with the server that the command line names."""
    chosen: dict[str, Any] = {} if server is None else {"server_url": server}
    return Settings(**chosen)
