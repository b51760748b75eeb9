"""Comments on pull requests."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from standin.credentials import Caller, InstallationCaller, UserCaller
from standin.errors import ApiError, invalid, not_found
from standin.records import Comment, Reaction, Repository, State
from standin.routes.context import CallerDep, ForgeDep, PagerDep
from standin.routes.pulls import opened
from standin.store import comments_of, ensure_user, find_pull, new_id
from standin.wire.people import Json
from standin.wire.pulls import comment, reaction

BODY_MAX_CHARS = 65_536

router = APIRouter(prefix="/repos/{owner}/{repo}/issues")


class CommentRequest(BaseModel):
    """A comment's text."""

    body: str


class ReactionRequest(BaseModel):
    """A reaction's kind."""

    content: Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]


@router.get("/{number}/comments")
def list_comments(
    owner: str,
    repo: str,
    number: int,
    forge: ForgeDep,
    caller: CallerDep,
    pager: PagerDep,
    since: datetime | None = None,
) -> list[Json]:
    """Return the comments, oldest first; with ``since``, those written or edited then or later."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="issues")
        found = comments_of(state, find_pull(state, repository, number))
        found = [one for one in found if since is None or one.updated_at >= since]
        return [_shown(forge, state, one) for one in pager.cut(found)]


@router.post("/{number}/comments", status_code=201)
def create_comment(
    owner: str, repo: str, number: int, wanted: CommentRequest, forge: ForgeDep, caller: CallerDep
) -> Json:
    """Write a comment."""
    with forge.store.changing() as state:
        repository = opened(state, caller, owner, repo, permission="issues", access="write")
        pull = find_pull(state, repository, number)
        _check_length(wanted.body)
        by_app = isinstance(caller, InstallationCaller)
        author = ensure_user(state, _login(forge, caller), kind="Bot" if by_app else "User")
        at = forge.store.now()
        made = Comment(
            id=new_id(state),
            repository_id=repository.id,
            number=pull.number,
            author=author.login,
            body=wanted.body,
            by_app=by_app,
            created_at=at,
            updated_at=at,
        )
        state.comments[made.id] = made
        return _shown(forge, state, made)


@router.get("/comments/{comment_id}")
def get_comment(owner: str, repo: str, comment_id: int, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return one comment."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="issues")
        return _shown(forge, state, _known(state, repository, comment_id))


@router.patch("/comments/{comment_id}")
def edit_comment(
    owner: str, repo: str, comment_id: int, wanted: CommentRequest, forge: ForgeDep, caller: CallerDep
) -> Json:
    """Replace a comment's text. Only its author may, or a person who may write to the repository."""
    with forge.store.changing() as state:
        repository = opened(state, caller, owner, repo, permission="issues", access="write")
        known = _known(state, repository, comment_id)
        role = repository.collaborators.get(caller.login) if isinstance(caller, UserCaller) else None
        if known.author != _login(forge, caller) and role not in ("admin", "maintain", "write"):
            raise ApiError(403, "You cannot edit this comment.")
        _check_length(wanted.body)
        known.body = wanted.body
        known.updated_at = forge.store.now()
        return _shown(forge, state, known)


@router.post("/comments/{comment_id}/reactions", status_code=201)
def create_reaction(
    owner: str,
    repo: str,
    comment_id: int,
    wanted: ReactionRequest,
    forge: ForgeDep,
    caller: CallerDep,
    response: Response,
) -> Json:
    """React to a comment; 200 instead of 201 when the caller had done so before."""
    with forge.store.changing() as state:
        repository = opened(state, caller, owner, repo, permission="issues", access="write")
        comment_id = _known(state, repository, comment_id).id
        kind: Literal["Bot", "User"] = "Bot" if isinstance(caller, InstallationCaller) else "User"
        user = ensure_user(state, _login(forge, caller), kind=kind).login
        mine = (one for one in state.reactions.values() if (one.comment_id, one.user) == (comment_id, user))
        known = next((one for one in mine if one.content == wanted.content), None)
        if known is not None:
            response.status_code = 200
            return reaction(known, state, forge.addresses)
        made = Reaction(
            id=new_id(state), comment_id=comment_id, user=user, content=wanted.content, created_at=forge.store.now()
        )
        state.reactions[made.id] = made
        return reaction(made, state, forge.addresses)


def _known(state: State, repository: Repository, comment_id: int) -> Comment:
    found = state.comments.get(comment_id)
    if found is None or found.repository_id != repository.id:
        raise not_found()
    return found


def _login(forge: ForgeDep, caller: Caller) -> str:
    return caller.login if isinstance(caller, UserCaller) else forge.app_login()


def _check_length(body: str) -> None:
    if not body:
        raise invalid("IssueComment", "body", "body cannot be blank")
    if len(body) > BODY_MAX_CHARS:
        raise invalid("IssueComment", "body", f"body is too long (maximum is {BODY_MAX_CHARS} characters)")


def _shown(forge: ForgeDep, state: State, one: Comment) -> Json:
    return comment(one, state, forge.addresses, app=forge.app_json(state) if one.by_app else None)
