"""The hidden slice: what the service knows about the model's answers, and how it learns them.

Runs of the project's own nodes teach it: their baseline is the stock path on a machine that the project controls. Only
digests are kept, and no part of the API shows them.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from judge.assess import Assessment
from judge.evidence import Evidence, KnownAnswer
from server.db import inserter
from server.models import Answer
from worker.bundle import Manifest
from worker.suites import Serving, Suite
from worker.suites.plan import slice_seed
from worker.suites.prompts import prompt, prompt_digest


def known(session: Session, manifest: Manifest) -> tuple[KnownAnswer, ...]:
    """Every answer that is known for the weights that a bundle says it ran."""
    weights = {arm.weights_digest for arm in manifest.arms} - {"unknown"}
    rows = session.scalars(
        select(Answer)
        .where(Answer.weights_digest.in_(weights))
        .order_by(Answer.weights_digest, Answer.prompt_sha256, Answer.output_tokens)
    )
    return tuple(
        KnownAnswer(
            weights_digest=row.weights_digest,
            prompt_sha256=row.prompt_sha256,
            output_tokens=row.output_tokens,
            output_sha256=row.output_sha256,
        )
        for row in rows
    )


def taught(evidence: Evidence, assessment: Assessment) -> tuple[KnownAnswer, ...]:
    """What a bundle of the project teaches: answers of its baseline to prompts of the pool, if it is valid.

    A bundle that contradicts itself, by two answers to one prompt, teaches nothing about that prompt.
    """
    baseline = evidence.arm("baseline")
    if assessment.validity != "valid" or evidence.suite is None or baseline is None:
        return ()
    if baseline.weights_digest == "unknown":
        return ()
    pool = _pool(evidence.suite)
    given: dict[tuple[str, int], set[str]] = {}
    for (_, arm), table in sorted(evidence.requests.items()):
        lengths = table.requested_output_tokens.tolist() if arm == "baseline" else ()
        for sent, length, output, failed in zip(table.prompt, lengths, table.output, table.failed, strict=False):
            if sent in pool and length == length and output != "unknown" and not failed:
                given.setdefault((sent, int(length)), set()).add(output)
    return tuple(
        KnownAnswer(
            weights_digest=baseline.weights_digest, prompt_sha256=sent, output_tokens=length, output_sha256=output
        )
        for (sent, length), outputs in sorted(given.items())
        if len(outputs) == 1
        for output in outputs
    )


def learn(session: Session, answers: tuple[KnownAnswer, ...], *, bundle_id: str) -> None:
    """Keep answers that are not known yet: the first one stays, so that later ones are held against it."""
    for one in answers:
        row = inserter(session)(Answer).values(bundle_id=bundle_id, **one.model_dump())
        session.execute(row.on_conflict_do_nothing())


def _pool(suite: Suite) -> frozenset[str]:
    """Digests of the prompts of a suite's pools."""
    return frozenset(
        prompt_digest(prompt(slice_seed(index), characters=plan.input_tokens))
        for plan in suite.evals
        if isinstance(plan, Serving) and plan.hidden_slice is not None
        for index in range(plan.hidden_slice.pool)
    )
