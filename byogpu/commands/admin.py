"""``byogpu admin``: what an operator does on the database that the environment's settings name."""

from typing import TYPE_CHECKING, Annotated

import typer

from byogpu.commands.operating import BundleId, Reason, Yes, confirm, operated
from byogpu.commands.options import Json
from byogpu.output import Output

if TYPE_CHECKING:
    from server.models import TaskState
    from server.queue import TaskKind

app = typer.Typer(
    help="Operate the service: keys, bundles, tasks, database, backups. Works on the database that BYOGPU_* names.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
keys = typer.Typer(help="Tokens of accounts.", no_args_is_help=True, rich_markup_mode=None)
bundle = typer.Typer(help="Decisions about bundles.", no_args_is_help=True, rich_markup_mode=None)
tasks = typer.Typer(help="Work in the task table.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(keys, name="keys")
app.add_typer(bundle, name="bundle")
app.add_typer(tasks, name="tasks")

Limit = Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Most rows.")]


@app.command("status")
def status(as_json: Json = False) -> None:
    """Say what is missing or late."""
    from server.telemetry import figures
    from server.telemetry.troubles import troubles

    output = Output(as_json=as_json)
    with operated() as services, services.database.read() as session:
        found = troubles(figures.read(session, now=services.clock()))
    output.document({"troubles": list(found)})
    output.table("Troubles", ("what", "count", "meaning"), ((one.code, str(one.count), one.sentence) for one in found))
    if not found:
        output.line("Nothing is missing or late.")


@keys.command("issue")
def issue_key(
    login: Annotated[str, typer.Argument(help="Whose token; somebody who has signed in.")],
    scope: Annotated[list[str], typer.Option("--scope", help="What it allows; repeatable.")],
    name: Annotated[str, typer.Option("--name", help="For whoever reads the list later.")] = "issued by the operator",
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="Days until it expires.")] = 30,
    as_json: Json = False,
) -> None:
    """Issue a token. It is shown once."""
    from pydantic import ValidationError

    from server import administration
    from server.accounts.schemas import TokenPost
    from worker.errors import WorkerError

    try:
        posted = TokenPost.model_validate({"name": name, "scopes": tuple(scope), "expires_in_days": days})
    except ValidationError as error:
        raise WorkerError("usage", str(error.errors(include_url=False, include_input=False)[0]["msg"])) from error
    output = Output(as_json=as_json)
    with operated() as services:
        receipt = administration.issue_key(services, login, posted)
    output.document(receipt)
    output.line(receipt.token)


@keys.command("list")
def list_keys(
    login: Annotated[str | None, typer.Argument(help="Whose; else everybody's.")] = None,
    limit: Limit = 100,
    as_json: Json = False,
) -> None:
    """List tokens, newest first; never their secrets."""
    from server import administration

    output = Output(as_json=as_json)
    with operated() as services:
        found = administration.keys(services, login, limit=limit)
    output.document([{"login": owner, **item.model_dump(mode="json")} for owner, item in found])
    rows = (
        (item.id, owner, " ".join(item.scopes), f"{item.expires_at:%Y-%m-%d}", "revoked" if item.revoked_at else "")
        for owner, item in found
    )
    output.table("Tokens", ("id", "account", "scopes", "expires", ""), rows)


@keys.command("revoke")
def revoke_key(
    token_id: Annotated[str, typer.Argument(help="Its public part, as listed.")], as_json: Json = False
) -> None:
    """End a token at once."""
    from server import administration

    output = Output(as_json=as_json)
    with operated() as services:
        ended = administration.revoke_key(services, token_id)
    output.document(ended)
    output.line(f"{token_id} is revoked.")


@bundle.command("quarantine")
def quarantine(bundle_id: BundleId, reason: Reason, as_json: Json = False) -> None:
    """Hide a bundle and let it count for nothing until it is released."""
    from server import administration

    with operated() as services:
        administration.quarantine(services, bundle_id, reason=reason)
    _done(bundle_id, "quarantined", as_json=as_json)


@bundle.command("release")
def release(bundle_id: BundleId, reason: Reason, as_json: Json = False) -> None:
    """Lift the suspicions against a quarantined bundle, and validate it again."""
    from server import administration
    from server.moderation import service

    with operated() as services:
        service.release(services, bundle_id, reason=reason)
        administration.note(services, "bundle.released", bundle_id, reason)
    _done(bundle_id, "released", as_json=as_json)


@bundle.command("retract")
def retract(bundle_id: BundleId, reason: Reason, yes: Yes = False, as_json: Json = False) -> None:
    """Drop a bundle's contents for good; a tombstone stays."""
    from server import administration
    from server.moderation import service

    confirm(f"The contents of {bundle_id} will be gone.", yes=yes)
    with operated() as services:
        service.withdraw(services, bundle_id, kind="retracted", reason=reason)
        administration.note(services, "bundle.retracted", bundle_id, reason)
    _done(bundle_id, "retracted", as_json=as_json)


@bundle.command("invalidate")
def invalidate(bundle_id: BundleId, reason: Reason, as_json: Json = False) -> None:
    """Show a bundle and let it count for nothing."""
    from server import administration
    from server.moderation import service

    with operated() as services:
        service.withdraw(services, bundle_id, kind="invalidated", reason=reason)
        administration.note(services, "bundle.invalidated", bundle_id, reason)
    _done(bundle_id, "invalidated", as_json=as_json)


@bundle.command("reinstate")
def reinstate(bundle_id: BundleId, reason: Reason, as_json: Json = False) -> None:
    """Take an invalidation back."""
    from server import administration
    from server.moderation import service

    with operated() as services:
        service.reinstate(services, bundle_id, reason=reason)
        administration.note(services, "bundle.reinstated", bundle_id, reason)
    _done(bundle_id, "reinstated", as_json=as_json)


@bundle.command("revalidate")
def revalidate(
    bundle_id: Annotated[str | None, typer.Argument(metavar="[BUNDLE_ID]", help="Else all that are outdated.")] = None,
    as_json: Json = False,
) -> None:
    """Judge a bundle again, or all that other rules or limits judged."""
    from server import administration

    output = Output(as_json=as_json)
    with operated() as services:
        count = administration.revalidate(services, bundle_id)
    output.document({"asked": count})
    output.line(f"{count} will be judged again.")


@tasks.command("list")
def list_tasks(
    state: Annotated[str | None, typer.Option("--state", help="queued, running, done or dead.")] = None,
    limit: Limit = 100,
    as_json: Json = False,
) -> None:
    """List tasks, the longest waiting first."""
    from server import administration

    output = Output(as_json=as_json)
    with operated() as services:
        found = administration.tasks(services, state=_state(state), limit=limit)
    output.document(list(found))
    rows = ((str(one.id), one.kind, one.key, one.state, str(one.attempts), one.detail[:80]) for one in found)
    output.table("Tasks", ("id", "kind", "about", "state", "attempts", "why"), rows)


@tasks.command("requeue")
def requeue(
    task_id: Annotated[int | None, typer.Argument(help="That one; else all that are dead.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only of this kind.")] = None,
    as_json: Json = False,
) -> None:
    """Put dead tasks back in line, with the posts, answers and validations that died with them."""
    from server import administration

    output = Output(as_json=as_json)
    with operated() as services:
        back = administration.requeue(services, task_id=task_id, kind=_kind(kind))
    output.document(list(back))
    output.line(f"{len(back)} tasks are back in line.")


def _done(bundle_id: str, what: str, *, as_json: bool) -> None:
    output = Output(as_json=as_json)
    output.document({"bundle_id": bundle_id, "decision": what})
    output.line(f"{bundle_id} is {what}.")


def _state(given: str | None) -> "TaskState | None":
    from typing import get_args

    from server.models import TaskState
    from worker.errors import WorkerError

    found: TaskState | None = next((one for one in get_args(TaskState) if one == given), None)
    if given is not None and found is None:
        raise WorkerError("usage", f"--state is one of {', '.join(get_args(TaskState))}")
    return found


def _kind(given: str | None) -> "TaskKind | None":
    from typing import get_args

    from server.queue import TaskKind
    from worker.errors import WorkerError

    found: TaskKind | None = next((one for one in get_args(TaskKind) if one == given), None)
    if given is not None and found is None:
        raise WorkerError("usage", f"--kind is one of {', '.join(get_args(TaskKind))}")
    return found
