"""What the operator's sub-commands share: the service's parts, its refusals, and a question before the irrevocable."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from worker.errors import WorkerError

if TYPE_CHECKING:
    from server.services import Services

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Shown to everybody.", prompt=False)]
BundleId = Annotated[str, typer.Argument(metavar="BUNDLE_ID", help="All 64 digits of its id.")]


@contextmanager
def operated(*, patient: bool = False) -> Iterator["Services"]:
    """The parts of the service that the environment's settings name, without serving or running tasks.

    Args:
        patient: Whether to wait for a database that is still starting, as a server does; else somebody sits there.

    Raises:
        WorkerError: ``operation_refused``, ``backup_unusable``, ``database_unusable``, ``database_absent``,
            ``database_refused``.
    """
    from alembic.util import CommandError
    from sqlalchemy.exc import SQLAlchemyError

    from server.backup import BackupError
    from server.errors import AppError
    from server.settings import Settings
    from server.startup import await_database, build, close

    services = build(Settings())
    try:
        if patient:
            with usable_database():
                await_database(services.settings)
        yield services
    except AppError as error:
        raise WorkerError("operation_refused", str(error)) from error
    except BackupError as error:
        raise WorkerError("backup_unusable", str(error)) from error
    except CommandError as error:
        raise WorkerError("operation_refused", str(error)) from error
    except SQLAlchemyError as error:
        raise WorkerError(
            "database_unusable", f"{type(error).__name__}: migrated? `byogpu admin migrate up`"
        ) from error
    finally:
        close(services)


@contextmanager
def usable_database() -> Iterator[None]:
    """Say in the command's way that the database did not come, or refuses us.

    Raises:
        WorkerError: ``database_absent``, ``database_refused``.
    """
    from server.patience import UnusableDatabaseError

    try:
        yield
    except UnusableDatabaseError as error:
        match error.code:
            case "database_absent":
                raise WorkerError("database_absent", str(error)) from error
            case "database_refused":
                raise WorkerError("database_refused", str(error)) from error


def confirm(what: str, *, yes: bool) -> None:
    """Go on only if the operator means it.

    Raises:
        WorkerError: ``not_confirmed``.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise WorkerError("not_confirmed", f"{what} Say --yes.")
    if not typer.confirm(f"{what} Go on?", err=True):
        raise WorkerError("not_confirmed", "Nothing was done.")
