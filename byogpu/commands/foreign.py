"""``byogpu import``: other tools' result files, and exported bundles, as bundles on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byogpu.commands.options import Json
from byogpu.failures import found_problem
from byogpu.output import Output
from worker.errors import ExitCode, WorkerError
from worker.settings import Settings

if TYPE_CHECKING:
    from worker.bundle import Bundle
    from worker.bundle.schema import ArmName


app = typer.Typer(
    help="Turn other tools' result files, or an exported bundle, into a bundle on this machine.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Arms = Annotated[
    list[str] | None,
    typer.Option("--arm", metavar="NAME=PATH", help="baseline=PATH or candidate=PATH; once for each arm."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of the bundle.", show_default="among the runs")]


@app.command("lm-eval")
def lm_eval(
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="What --output_path named.")] = None,
    arm: Arms = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Import results of lm-eval 0.4.13 as a bundle of trust level 0. One DIR is the candidate's."""
    from byogpu.shelf import shelved
    from worker.importers import import_lm_eval

    if (folder is None) == (not arm):
        raise WorkerError("usage", "give one DIR, or --arm baseline=DIR and --arm candidate=DIR")
    sources: dict[ArmName, Path] = {"candidate": folder} if folder is not None else _arms(arm or [])
    with shelved(Settings(), out) as target:
        import_lm_eval(sources, target.folder)
    _show(target.bundle, as_json=as_json)


@app.command("vllm-bench")
def vllm_bench(arm: Arms = None, out: Out = None, as_json: Json = False) -> None:
    """Import result files of `vllm bench serve` 0.33.0 as a bundle of trust level 0."""
    from byogpu.shelf import shelved
    from worker.importers import import_vllm_bench

    if not arm:
        raise WorkerError("usage", "give --arm baseline=FILE and --arm candidate=FILE")
    with shelved(Settings(), out) as target:
        import_vllm_bench(_arms(arm), target.folder)
    _show(target.bundle, as_json=as_json)


@app.command("bundle")
def bundle(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="Written by byogpu export.")],
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Read an exported bundle back; nothing in it is trusted but digests."""
    from byogpu.shelf import shelved
    from worker.bundle.export import import_archive

    with shelved(Settings(), out) as target:
        import_archive(archive, target.folder)
    _show(target.bundle, as_json=as_json)


def _arms(values: list[str]) -> "dict[ArmName, Path]":

    sources: dict[ArmName, Path] = {}
    for value in values:
        name, separator, path = value.partition("=")
        if not separator or not path or name not in ("baseline", "candidate"):
            raise WorkerError("usage", f"--arm {value}: give baseline=PATH or candidate=PATH")
        if name in sources:
            raise WorkerError("usage", f"--arm {name} is given twice")
        sources["baseline" if name == "baseline" else "candidate"] = Path(path)
    return sources


def _show(made: "Bundle", *, as_json: bool) -> None:
    from byogpu.reading import show_cells, show_findings
    from judge.evidence import collect
    from judge.summarise import summarise
    from worker.check import check

    output = Output(as_json=as_json)
    evidence = collect(made)
    cells, findings = summarise(evidence), check(made)
    output.document({"bundle_id": made.id, "cells": cells, "findings": findings})
    show_cells(output, cells)
    show_findings(output, made, findings)
    output.line(f"Bundle {made.id}", style="bold")
    if found_problem(findings):
        raise typer.Exit(ExitCode.FINDING)
