"""What people do on the site: open pull requests, push, comment, press buttons. Each sends its webhook."""

from __future__ import annotations

from collections.abc import Mapping

from standin.acts import CommentEdit, Edit, NewComment, NewPull, NewRepository, Press, Push
from standin.credentials import Caller, Credentials
from standin.errors import ApiError, invalid, not_found
from standin.events import check_event, comment_event, installation_event, pull_event, repositories_event
from standin.faults import Faults
from standin.hooks import Delivery, Hooks
from standin.records import DEFAULT_PERMISSIONS, CheckRun, Comment, Installation, Permissions, Pull, Repository, State
from standin.settings import AppIdentity, StandinSettings
from standin.signin import SignIns
from standin.store import (
    Store,
    add_commit,
    ensure_user,
    find_pull,
    find_repository,
    installation_of,
    new_id,
    pulls_of,
)
from standin.wire.people import Addresses, Json, integration


class Forge:
    """The stand-in itself: state, credentials, faults and webhooks, without HTTP.

    Args:
        settings: How it is set up.

    Attributes:
        calls: API calls since the start.
    """

    def __init__(self, settings: StandinSettings) -> None:
        self.settings = settings
        self.store = Store(state_file=settings.state_file, clock=settings.clock)
        self.credentials = Credentials(settings)
        self.sign_ins = SignIns(settings)
        self.faults = Faults()
        self.hooks = Hooks(settings.webhook)
        self.addresses = Addresses.of(settings)
        self.calls = 0
        with self.store.changing() as state:
            for login in settings.tokens.values():
                ensure_user(state, login)

    @property
    def app(self) -> AppIdentity:
        """The App.

        Raises:
            ApiError: 404 when the stand-in was set up without one.
        """
        if self.settings.app is None:
            raise not_found()
        return self.settings.app

    def identify(self, authorization: str) -> Caller:
        """Return who sends this ``Authorization`` header, and count the call.

        Raises:
            ApiError: 401.
        """
        with self.store.reading():
            self.calls += 1
        return self.credentials.identify(authorization)

    def create_repository(self, wanted: NewRepository) -> Repository:
        """Create a repository, or add collaborators to the one that exists."""
        with self.store.changing() as state:
            repository = self._ensure_repository(state, wanted.repository, installed=wanted.installed)
            for login, role in wanted.collaborators.items():
                ensure_user(state, login)
                repository.collaborators[login] = role
            return repository.model_copy(deep=True)

    def open_pull(self, wanted: NewPull) -> Pull:
        """Open a pull request and send ``pull_request.opened``."""
        with self.store.changing() as state:
            repository = self._ensure_repository(state, wanted.repository, installed=True)
            head_repository = repository
            if wanted.head_repository is not None:
                head_repository = self._ensure_repository(state, wanted.head_repository, installed=False)
                head_repository.fork = head_repository.id != repository.id
            ensure_user(state, wanted.author)
            at = self.store.now()
            base = add_commit(
                state,
                [repository, head_repository],
                files=dict(wanted.base_files),
                parents=[],
                author=repository.owner,
                message="Begin",
                at=at,
                sha=wanted.base_sha,
            )
            head = add_commit(
                state,
                [repository, head_repository],
                files=_changed(base.files, wanted.files),
                parents=[base.sha],
                author=wanted.author,
                message=wanted.title,
                at=at,
                sha=wanted.head_sha,
            )
            pull = Pull(
                id=new_id(state),
                number=max((one.number for one in pulls_of(state, repository)), default=0) + 1,
                repository_id=repository.id,
                head_repository_id=head_repository.id,
                title=wanted.title,
                body=wanted.body,
                author=wanted.author,
                draft=wanted.draft,
                head_ref=wanted.head_ref,
                head_sha=head.sha,
                base_ref=wanted.base_ref,
                base_sha=base.sha,
                commits=[head.sha],
                created_at=at,
                updated_at=at,
            )
            state.pulls[pull.id] = pull
            event = pull_event(state, pull, "opened", sender=pull.author, at=self.addresses)
            opened = pull.model_copy(deep=True)
        self.hooks.send("pull_request", event)
        return opened

    def push(self, wanted: Push) -> Pull:
        """Add a commit to a pull request and send ``pull_request.synchronize``."""
        with self.store.changing() as state:
            repository = find_repository(state, wanted.repository)
            pull = find_pull(state, repository, wanted.number)
            author, before = wanted.author or pull.author, pull.head_sha
            ensure_user(state, author)
            head = add_commit(
                state,
                [repository, state.repositories[pull.head_repository_id]],
                files=_changed(state.commits[before].files, wanted.files),
                parents=[before],
                author=author,
                message=wanted.message,
                at=self.store.now(),
                sha=wanted.head_sha,
            )
            pull.head_sha = head.sha
            pull.commits = [*pull.commits, head.sha]
            pull.updated_at = self.store.now()
            event = pull_event(state, pull, "synchronize", sender=author, at=self.addresses)
            event |= {"before": before, "after": head.sha}
            pushed = pull.model_copy(deep=True)
        self.hooks.send("pull_request", event)
        return pushed

    def edit(self, wanted: Edit) -> Pull:
        """Change title, body or state and send ``pull_request.edited``, ``closed`` or ``reopened``."""
        with self.store.changing() as state:
            pull = find_pull(state, find_repository(state, wanted.repository), wanted.number)
            sender = ensure_user(state, wanted.author or pull.author).login
            pull.updated_at = self.store.now()
            events = []
            changes: Json = {}
            for name, new in (("title", wanted.title), ("body", wanted.body)):
                if new is not None and new != getattr(pull, name):
                    changes[name] = {"from": getattr(pull, name)}
                    setattr(pull, name, new)
            if changes:
                events.append(
                    pull_event(state, pull, "edited", sender=sender, at=self.addresses) | {"changes": changes}
                )
            if wanted.state is not None and wanted.state != pull.state:
                pull.state = wanted.state
                pull.merged = wanted.merged and wanted.state == "closed"
                pull.closed_at = self.store.now() if wanted.state == "closed" else None
                action = "closed" if wanted.state == "closed" else "reopened"
                events.append(pull_event(state, pull, action, sender=sender, at=self.addresses))
            edited = pull.model_copy(deep=True)
        for event in events:
            self.hooks.send("pull_request", event)
        return edited

    def comment(self, wanted: NewComment) -> Comment:
        """Comment as a person and send ``issue_comment.created``."""
        with self.store.changing() as state:
            pull = find_pull(state, find_repository(state, wanted.repository), wanted.number)
            ensure_user(state, wanted.author)
            at = self.store.now()
            made = Comment(
                id=new_id(state),
                repository_id=pull.repository_id,
                number=pull.number,
                author=wanted.author,
                body=wanted.body,
                by_app=False,
                created_at=at,
                updated_at=at,
            )
            state.comments[made.id] = made
            event = comment_event(state, pull, made, "created", sender=made.author, app=None, at=self.addresses)
            written = made.model_copy(deep=True)
        self.hooks.send("issue_comment", event)
        return written

    def edit_comment(self, wanted: CommentEdit) -> Comment:
        """Change a comment's text, as its author or as somebody who may, and send ``issue_comment.edited``."""
        with self.store.changing() as state:
            one = state.comments.get(wanted.comment_id)
            if one is None:
                raise not_found()
            pull = find_pull(state, state.repositories[one.repository_id], one.number)
            sender = ensure_user(state, wanted.author).login
            before, one.body, one.updated_at = one.body, wanted.body, self.store.now()
            event = comment_event(state, pull, one, "edited", sender=sender, app=None, at=self.addresses)
            event["changes"] = {"body": {"from": before}}
            edited = one.model_copy(deep=True)
        self.hooks.send("issue_comment", event)
        return edited

    def press(self, wanted: Press) -> CheckRun:
        """Press "Re-run" or a button of a check and send ``check_run.rerequested`` or ``requested_action``."""
        with self.store.changing() as state:
            run = state.check_runs.get(wanted.check_run_id)
            if run is None:
                raise not_found()
            if wanted.identifier is not None and wanted.identifier not in {one.identifier for one in run.actions}:
                raise invalid("CheckRun", "identifier", "this check has no such button")
            ensure_user(state, wanted.author)
            event = check_event(
                state,
                run,
                sender=wanted.author,
                identifier=wanted.identifier,
                app=self.app_json(state),
                at=self.addresses,
            )
            pressed = run.model_copy(deep=True)
        self.hooks.send("check_run", event)
        return pressed

    def install(self, full_name: str, *, permissions: Permissions | None = None) -> Installation:
        """Install the App on a repository, add the repository, or change the permissions; send the event of that."""
        with self.store.changing() as state:
            repository = find_repository(state, full_name)
            covered = installation_of(state, repository) is not None
            known = any(one.account == repository.owner for one in state.installations.values())
            one = self._ensure_installed(state, repository)
            one.permissions = dict(DEFAULT_PERMISSIONS if permissions is None else permissions)
            if known and not covered:
                name = "installation_repositories"
                event = repositories_event(state, one, repository, self.app, "added", at=self.addresses)
            else:
                name, action = "installation", "new_permissions_accepted" if covered else "created"
                event = installation_event(state, one, self.app, action, at=self.addresses)
            installed = one.model_copy(deep=True)
        self.hooks.send(name, event)
        return installed

    def withdraw(self, full_name: str) -> None:
        """Take one repository out of its installation and send ``installation_repositories.removed``."""
        with self.store.changing() as state:
            repository = find_repository(state, full_name)
            one = installation_of(state, repository)
            if one is None:
                raise not_found()
            one.repository_ids = [number for number in one.repository_ids if number != repository.id]
            event = repositories_event(state, one, repository, self.app, "removed", at=self.addresses)
        self.credentials.revoke(one.id)
        self.hooks.send("installation_repositories", event)

    def suspend(self, full_name: str, *, lift: bool = False) -> None:
        """Suspend the installation that covers a repository, or lift that, and send ``installation``."""
        with self.store.changing() as state:
            one = installation_of(state, find_repository(state, full_name))
            if one is None:
                raise not_found()
            one.suspended_at = None if lift else self.store.now()
            action = "unsuspend" if lift else "suspend"
            event = installation_event(state, one, self.app, action, at=self.addresses)
        self.credentials.revoke(one.id)
        self.hooks.send("installation", event)

    def uninstall(self, full_name: str) -> None:
        """Remove the App from the repository's account, end its tokens and send ``installation.deleted``."""
        with self.store.changing() as state:
            one = installation_of(state, find_repository(state, full_name))
            if one is None:
                raise not_found()
            event = installation_event(state, one, self.app, "deleted", at=self.addresses)
            del state.installations[one.id]
        self.credentials.revoke(one.id)
        self.hooks.send("installation", event)

    def ping(self) -> Delivery | None:
        """Send GitHub's greeting to the webhook."""
        return self.hooks.send("ping", {"zen": "Keep it logically awesome.", "hook_id": 1})

    def app_json(self, state: State) -> Json:
        """Return the App as GitHub shows it."""
        owner = ensure_user(state, self.app.slug, kind="Organization")
        return integration(self.app, owner, self.addresses, permissions=DEFAULT_PERMISSIONS)

    def app_login(self) -> str:
        """Return the login under which the App writes."""
        return f"{self.app.slug}[bot]"

    def _ensure_repository(self, state: State, full_name: str, *, installed: bool) -> Repository:
        try:
            return find_repository(state, full_name)
        except ApiError:
            owner, _, name = full_name.partition("/")
            ensure_user(state, owner)
            repository = Repository(
                id=new_id(state),
                owner=owner,
                name=name,
                created_at=self.store.now(),
                collaborators={owner: "admin"},
            )
            state.repositories[repository.id] = repository
            if installed and self.settings.app is not None:
                self._ensure_installed(state, repository)
            return repository

    def _ensure_installed(self, state: State, repository: Repository) -> Installation:
        ours = next((one for one in state.installations.values() if one.account == repository.owner), None)
        if ours is None:
            ours = Installation(
                id=new_id(state),
                account=repository.owner,
                repository_ids=[],
                permissions=dict(DEFAULT_PERMISSIONS),
                created_at=self.store.now(),
            )
            state.installations[ours.id] = ours
        ours.repository_ids = sorted({*ours.repository_ids, repository.id})
        return ours


def _changed(before: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    after = {**before, **changes}
    return {path: text for path, text in after.items() if text is not None}
