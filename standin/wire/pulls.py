"""Pull requests and their comments."""

from __future__ import annotations

from standin.records import Comment, Pull, Reaction, Repository, State
from standin.store import comments_of
from standin.wire.people import Addresses, Json, moment, node_id, simple_user
from standin.wire.repositories import changes, full_repository


def simple_pull(pull: Pull, state: State, at: Addresses) -> Json:
    """Return GitHub's ``pull-request-simple``, the form in lists."""
    repository = state.repositories[pull.repository_id]
    api = f"{at.api}/repos/{repository.full_name}"
    number, web = pull.number, f"{at.web}/{repository.full_name}/pull/{pull.number}"
    addresses = {
        "self": f"{api}/pulls/{number}",
        "html": web,
        "issue": f"{api}/issues/{number}",
        "comments": f"{api}/issues/{number}/comments",
        "review_comments": f"{api}/pulls/{number}/comments",
        "review_comment": f"{api}/pulls/comments{{/number}}",
        "commits": f"{api}/pulls/{number}/commits",
        "statuses": f"{api}/statuses/{pull.head_sha}",
    }
    return {
        "id": pull.id,
        "node_id": node_id("PullRequest", pull.id),
        "number": number,
        "url": addresses["self"],
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "issue_url": addresses["issue"],
        "comments_url": addresses["comments"],
        "review_comments_url": addresses["review_comments"],
        "review_comment_url": addresses["review_comment"],
        "commits_url": addresses["commits"],
        "statuses_url": addresses["statuses"],
        "_links": {name: {"href": href} for name, href in addresses.items()},
        "state": pull.state,
        "locked": False,
        "draft": pull.draft,
        "title": pull.title,
        "body": pull.body or None,
        "user": simple_user(state.users[pull.author], at),
        "author_association": "CONTRIBUTOR",
        "labels": [],
        "milestone": None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "auto_merge": None,
        "merge_commit_sha": None,
        "created_at": moment(pull.created_at),
        "updated_at": moment(pull.updated_at),
        "closed_at": moment(pull.closed_at) if pull.closed_at else None,
        "merged_at": moment(pull.closed_at) if pull.closed_at and pull.merged else None,
        "head": _end(pull.head_ref, pull.head_sha, state.repositories[pull.head_repository_id], state, at),
        "base": _end(pull.base_ref, pull.base_sha, repository, state, at),
    }


def full_pull(pull: Pull, state: State, at: Addresses) -> Json:
    """Return GitHub's ``pull-request``."""
    files = pull_files(pull, state, at)
    counts = {key: [file[key] for file in files] for key in ("additions", "deletions")}
    return simple_pull(pull, state, at) | {
        "merged": pull.merged,
        "merged_by": simple_user(state.users[pull.author], at) if pull.merged else None,
        "mergeable": None,
        "mergeable_state": "unknown",
        "maintainer_can_modify": False,
        "comments": len(comments_of(state, pull)),
        "review_comments": 0,
        "commits": len(pull.commits),
        "changed_files": len(files),
        "additions": sum(n for n in counts["additions"] if isinstance(n, int)),
        "deletions": sum(n for n in counts["deletions"] if isinstance(n, int)),
    }


def pull_files(pull: Pull, state: State, at: Addresses) -> list[Json]:
    """Return GitHub's ``diff-entry`` for each file that the pull request changes."""
    base, head = state.commits[pull.base_sha], state.commits[pull.head_sha]
    return changes(base.files, head.files, state.repositories[pull.repository_id], head.sha, at)


def comment(one: Comment, state: State, at: Addresses, *, app: Json | None) -> Json:
    """Return GitHub's ``issue-comment``.

    Args:
        one: The comment.
        state: For its repository and author.
        at: Roots of addresses.
        app: The App, when the App wrote it.
    """
    full_name = state.repositories[one.repository_id].full_name
    return {
        "id": one.id,
        "node_id": node_id("IssueComment", one.id),
        "url": f"{at.api}/repos/{full_name}/issues/comments/{one.id}",
        "html_url": f"{at.web}/{full_name}/pull/{one.number}#issuecomment-{one.id}",
        "issue_url": f"{at.api}/repos/{full_name}/issues/{one.number}",
        "user": simple_user(state.users[one.author], at),
        "author_association": "CONTRIBUTOR",
        "body": one.body,
        "performed_via_github_app": app if one.by_app else None,
        "created_at": moment(one.created_at),
        "updated_at": moment(one.updated_at),
    }


def reaction(one: Reaction, state: State, at: Addresses) -> Json:
    """Return GitHub's ``reaction``."""
    return {
        "id": one.id,
        "node_id": node_id("Reaction", one.id),
        "user": simple_user(state.users[one.user], at),
        "content": one.content,
        "created_at": moment(one.created_at),
    }


def issue(pull: Pull, state: State, at: Addresses) -> Json:
    """Return the issue form of a pull request, as webhooks about comments carry it."""
    whole = simple_pull(pull, state, at)
    names = ("id", "node_id", "number", "title", "body", "state", "user", "created_at", "updated_at", "html_url")
    links = {key: whole[key] for key in ("url", "html_url", "diff_url", "patch_url")}
    return {name: whole[name] for name in names} | {"url": whole["issue_url"], "pull_request": links}


def _end(ref: str, sha: str, repository: Repository, state: State, at: Addresses) -> Json:
    owner = state.users[repository.owner]
    return {
        "label": f"{repository.owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": simple_user(owner, at),
        "repo": full_repository(repository, owner, at),
    }
