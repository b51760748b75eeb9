"""Repositories, commits, files and contents."""

from __future__ import annotations

import base64
import difflib
import hashlib
from collections.abc import Mapping
from urllib.parse import quote

from standin.records import Commit, Repository, User
from standin.wire.people import Addresses, Json, moment, node_id, simple_user

_TEMPLATES = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}


def minimal_repository(repository: Repository, owner: User, at: Addresses) -> Json:
    """Return GitHub's ``minimal-repository``: what every form of a repository holds."""
    api = f"{at.api}/repos/{repository.full_name}"
    addresses: Json = {name: api + tail for name, tail in _TEMPLATES.items()}
    return addresses | {
        "id": repository.id,
        "node_id": node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": repository.full_name,
        "owner": simple_user(owner, at),
        "private": False,
        "html_url": f"{at.web}/{repository.full_name}",
        "description": None,
        "fork": repository.fork,
        "url": api,
    }


def full_repository(repository: Repository, owner: User, at: Addresses, *, open_pulls: int = 0) -> Json:
    """Return GitHub's ``full-repository``, which also serves as ``repository``."""
    web = f"{at.web}/{repository.full_name}"
    created = moment(repository.created_at)
    return minimal_repository(repository, owner, at) | {
        "clone_url": f"{web}.git",
        "git_url": f"{web}.git",
        "ssh_url": f"{web}.git",
        "svn_url": web,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "default_branch": repository.default_branch,
        "archived": False,
        "disabled": False,
        "visibility": "public",
        "has_issues": True,
        "has_projects": False,
        "has_downloads": False,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "forks": 0,
        "forks_count": 0,
        "network_count": 0,
        "open_issues": open_pulls,
        "open_issues_count": open_pulls,
        "size": 0,
        "stargazers_count": 0,
        "subscribers_count": 0,
        "watchers": 0,
        "watchers_count": 0,
        "created_at": created,
        "pushed_at": created,
        "updated_at": created,
    }


def commit(one: Commit, repository: Repository, author: User, at: Addresses, *, before: Mapping[str, str]) -> Json:
    """Return GitHub's ``commit``.

    Args:
        one: The commit.
        repository: In which it was asked for.
        author: Its author.
        at: Roots of addresses.
        before: Files of its first parent.
    """
    api, web = f"{at.api}/repos/{repository.full_name}", f"{at.web}/{repository.full_name}"
    person = {
        "name": author.login,
        "email": f"{author.id}@users.noreply.invalid",
        "date": moment(one.created_at),
    }
    files = changes(before, one.files, repository, one.sha, at)
    totals = [sum(_number(file[key]) for file in files) for key in ("additions", "deletions")]
    return {
        "url": f"{api}/commits/{one.sha}",
        "sha": one.sha,
        "node_id": node_id("Commit", int(one.sha[:8], 16)),
        "html_url": f"{web}/commit/{one.sha}",
        "comments_url": f"{api}/commits/{one.sha}/comments",
        "commit": {
            "url": f"{api}/git/commits/{one.sha}",
            "author": person,
            "committer": person,
            "message": one.message,
            "comment_count": 0,
            "tree": {"sha": one.sha, "url": f"{api}/git/trees/{one.sha}"},
        },
        "author": simple_user(author, at),
        "committer": simple_user(author, at),
        "parents": [
            {"sha": sha, "url": f"{api}/commits/{sha}", "html_url": f"{web}/commit/{sha}"} for sha in one.parents
        ],
        "stats": {"additions": totals[0], "deletions": totals[1], "total": sum(totals)},
        "files": files,
    }


def changes(
    before: Mapping[str, str], after: Mapping[str, str], repository: Repository, sha: str, at: Addresses
) -> list[Json]:
    """Return GitHub's ``diff-entry`` for every file that differs."""
    return [
        _change(path, before.get(path), after.get(path), repository, sha, at)
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]


def content_file(path: str, text: str, repository: Repository, reference: str, at: Addresses) -> Json:
    """Return GitHub's ``content-file``."""
    api = f"{at.api}/repos/{repository.full_name}/contents/{quote(path)}?ref={reference}"
    web = f"{at.web}/{repository.full_name}/blob/{reference}/{quote(path)}"
    raw = text.encode()
    blob = blob_sha(text)
    git = f"{at.api}/repos/{repository.full_name}/git/blobs/{blob}"
    return {
        "type": "file",
        "encoding": "base64",
        "size": len(raw),
        "name": path.rpartition("/")[2],
        "path": path,
        "content": base64.encodebytes(raw).decode(),
        "sha": blob,
        "url": api,
        "git_url": git,
        "html_url": web,
        "download_url": web,
        "_links": {"git": git, "self": api, "html": web},
    }


def blob_sha(text: str) -> str:
    """Return git's blob id of a file."""
    raw = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(raw) + raw, usedforsecurity=False).hexdigest()


def _change(path: str, before: str | None, after: str | None, repository: Repository, sha: str, at: Addresses) -> Json:
    old, new = (before or "").splitlines(), (after or "").splitlines()
    lines = list(difflib.unified_diff(old, new, lineterm="", n=3))[2:]
    additions = sum(line.startswith("+") for line in lines)
    deletions = sum(line.startswith("-") for line in lines)
    status = "added" if before is None else "removed" if after is None else "modified"
    web = f"{at.web}/{repository.full_name}"
    return {
        "sha": blob_sha(after or before or ""),
        "filename": path,
        "status": status,
        "additions": additions,
        "deletions": deletions,
        "changes": additions + deletions,
        "blob_url": f"{web}/blob/{sha}/{quote(path)}",
        "raw_url": f"{web}/raw/{sha}/{quote(path)}",
        "contents_url": f"{at.api}/repos/{repository.full_name}/contents/{quote(path)}?ref={sha}",
        "patch": "\n".join(lines),
    }


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
