"""What the rules say of a bundle, on this machine: the same rules as the server's, without what only it can know."""

from judge.evidence import collect
from judge.rules import Finding
from judge.rules import check as apply_rules
from worker.bundle import Bundle


def check(bundle: Bundle) -> tuple[Finding, ...]:
    """Apply every rule to a bundle.

    Args:
        bundle: Finished; its blobs may be in any state, since what is wrong with them is a finding.

    Returns:
        All findings, in a fixed order; empty: nothing is wrong.
    """
    return apply_rules(collect(bundle))
