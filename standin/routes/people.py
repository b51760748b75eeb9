"""The stand-in's own calls: what a person would do on the site, and faults. Not part of GitHub's API, no token."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from standin.acts import CommentEdit, Edit, FullName, NewComment, NewPull, NewRepository, Press, Push
from standin.errors import not_found
from standin.faults import Fault
from standin.hooks import Delivery
from standin.records import CheckRun, Comment, Installation, Permissions, Pull, Repository
from standin.routes.context import ForgeDep

router = APIRouter(prefix="/_standin")


class InstallRequest(BaseModel):
    """Where to install the App, and with which permissions."""

    repository: FullName
    permissions: Permissions | None = None


class UninstallRequest(BaseModel):
    """Where to remove the App."""

    repository: FullName


class SuspendRequest(UninstallRequest):
    """Where to suspend the App; ``lift`` ends it."""

    lift: bool = False


class FaultsRequest(BaseModel):
    """Faults to add; ``clear`` first drops those that are still waiting."""

    clear: bool = False
    faults: list[Fault] = Field(default_factory=list)


class DeliveryShown(BaseModel):
    """A webhook delivery without its body."""

    id: str
    event: str
    action: str | None
    status: int | None
    error: str | None


@router.post("/repositories", status_code=201)
def create_repository(wanted: NewRepository, forge: ForgeDep) -> Repository:
    """Create a repository, or add collaborators to one."""
    return forge.create_repository(wanted)


@router.post("/pulls", status_code=201)
def open_pull(wanted: NewPull, forge: ForgeDep) -> Pull:
    """Open a pull request."""
    return forge.open_pull(wanted)


@router.post("/push")
def push(wanted: Push, forge: ForgeDep) -> Pull:
    """Push a commit to a pull request."""
    return forge.push(wanted)


@router.post("/edit")
def edit(wanted: Edit, forge: ForgeDep) -> Pull:
    """Change, close or reopen a pull request."""
    return forge.edit(wanted)


@router.post("/comment", status_code=201)
def write_comment(wanted: NewComment, forge: ForgeDep) -> Comment:
    """Comment on a pull request."""
    return forge.comment(wanted)


@router.post("/edit-comment")
def edit_comment(wanted: CommentEdit, forge: ForgeDep) -> Comment:
    """Change a comment's text."""
    return forge.edit_comment(wanted)


@router.post("/press")
def press(wanted: Press, forge: ForgeDep) -> CheckRun:
    """Press "Re-run" on a check, or one of its buttons."""
    return forge.press(wanted)


@router.post("/install", status_code=201)
def install(wanted: InstallRequest, forge: ForgeDep) -> Installation:
    """Install the App."""
    return forge.install(wanted.repository, permissions=wanted.permissions)


@router.post("/uninstall", status_code=204)
def uninstall(wanted: UninstallRequest, forge: ForgeDep) -> None:
    """Remove the App."""
    forge.uninstall(wanted.repository)


@router.post("/withdraw", status_code=204)
def withdraw(wanted: UninstallRequest, forge: ForgeDep) -> None:
    """Take a repository out of its installation."""
    forge.withdraw(wanted.repository)


@router.post("/suspend", status_code=204)
def suspend(wanted: SuspendRequest, forge: ForgeDep) -> None:
    """Suspend an installation, or lift that."""
    forge.suspend(wanted.repository, lift=wanted.lift)


@router.post("/revoke", status_code=204)
def revoke(forge: ForgeDep) -> None:
    """End every installation token."""
    forge.credentials.revoke()


@router.post("/ping")
def ping(forge: ForgeDep) -> DeliveryShown | None:
    """Send a ping to the webhook."""
    delivery = forge.ping()
    return None if delivery is None else _shown(delivery)


@router.get("/deliveries")
def list_deliveries(forge: ForgeDep) -> list[DeliveryShown]:
    """Return the latest webhook deliveries, oldest first."""
    return [_shown(delivery) for delivery in forge.hooks.deliveries()]


@router.post("/deliveries/{delivery_id}/again")
def redeliver(delivery_id: str, forge: ForgeDep) -> DeliveryShown:
    """Send a delivery again under its id."""
    delivery = forge.hooks.redeliver(delivery_id)
    if delivery is None:
        raise not_found()
    return _shown(delivery)


@router.post("/faults", status_code=204)
def plan_faults(wanted: FaultsRequest, forge: ForgeDep) -> None:
    """Make coming API calls fail."""
    if wanted.clear:
        forge.faults.clear()
    for fault in wanted.faults:
        forge.faults.plan(fault)


def _shown(delivery: Delivery) -> DeliveryShown:
    return DeliveryShown.model_validate(delivery.model_dump(exclude={"body"}))
