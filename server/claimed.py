"""What a pull request claims: what its description says, else what was stated through the API."""

from typing import Literal

from judge.claim import ClaimSet
from judge.claims import parse_block, parse_claims
from server.models import Pull

Source = Literal["description", "api"]


def claims_of(pull: Pull) -> ClaimSet:
    """Read the claims of a pull request. A block in its description, right or wrong, is all that counts."""
    described = parse_claims(pull.body)
    if speaks(described) or pull.stated_claims is None:
        return described
    return parse_block(pull.stated_claims)


def source_of(pull: Pull) -> Source | None:
    """Where its claims stand; None: it claims nothing."""
    if speaks(parse_claims(pull.body)):
        return "description"
    return None if pull.stated_claims is None else "api"


def speaks(claimed: ClaimSet) -> bool:
    """Whether a text has a block at all."""
    return bool(claimed.claims or claimed.errors or claimed.scope)
