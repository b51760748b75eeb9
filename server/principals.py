"""Who asks, and what they may do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NewType, get_args

from server.errors import AppError

Kind = Literal["anonymous", "account", "node", "pull_key", "actions", "operator"]
Role = Literal["contributor", "maintainer", "admin"]
Scope = Literal["bundles:write", "challenges:write", "jobs:work", "jobs:request", "nodes:write", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Power = Scope | Literal["account"]
"""What a principal may do: the scopes, and running its account, which no token is good for."""

Account = NewType("Account", str)
"""An account as the audit log names it: its number and its login at that time."""
Actor = Literal["anonymous", "admin", "operator", "github", "service"] | Account
"""Who causes a change, as the audit log names them: ``admin`` came with the operator's token, ``operator`` worked on
the database itself."""

_CONTRIBUTOR: frozenset[Scope] = frozenset({"bundles:write", "challenges:write", "jobs:work", "nodes:write"})
SCOPES_OF: Mapping[Role, frozenset[Scope]] = {
    "contributor": _CONTRIBUTOR,
    "maintainer": _CONTRIBUTOR | {"jobs:request"},
    "admin": frozenset(SCOPES),
}
"""The most that an account of a role may do; a token may be good for less."""
UPLOADS: frozenset[Power] = frozenset({"bundles:write", "challenges:write"})
"""What nobody needs a credential for where anonymous uploads are allowed."""


@dataclass(frozen=True)
class Confines:
    """What a credential for part of the world is good for. Numeric ids: names move, ids do not.

    Attributes:
        repository_id: The one repository.
        pull_number: The one pull request; None: any of the repository.
        head_sha: The one commit; None: any.
    """

    repository_id: int
    pull_number: int | None = None
    head_sha: str | None = None

    def hold(self, *, repository_id: int | None, pull_number: int | None, head_sha: str | None) -> bool:
        """Whether something lies inside; what is unknown does not."""
        return (
            repository_id == self.repository_id
            and self.pull_number in (None, pull_number)
            and self.head_sha in (None, head_sha)
        )


@dataclass(frozen=True)
class Principal:
    """Who sends a request, as far as its credential says.

    Attributes:
        kind: Kind of credential: ``node`` is an account's token that is bound to one of its nodes.
        owner: Whom work and quotas are counted for; stable, and of bounded length.
        scopes: What the credential allows.
        account_id: GitHub's numeric id of the account behind it; None: there is none.
        login: That account's login as last seen.
        role: That account's role.
        node_key_id: The node a ``node`` credential speaks for.
        credential_id: Public part of the token or key; None: it is neither.
        confines: What it is limited to; None: nothing.
    """

    kind: Kind
    owner: str
    scopes: frozenset[Power]
    account_id: int | None = None
    login: str | None = None
    role: Role | None = None
    node_key_id: str | None = None
    credential_id: str | None = None
    confines: Confines | None = None

    @property
    def actor(self) -> Actor:
        """As the audit log names them."""
        match self.kind:
            case "anonymous":
                return "anonymous"
            case "operator":
                return "admin"
            case "actions":
                return Account(self.owner)
            case "account" | "node" | "pull_key":
                return Account(f"account:{self.account_id} {self.login}")

    def require(self, scope: Power) -> None:
        """Let pass whose credential allows it.

        Raises:
            AppError: ``unauthorized`` without a credential, ``scope_missing`` with one that does not allow it.
        """
        if scope in self.scopes:
            return
        if self.kind == "anonymous":
            headers = {"WWW-Authenticate": "Bearer"}
            raise AppError("unauthorized", f"Send a credential that allows {scope}.", headers=headers)
        raise AppError("scope_missing", f"The credential does not allow {scope}.")

    def require_inside(self, *, repository_id: int | None, pull_number: int | None, head_sha: str | None) -> None:
        """Let pass what lies within the credential's confines.

        Raises:
            AppError: ``credential_confined``.
        """
        if self.confines is not None and not self.confines.hold(
            repository_id=repository_id, pull_number=pull_number, head_sha=head_sha
        ):
            raise AppError("credential_confined", "The credential is for another repository, pull request or commit.")
