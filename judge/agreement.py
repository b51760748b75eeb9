"""How far answers agree: those of the two arms token by token, and those of each arm with what the service knows."""

from collections.abc import Iterator, Mapping

from judge.evidence import Evidence
from judge.streams import (
    NEAR_TIE_NATS,
    Divergence,
    SamplesAgree,
    StreamSummary,
    first_divergence,
    same_distribution,
    summarise_streams,
)
from judge.tables import Stream
from worker.bundle.record import Count, Identifier, Positive, Record
from worker.bundle.schema import ArmName

ARMS: tuple[ArmName, ArmName] = ("baseline", "candidate")


class StreamFacts(Record):
    """Token streams of both arms in one eval."""

    eval_id: Identifier
    greedy: StreamSummary | None
    """None: no prompt has a greedy continuation in both arms."""
    sampled: SamplesAgree | None
    """First tokens of sampled continuations; None: not drawn in both arms."""


class SliceScore(Record):
    """One arm's answers to the prompts of the hidden slice that rode inside its timed requests."""

    arm: ArmName
    known: Positive
    """Requests whose right answer is known."""
    right: Count


def stream_facts(evidence: Evidence) -> tuple[StreamFacts, ...]:
    """Compare the arms' token streams, eval by eval; evals without any are left out."""
    found = []
    for eval_id in dict.fromkeys(eval_id for eval_id, _ in evidence.streams):
        parted = [one for _, _, one in pairs(evidence, eval_id)]
        drawn = [_first_tokens(evidence.streams.get((eval_id, arm), ())) for arm in ARMS]
        found.append(
            StreamFacts(
                eval_id=eval_id,
                greedy=summarise_streams(parted) if parted else None,
                sampled=same_distribution(drawn[0], drawn[1]) if all(drawn) else None,
            )
        )
    return tuple(found)


def pairs(evidence: Evidence, eval_id: str) -> Iterator[tuple[Stream, Stream, Divergence | None]]:
    """Greedy continuations of the same prompt in both arms, and where they part; in the baseline's order."""
    ours, theirs = (_greedy(evidence.streams.get((eval_id, arm), ())) for arm in ARMS)
    for prompt, baseline in ours.items():
        if (candidate := theirs.get(prompt)) is not None:
            parted = first_divergence(baseline.tokens, candidate.tokens, logprobs=baseline.logprobs)
            yield baseline, candidate, parted


def not_greedy(stream: Stream) -> int | None:
    """First position at which a greedy stream took a token that another was clearly likelier than; None: nowhere."""
    if stream.mode != "greedy":
        return None
    for position, (token, ranked) in enumerate(zip(stream.tokens, stream.logprobs, strict=True)):
        if max(ranked.values()) - ranked[token] > NEAR_TIE_NATS:
            return position
    return None


def slice_scores(evidence: Evidence) -> tuple[SliceScore, ...]:
    """Score the hidden slice: answers of each arm that are the known ones, for its weights and output lengths."""
    known = {
        (one.weights_digest, one.prompt_sha256, one.output_tokens): one.output_sha256
        for one in evidence.context.answers
    }
    found = []
    for arm in ARMS:
        described = evidence.arm(arm)
        weights = described.weights_digest if described else "unknown"
        right, asked = 0, 0
        for (_, whose), table in sorted(evidence.requests.items()) if known else ():
            if whose != arm:
                continue
            lengths = table.requested_output_tokens.tolist()
            for prompt, length, output, failed in zip(table.prompt, lengths, table.output, table.failed, strict=True):
                answer = known.get((weights, prompt, int(length))) if length == length and not failed else None
                asked += answer is not None
                right += answer is not None and answer == output
        if asked:
            found.append(SliceScore(arm=arm, known=asked, right=right))
    return tuple(found)


def _greedy(streams: tuple[Stream, ...]) -> Mapping[str, Stream]:
    return {one.prompt: one for one in streams if one.mode == "greedy"}


def _first_tokens(streams: tuple[Stream, ...]) -> list[tuple[str, int]]:
    """Each draw with its prompt: draws of different prompts are categories of their own."""
    return [(one.prompt, one.tokens[0]) for one in streams if one.mode == "sampled"]
