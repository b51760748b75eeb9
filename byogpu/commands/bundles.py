"""Sub-commands about a bundle that exists: check, upload, compare, export."""

from pathlib import Path
from typing import Annotated

import typer

from byogpu.commands.options import BundleName, Json, Server
from byogpu.failures import found_problem
from byogpu.output import Output
from worker.errors import ExitCode
from worker.settings import Settings


def check(bundle: BundleName, as_json: Json = False) -> None:
    """Apply every rule to a bundle, offline: what the server would find, without what only it can know.

    Ends with 1 if a rule found what takes evidence away from more than speed claims.
    """
    from byogpu.library import opened
    from byogpu.reading import show_findings
    from worker.check import check as apply_rules

    output = Output(as_json=as_json)
    with opened(bundle, Settings(), verify=False) as found:
        findings = apply_rules(found)
        output.document({"bundle_id": found.id, "findings": findings})
        show_findings(output, found, findings)
    if found_problem(findings):
        raise typer.Exit(ExitCode.FINDING)


def upload(bundle: BundleName, server: Server = None, as_json: Json = False) -> None:
    """Upload a bundle, go on where an earlier upload stopped, and wait for the server's judgement.

    Ends with 1 if the server finds the bundle invalid.
    """
    from byogpu.library import opened
    from byogpu.sending import send

    settings = Settings()
    output = Output(as_json=as_json)
    with opened(bundle, settings) as found:
        receipt = send(found, settings, server=server, output=output)
        output.document(receipt)
    if receipt.validation_state != "valid":
        raise typer.Exit(ExitCode.FINDING)


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A bundle: folder, .byogpu file, or beginning of an id.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another; may be the same, which compares its two arms.")],
    as_json: Json = False,
) -> None:
    """Compare the cells of two bundles, or say which field forbids it.

    Prints {comparable, differing, cells}. Ends with 0 either way: that they differ is an answer.
    """
    from byogpu.library import opened
    from byogpu.reading import show_comparison
    from judge.compare import compare as compare_bundles
    from judge.evidence import collect

    settings = Settings()
    output = Output(as_json=as_json)
    with opened(a, settings) as first, opened(b, settings) as second:
        comparison = compare_bundles(collect(first), collect(second))
    output.document(comparison)
    show_comparison(output, comparison)


def export(
    bundle: BundleName,
    target: Annotated[Path, typer.Option("-o", "--output", help="File to write, usually NAME.byogpu.")],
) -> None:
    """Write a bundle as one file, to be carried where there is no network."""
    from byogpu.library import opened
    from worker.bundle.export import export as write_archive

    with opened(bundle, Settings()) as found:
        write_archive(found, target)
        print(f"{target}  {target.stat().st_size:,} bytes  bundle {found.id}")
