"""Users, the App, installations and their tokens."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from standin.records import Installation, Permissions, Repository, User
from standin.settings import AppIdentity, StandinSettings

Json = dict[str, object]

EVENTS = ["check_run", "installation_repositories", "issue_comment", "pull_request"]
_COARSE = {"maintain": "write", "triage": "read"}
"""GitHub's older field knows three permissions only."""
APP_CREATED_AT = "2020-01-01T00:00:00Z"


@dataclass(frozen=True)
class Addresses:
    """The two roots that every address in an answer starts with.

    Attributes:
        api: Root of the API.
        web: Root of the pages for people.
    """

    api: str
    web: str

    @classmethod
    def of(cls, settings: StandinSettings) -> Addresses:
        """Take them from the settings."""
        return cls(settings.api_url, settings.web_url)


def moment(at: datetime) -> str:
    """Return a time as GitHub writes it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def node_id(kind: str, number: int) -> str:
    """Return an opaque id like GitHub's."""
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def simple_user(user: User, at: Addresses) -> Json:
    """Return GitHub's ``simple-user``."""
    address = quote(user.login)  # a bot's has brackets
    api, web = f"{at.api}/users/{address}", f"{at.web}/{address}"
    return {
        "login": user.login,
        "id": user.id,
        "node_id": node_id("User", user.id),
        "avatar_url": f"{at.web}/avatars/{user.id}",
        "gravatar_id": "",
        "url": api,
        "html_url": web,
        "followers_url": f"{api}/followers",
        "following_url": f"{api}/following{{/other_user}}",
        "gists_url": f"{api}/gists{{/gist_id}}",
        "starred_url": f"{api}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{api}/subscriptions",
        "organizations_url": f"{api}/orgs",
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events{{/privacy}}",
        "received_events_url": f"{api}/received_events",
        "type": user.type,
        "site_admin": False,
    }


def public_user(user: User, at: Addresses, *, since: datetime) -> Json:
    """Return GitHub's ``public-user``, the caller's own account."""
    return simple_user(user, at) | {
        "user_view_type": "public",
        "name": user.login,
        "company": None,
        "blog": "",
        "location": None,
        "email": None,
        "hireable": None,
        "bio": None,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": moment(since),
        "updated_at": moment(since),
    }


def integration(app: AppIdentity, owner: User, at: Addresses, *, permissions: Permissions) -> Json:
    """Return GitHub's ``integration``, the App."""
    return {
        "id": app.app_id,
        "slug": app.slug,
        "node_id": node_id("App", app.app_id),
        "owner": simple_user(owner, at),
        "name": app.slug,
        "description": "The App of this stand-in.",
        "external_url": at.web,
        "html_url": f"{at.web}/apps/{app.slug}",
        "created_at": APP_CREATED_AT,
        "updated_at": APP_CREATED_AT,
        "permissions": dict(permissions),
        "events": EVENTS,
    }


def installation(one: Installation, app: AppIdentity, account: User, at: Addresses) -> Json:
    """Return GitHub's ``installation``."""
    return {
        "id": one.id,
        "app_id": app.app_id,
        "app_slug": app.slug,
        "account": simple_user(account, at),
        "target_id": account.id,
        "target_type": account.type,
        "permissions": dict(one.permissions),
        "events": EVENTS,
        "single_file_name": None,
        "repository_selection": "selected",
        "access_tokens_url": f"{at.api}/app/installations/{one.id}/access_tokens",
        "repositories_url": f"{at.api}/installation/repositories",
        "html_url": f"{at.web}/settings/installations/{one.id}",
        "created_at": moment(one.created_at),
        "updated_at": moment(one.created_at),
        "suspended_by": simple_user(account, at) if one.suspended_at else None,
        "suspended_at": moment(one.suspended_at) if one.suspended_at else None,
    }


def permission_of(user: User, repository: Repository, at: Addresses) -> Json:
    """Return GitHub's ``repository-collaborator-permission``."""
    role = repository.collaborators.get(user.login, "none")
    name = repository.role_names.get(user.login, role)
    return {
        "permission": _COARSE.get(role, role),
        "role_name": name,
        "user": simple_user(user, at) | {"role_name": name},
    }


def installation_token(
    token: str, expires_at: datetime, *, permissions: Permissions, repositories: Sequence[Json]
) -> Json:
    """Return GitHub's ``installation-token``."""
    return {
        "token": token,
        "expires_at": moment(expires_at),
        "permissions": dict(permissions),
        "repository_selection": "selected",
        "repositories": list(repositories),
    }
