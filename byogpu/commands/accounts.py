"""Sub-commands about who one is: login, logout, whoami, node."""

from typing import Annotated

import typer

from byogpu.commands.options import Json, Server, settings_for
from byogpu.output import Output
from worker.errors import WorkerError

nodes = typer.Typer(help="This machine's node: what its signature belongs to.", no_args_is_help=True)


def login(
    server: Server = None,
    name: Annotated[str, typer.Option("--name", help="Of the token, in the list of your tokens.")] = "byogpu login",
    as_json: Json = False,
) -> None:
    """Sign in with GitHub: open a page in any browser and type the code that is shown.

    The token is kept in a file of your own, for this server only.
    """
    from rich.console import Console

    from worker.api import DeviceReceipt
    from worker.identity import printable
    from worker.login import sign_in
    from worker.service import Service

    settings, output = settings_for(server), Output(as_json=as_json)
    words = Output(as_json=False, console=Console(stderr=True, highlight=False))

    def told(device: DeviceReceipt) -> None:
        words.line(f"Open {printable(device.verification_uri)} and type {printable(device.user_code)}", style="bold")

    with Service(settings) as service:
        account = sign_in(service, settings, name=name, told=told)
    output.document(account)
    output.line(f"Signed in as {printable(account.login)} ({account.role}).")


def logout(server: Server = None, as_json: Json = False) -> None:
    """Sign out: end the token at the server, and forget it here."""
    from worker.identity import printable
    from worker.login import sign_out
    from worker.service import Service

    settings, output = settings_for(server), Output(as_json=as_json)
    with Service(settings) as service:
        who = sign_out(service, settings)
    output.document({"login": who})
    output.line(f"{printable(who)} is signed out.")


def whoami(server: Server = None, as_json: Json = False) -> None:
    """Say who the server takes you for, and what you may do there."""
    from worker import api
    from worker.identity import printable
    from worker.service import Service

    output = Output(as_json=as_json)
    with Service(settings_for(server)) as service:
        page = api.get_session(service)
    output.document(page)
    who = page.kind.replace("_", " ") if page.account is None else f"{page.account.login} ({page.account.role})"
    output.line(f"{printable(who)}, who may: {', '.join(page.scopes) or 'read'}")


@nodes.command("register")
def register(server: Server = None, as_json: Json = False) -> None:
    """Make this machine's key yours: bundles that it signs then count as signed by you."""
    from worker.identity import printable
    from worker.login import register_node
    from worker.node_key import node_key
    from worker.service import Service

    settings, output = settings_for(server), Output(as_json=as_json)
    with Service(settings) as service:
        receipt = register_node(service, node_key(settings))
    output.document(receipt)
    output.line(f"Node {receipt.key_id[:16]} belongs to {printable(receipt.owner)}.")


@nodes.command("list")
def listed(server: Server = None, as_json: Json = False) -> None:
    """List your nodes."""
    from worker import api
    from worker.service import Service

    output = Output(as_json=as_json)
    with Service(settings_for(server)) as service:
        page = api.list_own_nodes(service, limit=100)
        items = list(page.items)
        while page.next_cursor is not None:
            page = api.list_own_nodes(service, cursor=page.next_cursor, limit=100)
            items += page.items
    output.document(items)
    rows = ((one.key_id, f"{one.registered_at:%Y-%m-%d}", "revoked" if one.revoked_at else "") for one in items)
    output.table("Nodes", ("key", "registered", ""), rows)


@nodes.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="KEY", help="The key's id, as `byogpu node list` says.")],
    server: Server = None,
    as_json: Json = False,
) -> None:
    """Take a key out of use for good. Bundles that were submitted before keep its signature."""
    import re

    from worker import api
    from worker.service import Service

    if re.fullmatch(r"[0-9a-f]{64}", key_id) is None:
        raise WorkerError("usage", "a key's id has 64 hexadecimal characters")
    output = Output(as_json=as_json)
    with Service(settings_for(server)) as service:
        node = api.revoke_node(service, key_id)
    output.document(node)
    output.line(f"Node {node.key_id[:16]} is revoked.")
