"""Family C: the bundle belongs to this pull request, this node and this challenge, and to no other."""

from collections.abc import Iterator
from itertools import product

from judge.evidence import Evidence
from judge.rules.record import Found, rule
from worker.bundle.schema import ArmName
from worker.suites import Serving, Suite
from worker.suites.plan import plan_eval, plan_run
from worker.suites.prompts import prompt, prompt_digest
from worker.suites.seeds import Seeds

_ARMS: tuple[ArmName, ...] = ("baseline", "candidate")


@rule(
    "C-001",
    "info",
    "notes",
    title="No challenge",
    hint="`byogpu run` with `--server` and `--pull` asks the service for a challenge before it measures.",
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
    hint="Run the challenge as it was issued, for the commit and on the node it was issued to.",
    version=2,
)
def challenge_followed(evidence: Evidence) -> Iterator[Found]:
    """A challenge fixes nonce, plan, suite, commit and node; a run that differs in one answers another question."""
    challenge, issued = evidence.manifest.challenge, evidence.context.challenge
    if challenge is None or issued is None or issued.id != challenge.id:
        return
    subject = evidence.manifest.subject
    pairs: list[tuple[str, object, object]] = [
        ("nonce", challenge.nonce, issued.nonce),
        ("plan_digest", challenge.plan_digest, issued.plan_digest),
        ("suite", subject.suite.digest if subject.suite else "none", issued.suite_digest),
        ("repository_id", subject.repository_id, issued.repository_id),
        ("pull_number", subject.pull_number, issued.pull_number),
        ("head_sha", subject.head_sha, issued.head_sha),
    ]
    if issued.node_key_id is not None:
        pairs.append(("node", evidence.manifest.producer.node_key_id, issued.node_key_id))
    for name, found, wanted in pairs:
        if found != wanted:
            yield Found(
                f"the {name.replace('_', ' ')} is {_short(found)}, issued was {_short(wanted)}", f"challenge/{name}"
            )


@rule(
    "C-004",
    "error",
    "blocks",
    title="The bundle is evidence for another commit or repository",
    hint="Run again for the pull request's present head.",
    version=2,
)
def subject_bound(evidence: Evidence) -> Iterator[Found]:
    """Evidence binds to one commit of one repository; shown anywhere else it is a replay, or it is stale."""
    subject, pull = evidence.manifest.subject, evidence.context.pull
    if pull is None:
        return
    for name, found, wanted in (
        ("repository_id", subject.repository_id, pull.repository_id),
        ("pull_number", subject.pull_number, pull.number),
        ("head_sha", subject.head_sha, pull.head_sha),
    ):
        if found != wanted:
            yield Found(f"{name.replace('_', ' ')} is {found}, the pull request's is {wanted}", f"subject/{name}")


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


@rule(
    "C-010",
    "error",
    "invalidates",
    title="The plan is not the one that nonce and suite imply",
    hint="Run with a worker of the same version as the service, and let it name the plan.",
)
def plan_implied(evidence: Evidence) -> Iterator[Found]:
    """The plan's digest fixes prompts, seeds and order before the run; another digest is that of another plan."""
    challenge = evidence.manifest.challenge
    if challenge is None or evidence.suite is None:
        return
    implied = plan_run(evidence.suite, challenge.nonce).digest
    if challenge.plan_digest != implied:
        yield Found(
            f"the plan digest is {_short(challenge.plan_digest)}, nonce and suite give {_short(implied)}",
            "challenge/plan_digest",
        )


@rule(
    "C-011",
    "error",
    "invalidates",
    title="Requests sent other prompts than the challenge asks for",
    hint="Let the worker make the prompts from the challenge's nonce.",
)
def prompts_implied(evidence: Evidence) -> Iterator[Found]:
    """Prompts that the owner chose can be easy or cached ones. Contexts of decode steps leave no trace to check."""
    challenge = evidence.manifest.challenge
    if challenge is None or evidence.suite is None:
        return
    implied = _prompts(evidence.suite, challenge.nonce)
    for record in evidence.manifest.evals:
        for cell, arm in product((cell.id for cell in record.cells), _ARMS):
            table = evidence.requests.get((cell, arm))
            if table is None:
                continue
            sent = zip(table.block.tolist(), table.index.tolist(), table.prompt, strict=True)
            other = sum(digest != implied.get((cell, block, index)) for block, index, digest in sent)
            if other:
                yield Found(
                    f"{other} of {len(table.prompt)} requests of the {arm} have another prompt than the nonce gives",
                    f"evals/{record.id}/cells/{cell}/{arm}",
                    eval_id=record.id,
                    cell=cell,
                    arm=arm,
                )


@rule(
    "C-012",
    "warning",
    "notes",
    title="The challenge was no longer open",
    hint="Ask for a new challenge and submit before it expires; until then the bundle counts as signed.",
)
def challenge_open(evidence: Evidence) -> Iterator[Found]:
    """Without a limit in time an owner could collect challenges and hand in the one whose result pleases."""
    issued = evidence.context.challenge
    if issued is not None and issued.closed is not None:
        yield Found(f"it was {issued.closed} when the bundle was submitted", "challenge/id")


def _prompts(suite: Suite, nonce: str) -> dict[tuple[str, int, int], str]:
    """Digest of the prompt of every request that a suite and a nonce imply, by cell, block and number."""
    implied: dict[tuple[str, int, int], str] = {}
    for plan in suite.evals:
        if isinstance(plan, Serving):
            seeds = {
                (cell.cell, block.block.index, index): seed
                for block in plan_eval(plan, Seeds(nonce)).blocks
                for cell in block.cells
                for index, seed in enumerate(cell.seeds)
            }
            # Both arms send the same prompts, so each is made once.
            made = {seed: prompt_digest(prompt(seed, characters=plan.input_tokens)) for seed in set(seeds.values())}
            implied |= {place: made[seed] for place, seed in seeds.items()}
    return implied


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 16 else f"{text[:16]}…"


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
    plan_implied,
    prompts_implied,
    challenge_open,
)
