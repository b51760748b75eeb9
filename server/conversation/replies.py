"""Answers as Markdown: everything that anybody wrote is escaped. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judge.markdown import Markdown, code, escape, link, shorten, table
from judge.rules import EFFECTS, Finding, Rule
from judge.verdict import Verdict
from judge.waiver import Waiver
from server.conversation.grammar import USAGE
from server.github import Reaction
from server.waiting import JobRef

MAX_FINDINGS = 10
MAX_JOBS = 10


@dataclass(frozen=True)
class Reply:
    """What is answered.

    Attributes:
        reaction: Shown at the comment.
        body: Markdown; empty: the reaction says it all.
    """

    reaction: Reaction
    body: str


@dataclass(frozen=True)
class Found:
    """A finding and the page of the bundle it is about."""

    finding: Finding
    bundle_id: str
    url: str


def refused(reason: str) -> Reply:
    """Say why something is not done."""
    return Reply("-1", f"Not done: {escape(shorten(reason, 500))}")


def not_understood(reason: str) -> Reply:
    """Say what is wrong with a command, and what there is."""
    return Reply("confused", f"Not understood: {escape(reason)}.\n\n{_usage()}")


def commands() -> Reply:
    """List the commands."""
    who = "Ordering, cancelling and waiving need write permission. An order is bound to one commit; a push ends it."
    return Reply("eyes", f"{_usage()}\n\n{who}")


def ordered(jobs: Sequence[JobRef], head_sha: str, url: str) -> Reply:
    """Say what was ordered, and how it stands."""
    lines = [f"- {code(job.suite)} {code(job.id)}: {_standing(job)}" for job in jobs]
    return Reply("rocket", "\n".join((f"Ordered for {code(head_sha)}:", "", *lines, "", link("All orders", url))))


def cancelled(jobs: Sequence[str]) -> Reply:
    """Say what was cancelled."""
    if not jobs:
        return Reply("eyes", "There is no open order.")
    return Reply("+1", "Cancelled: " + ", ".join(code(job) for job in jobs) + ".")


def waived(waiver: Waiver) -> Reply:
    """Say what was let pass, and for how long."""
    until = "It ends with the next push; claims are judged again now."
    return Reply(
        "+1", f"Waiver {waiver.number}: findings of {code(waiver.rule_id)} at {code(waiver.head_sha)}. {until}"
    )


def unwaived(rule_id: str, numbers: Sequence[int]) -> Reply:
    """Say which waivers were taken back."""
    if not numbers:
        return Reply("eyes", f"No waiver of {code(rule_id)} holds at the head.")
    return Reply("+1", f"Withdrawn: waiver {', '.join(map(str, numbers))}. Claims are judged again now.")


def status(*, head_sha: str, judged: bool, verdicts: Sequence[Verdict], jobs: Sequence[JobRef], url: str) -> Reply:
    """Say where everything stands.

    Args:
        head_sha: The head commit.
        judged: Whether the verdicts are about it.
        verdicts: As last judged.
        jobs: Newest first.
        url: Page of the pull request.
    """
    parts: list[str] = [f"Head {code(head_sha)} · {link('everything about it', url)}"]
    if not judged:
        parts.append("The verdicts are about an older commit; new ones are being made.")
    if verdicts:
        rows = [
            (code(one.claim_id), escape(one.outcome.replace("_", " ")), escape(shorten(one.reason, 200)))
            for one in verdicts
        ]
        parts.append(table([Markdown("claim"), Markdown("verdict"), Markdown("why")], rows))
    else:
        parts.append("There is no claim that could be judged.")
    if jobs:
        lines = [(code(one.id), code(one.suite), _standing(one)) for one in jobs[:MAX_JOBS]]
        parts.append(table([Markdown("order"), Markdown("suite"), Markdown("how it stands")], lines))
    else:
        parts.append("Nothing was ordered.")
    return Reply("eyes", "\n\n".join(parts))


def explained(rule: Rule, found: Sequence[Found], url: str) -> Reply:
    """Say what a rule is about and what it found here."""
    parts = [
        f"**{escape(rule.id)}: {escape(rule.title)}**",
        escape(rule.why),
        f"What follows: {escape(EFFECTS[rule.effect])} What to do: {escape(rule.hint)} {link('More', url)}",
        _findings(found) or "It has found nothing in the evidence for this pull request.",
    ]
    return Reply("eyes", "\n\n".join(parts))


def explained_all(found: Sequence[Found]) -> Reply:
    """Say what all rules found here."""
    return Reply("eyes", _findings(found) or "No rule has found anything in the evidence for this pull request.")


def _findings(found: Sequence[Found]) -> str:
    if not found:
        return ""
    lines = [
        f"- {escape(one.finding.rule_id)} in bundle {link(one.bundle_id[:12], one.url)}, "
        f"{escape(one.finding.where)}: {escape(shorten(one.finding.detail, 300))} "
        f"*{escape(shorten(one.finding.hint, 200))}*"
        for one in found[:MAX_FINDINGS]
    ]
    more = len(found) - len(lines)
    return "\n".join((*lines, *_more(more)))


def _more(count: int) -> Iterable[str]:
    if count > 0:
        yield f"- {count} more on the page of the pull request"


def _standing(job: JobRef) -> Markdown:
    return escape(shorten(f"{job.state}: {job.reason}" if job.reason else job.state, 300))


def _usage() -> str:
    rows = [(code(command), escape(meaning)) for command, meaning in USAGE]
    return table([Markdown("first line of a comment"), Markdown("what it does")], rows)
