"""Family C: the bundle belongs to this pull request, this node and this challenge, and to no other."""

from collections.abc import Iterator

from judge.evidence import Evidence
from judge.rules.record import Found, rule


@rule(
    "C-001",
    "info",
    "notes",
    title="No challenge",
    hint="`byogpu run --server URL` asks the service for a challenge before it measures.",
)
def challenge_present(evidence: Evidence) -> Iterator[Found]:
    """Prompts, order and seeds that the owner chose could have been chosen for their result; trust stays lower."""
    if evidence.manifest.challenge is None and evidence.manifest.origin.kind == "measured":
        yield Found("the run chose its own prompts and order", "challenge")


@rule(
    "C-002",
    "error",
    "invalidates",
    title="The challenge is not one the service issued",
    hint="Run again with a challenge of this service.",
)
def challenge_known(evidence: Evidence) -> Iterator[Found]:
    """A made-up challenge pretends that the service chose the plan."""
    challenge, issued = evidence.manifest.challenge, evidence.context.challenge
    if evidence.context.place == "server" and challenge is not None and (issued is None or issued.id != challenge.id):
        yield Found(f"challenge {challenge.id} is unknown", "challenge/id")


@rule(
    "C-003",
    "error",
    "invalidates",
    title="The bundle does not follow its challenge",
    hint="Run the challenge as it was issued, on the node it was issued to.",
)
def challenge_followed(evidence: Evidence) -> Iterator[Found]:
    """A challenge fixes nonce, plan, suite and node; a run that differs in one of them answers another question."""
    challenge, issued = evidence.manifest.challenge, evidence.context.challenge
    if challenge is None or issued is None or issued.id != challenge.id:
        return
    suite = evidence.manifest.subject.suite
    pairs = [
        ("nonce", challenge.nonce, issued.nonce),
        ("plan_digest", challenge.plan_digest, issued.plan_digest),
        ("suite", suite.digest if suite else "none", issued.suite_digest),
    ]
    if issued.node_key_id is not None:
        pairs.append(("node", evidence.manifest.producer.node_key_id, issued.node_key_id))
    for name, found, wanted in pairs:
        if found != wanted:
            yield Found(
                f"the {name.replace('_', ' ')} is {found[:16]}…, issued was {wanted[:16]}…", f"challenge/{name}"
            )


@rule(
    "C-004",
    "error",
    "blocks",
    title="The bundle is evidence for another commit or repository",
    hint="Run again for the pull request's present head.",
)
def subject_bound(evidence: Evidence) -> Iterator[Found]:
    """Evidence binds to one commit of one repository; shown anywhere else it is a replay, or it is stale."""
    subject, pull, issued = evidence.manifest.subject, evidence.context.pull, evidence.context.challenge
    for source, name, wanted in (
        ("pull request", "repository_id", pull.repository_id if pull else None),
        ("pull request", "pull_number", pull.number if pull else None),
        ("pull request", "head_sha", pull.head_sha if pull else None),
        ("challenge", "repository_id", issued.repository_id if issued else None),
        ("challenge", "pull_number", issued.pull_number if issued else None),
        ("challenge", "head_sha", issued.head_sha if issued else None),
    ):
        found = getattr(subject, name)
        if wanted is not None and found != wanted:
            yield Found(f"{name.replace('_', ' ')} is {found}, the {source}'s is {wanted}", f"subject/{name}")


@rule(
    "C-005",
    "error",
    "invalidates",
    title="The challenge was used before",
    hint="Ask for a new challenge; each is good for one bundle.",
)
def challenge_unused(evidence: Evidence) -> Iterator[Found]:
    """A challenge that can be used twice lets its owner keep the better of two runs."""
    issued = evidence.context.challenge
    if issued is not None and issued.used_by is not None and issued.used_by != evidence.bundle_id:
        yield Found(f"bundle {issued.used_by[:16]}… used it first", "challenge/id")


@rule(
    "C-006",
    "info",
    "notes",
    title="There were earlier attempts",
    hint="Nothing to do: honest attempts are listed, and verdicts account for them.",
)
def attempts_listed(evidence: Evidence) -> Iterator[Found]:
    """Each try is a chance to be lucky; the correction for many decisions counts them all."""
    attempts = evidence.manifest.attempts
    if attempts:
        outcomes = ", ".join(f"{one.number} {one.outcome}" for one in attempts[:10])
        yield Found(f"{len(attempts)} before this one: {outcomes}", "attempts")


@rule(
    "C-007",
    "error",
    "invalidates",
    title="The signature does not hold",
    hint="Sign the manifest as it is, with the node's own key.",
)
def signature_holds(evidence: Evidence) -> Iterator[Found]:
    """A bundle that changed after it was signed is not what its owner vouched for."""
    if evidence.context.signature == "invalid":
        yield Found("the envelope's signature does not match this manifest", "envelope")


@rule(
    "C-008",
    "info",
    "notes",
    title="Nobody known vouches for the bundle",
    hint="Register the node's key with the service, and let the worker sign.",
)
def signed_by_known_node(evidence: Evidence) -> Iterator[Found]:
    """Without a known signature anyone can have written the bundle; it stays at trust level 0."""
    if evidence.context.signature in ("absent", "unknown_key"):
        missing = "no signature" if evidence.context.signature == "absent" else "signed by an unregistered key"
        yield Found(missing, "envelope")


@rule(
    "C-009",
    "error",
    "invalidates",
    title="Signed by another node than the one that measured",
    hint="Sign with the key of the node that ran the suite.",
)
def signer_measured(evidence: Evidence) -> Iterator[Found]:
    """A node answers for what it measured itself, not for bundles that were handed to it."""
    signer, claimed = evidence.context.node_key_id, evidence.manifest.producer.node_key_id
    if signer is not None and claimed not in ("unknown", signer):
        yield Found(f"signed by {signer[:16]}…, measured by {claimed[:16]}…", "producer/node_key_id")


RULES = (
    challenge_present,
    challenge_known,
    challenge_followed,
    subject_bound,
    challenge_unused,
    attempts_listed,
    signature_holds,
    signed_by_known_node,
    signer_measured,
)
