"""Families A and C, continued: token streams of both arms, and the slice of known prompts inside timed runs."""

from collections.abc import Iterator

from judge.agreement import ARMS, not_greedy, pairs, slice_scores, stream_facts
from judge.evidence import Evidence
from judge.rules.record import Found, rule
from judge.thresholds import MIN_SLICE, MIN_SLICE_SHARE, SAMPLES_ERROR
from worker.suites import Accuracy
from worker.suites.plan import plan_eval
from worker.suites.prompts import prompt, prompt_digest
from worker.suites.seeds import Seeds


@rule(
    "A-013",
    "error",
    "limits",
    title="Greedy answers part where the baseline was sure",
    hint="Find the first token that differs; the reference path says which arm is right.",
    bears_on=("speed", "accuracy"),
)
def greedy_streams_agree(evidence: Evidence) -> Iterator[Found]:
    """Rounding explains that nearly equal tokens change places, not that the clearly likeliest one loses."""
    for eval_id in dict.fromkeys(eval_id for eval_id, _ in evidence.streams):
        sure = [
            one for _, _, one in pairs(evidence, eval_id) if one is not None and one.kind == "confident_disagreement"
        ]
        if sure:
            first = min(sure, key=lambda one: one.position)
            gap = "" if first.gap_nats is None else f", by {first.gap_nats:.2f} nats"
            yield Found(
                f"{len(sure)} prompts, the earliest at token {first.position}{gap}",
                f"evals/{eval_id}/streams",
                eval_id=eval_id,
            )


@rule(
    "A-014",
    "error",
    "limits",
    title="Sampled answers come from different distributions",
    hint="Compare the log-probabilities of both arms; a wrong scale or mask shifts all of them.",
    bears_on=("speed", "accuracy"),
)
def samples_agree(evidence: Evidence) -> Iterator[Found]:
    """Sampling hides errors that greedy decoding would show, and shows as a shift of frequencies instead."""
    for one in stream_facts(evidence):
        if one.sampled is not None and one.sampled.p_value < SAMPLES_ERROR:
            yield Found(
                f"G {one.sampled.statistic:.1f} over {one.sampled.categories} categories, p {one.sampled.p_value:.2g}",
                f"evals/{one.eval_id}/streams",
                eval_id=one.eval_id,
            )


@rule(
    "A-015",
    "error",
    "blocks",
    title="A greedy token is not the likeliest",
    hint="Keep the streams as the server gave them, at temperature 0.",
    bears_on=("speed", "accuracy"),
)
def greedy_is_greedy(evidence: Evidence) -> Iterator[Found]:
    """A stream that its own log-probabilities contradict was edited, or was not decoded greedily."""
    for (eval_id, arm), streams in evidence.streams.items():
        wrong = [position for one in streams if (position := not_greedy(one)) is not None]
        if wrong:
            where = f"evals/{eval_id}/streams/{arm}"
            yield Found(f"{len(wrong)} streams, the first at token {wrong[0]}", where, eval_id=eval_id, arm=arm)


@rule(
    "A-016",
    "error",
    "limits",
    title="Token streams are missing or of other prompts",
    hint="Run the suite without changes, on a server that reports log-probabilities.",
    bears_on=("speed", "accuracy"),
)
def streams_complete(evidence: Evidence) -> Iterator[Found]:
    """Prompts that were left out or exchanged may be the ones on which the arms disagree."""
    for record in evidence.manifest.evals:
        plan = evidence.plan(record.id)
        if not isinstance(plan, Accuracy) or plan.streams is None or record.outcome.outcome != "completed":
            continue
        wanted = plan.streams
        challenge = evidence.manifest.challenge
        implied = None
        if challenge is not None:
            seeds = plan_eval(plan, Seeds(challenge.nonce)).seeds
            implied = {prompt_digest(prompt(seed, characters=wanted.input_tokens)) for seed in seeds}
        for arm in ARMS:
            found = evidence.streams.get((record.id, arm), ())
            greedy = {one.prompt for one in found if one.mode == "greedy"}
            drawn = {(one.prompt, one.draw) for one in found if one.mode == "sampled"}
            few = len(greedy) < wanted.prompts or len(drawn) < wanted.prompts * wanted.draws
            other = implied is not None and bool(({one.prompt for one in found}) - implied)
            if few or other:
                yield Found(
                    f"{len(greedy)} greedy and {len(drawn)} sampled continuations of the {arm}, "
                    f"{wanted.prompts} and {wanted.prompts * wanted.draws} were planned"
                    + (", some of prompts that the nonce does not give" if other else ""),
                    f"evals/{record.id}/streams/{arm}",
                    eval_id=record.id,
                    arm=arm,
                )


@rule(
    "C-013",
    "error",
    "blocks",
    title="Timed prompts were answered wrongly",
    hint="Time the model that the manifest names, and let it answer; compare with a run of the reference path.",
    bears_on=("speed", "accuracy"),
)
def slice_answered(evidence: Evidence) -> Iterator[Found]:
    """Some of the timed prompts have answers that the service knows; nobody can tell before the run which ones ride."""
    for one in slice_scores(evidence):
        if one.known >= MIN_SLICE and one.right < MIN_SLICE_SHARE * one.known:
            yield Found(
                f"the {one.arm} gave {one.right} of {one.known} known answers", f"requests/{one.arm}", arm=one.arm
            )


RULES = (greedy_streams_agree, samples_agree, greedy_is_greedy, streams_complete, slice_answered)
