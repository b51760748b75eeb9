"""``byogpu admin migrate | backup | restore | verify | policy``: the database and the blobs as a whole."""

from pathlib import Path
from typing import Annotated

import typer

from byogpu.commands.admin import app
from byogpu.commands.operating import Yes, confirm, operated
from byogpu.commands.options import Json
from byogpu.output import Output
from worker.errors import WorkerError

migrate = typer.Typer(help="Revisions of the database.", no_args_is_help=True, rich_markup_mode=None)
policy = typer.Typer(help="Merge policies of repositories.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(migrate, name="migrate")
app.add_typer(policy, name="policy")

__all__ = ["app"]

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of the backup.")]
RepositoryName = Annotated[str, typer.Argument(metavar="OWNER/NAME", help="A repository that is known here.")]


@migrate.command("up")
def migrate_up(as_json: Json = False) -> None:
    """Bring the database to the newest revision."""
    import migrations
    from server import administration

    with operated(patient=True) as services:
        migrations.upgrade(services.settings.resolved_database_url)
        administration.note(services, "database.upgraded", "head")
    current(as_json=as_json)


@migrate.command("down")
def migrate_down(
    revision: Annotated[str, typer.Argument(help="Such as 0004; base removes every table.")],
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Bring the database back to a revision; what newer tables and columns hold is lost."""
    import migrations
    from server import administration

    confirm(f"What came with the revisions after {revision} will be gone.", yes=yes)
    with operated(patient=True) as services:
        administration.note(services, "database.downgraded", revision)
        migrations.downgrade(services.settings.resolved_database_url, revision=revision)
    current(as_json=as_json)


@migrate.command("current")
def current(as_json: Json = False) -> None:
    """Say which revision the database has."""
    import migrations

    output = Output(as_json=as_json)
    with operated() as services, services.database.engine.connect() as connection:
        found = migrations.current(connection)
    output.document({"revision": found})
    output.line(found)


@app.command("backup")
def backup(folder: Folder, as_json: Json = False) -> None:
    """Save everything into a folder, while the service works; a folder that has a backup is brought up to date."""
    from server import administration
    from server.backup import backup as save

    output = Output(as_json=as_json)
    with operated(patient=True) as services:
        summary = save(services, folder)
        administration.note(services, "backup.saved", folder.name)
    output.document(summary)
    output.line(f"Saved to {folder}.")


@app.command("restore")
def restore(folder: Folder, yes: Yes = False, as_json: Json = False) -> None:
    """Bring everything back from a folder into an empty database. The service must not be running."""
    from server import administration
    from server.backup import restore as bring_back

    confirm("The database will be filled from the backup.", yes=yes)
    output = Output(as_json=as_json)
    with operated(patient=True) as services:
        summary = bring_back(services, folder)
        administration.note(services, "backup.restored", folder.name)
    output.document(summary)
    output.line(f"Restored from {folder}.")


@app.command("verify")
def verify(as_json: Json = False) -> None:
    """Read every bundle and blob, and compare them with their digests. Ends with 1 if one is damaged."""
    from server.backup import verify as read_all

    output = Output(as_json=as_json)
    with operated(patient=True) as services:
        found = read_all(services)
    damages = [{"bundle_id": one.bundle_id, "detail": one.detail} for one in found.damages]
    output.document({"bundles": found.bundles, "blobs": found.blobs, "bytes": found.blob_bytes, "damages": damages})
    output.table("Damages", ("bundle", "what"), ((one["bundle_id"], one["detail"]) for one in damages))
    output.line(f"{found.bundles} bundles, {found.blobs} blobs, {found.blob_bytes} bytes: {len(damages)} damages.")
    if damages:
        raise typer.Exit(1)


@policy.command("get")
def get_policy(name: RepositoryName) -> None:
    """Print a repository's merge policy."""
    from server.checks import policies

    with operated() as services:
        Output(as_json=True).document(policies.read(services, name))


@policy.command("set")
def set_policy(
    name: RepositoryName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The policy, as `get` prints it.")],
) -> None:
    """Set a repository's merge policy, and judge its open pull requests by it."""
    from pydantic import ValidationError

    from judge.policy import MergePolicy
    from server import administration
    from server.checks import policies

    try:
        wanted = MergePolicy.model_validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise WorkerError("usage", f"{file}: {where}: {first['msg']}") from error
    with operated() as services:
        Output(as_json=True).document(policies.put(services, name, wanted))
        administration.note(services, "policy.set", name)
