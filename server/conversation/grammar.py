"""The commands: one line, a few words, nothing guessed. Pure."""

import re
from dataclasses import dataclass

from server.heard import PREFIX

_SUITE = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}(?:/[1-9][0-9]{0,5})?")
_SHA = re.compile(r"[0-9a-f]{40}")
_JOB = re.compile(r"j-[0-9a-f]{16}")
_RULE = re.compile(r"[A-Z]-[0-9]{3}")


@dataclass(frozen=True)
class Run:
    """``run [SUITE] [at SHA]``: order a suite.

    Attributes:
        suite: None: the usual one.
        head_sha: The commit that is meant, in full: a short one could be made to fit another commit.
    """

    suite: str | None = None
    head_sha: str | None = None


@dataclass(frozen=True)
class Again:
    """``again``: order what the pull request was measured with before. Also the check's button."""


@dataclass(frozen=True)
class Status:
    """``status``: say where everything stands."""


@dataclass(frozen=True)
class Cancel:
    """``cancel [JOB]``: cancel one order, or all that are open."""

    job_id: str | None = None


@dataclass(frozen=True)
class Explain:
    """``explain [RULE]``: say what a rule is about and found here, or what all rules found."""

    rule_id: str | None = None


@dataclass(frozen=True)
class Waive:
    """``waive RULE because REASON``: let what a rule found pass at the head commit."""

    rule_id: str
    reason: str


@dataclass(frozen=True)
class Unwaive:
    """``unwaive RULE``: take that back."""

    rule_id: str


@dataclass(frozen=True)
class Help:
    """``help``: list the commands."""


@dataclass(frozen=True)
class Unknown:
    """Not a command.

    Attributes:
        reason: What is wrong with it; quotes nothing.
    """

    reason: str


Request = Run | Again | Status | Cancel | Explain | Waive | Unwaive | Help | Unknown

USAGE = (
    (f"{PREFIX} run [SUITE] [at SHA]", "order a suite for the head commit on nodes that volunteers lend"),
    (f"{PREFIX} again", "order the suites that were run here before, for the head commit"),
    (f"{PREFIX} status", "verdicts and orders, each with the reason why it waits"),
    (f"{PREFIX} cancel [JOB]", "cancel one order, or all that are open"),
    (f"{PREFIX} explain [RULE]", "what a rule is about, and what it found here"),
    (f"{PREFIX} waive RULE because REASON", "let what a rule found pass at the head commit; a push ends it"),
    (f"{PREFIX} unwaive RULE", "take that back"),
    (f"{PREFIX} help", "this list"),
)
"""Every command, and what it does."""


def parse(words: str) -> Request:
    """Read a command.

    Args:
        words: A line that begins with the prefix (`server.heard.first_line`).
    """
    if not words.isascii() or not words.isprintable():
        return Unknown("a command is made of plain letters and digits")
    match words.split(" ")[1:]:
        case [] | ["help"]:
            return Help()
        case ["run"]:
            return Run()
        case ["run", "at", sha]:
            return _run(None, sha)
        case ["run", suite]:
            return _run(suite, None)
        case ["run", suite, "at", sha]:
            return _run(suite, sha)
        case ["again"]:
            return Again()
        case ["status"]:
            return Status()
        case ["cancel"]:
            return Cancel()
        case ["cancel", job] if _JOB.fullmatch(job):
            return Cancel(job)
        case ["cancel", _]:
            return Unknown("a job is named like j-0123456789abcdef")
        case ["explain"]:
            return Explain()
        case ["explain", rule] if _RULE.fullmatch(rule):
            return Explain(rule)
        case ["explain", _]:
            return Unknown("a rule is named like P-001")
        case ["waive", rule, "because", *reason] if _RULE.fullmatch(rule) and "".join(reason):
            return Waive(rule, " ".join(reason).strip())
        case ["waive", *_]:
            return Unknown("a waiver names a rule and its reason: waive E-003 because ...")
        case ["unwaive", rule] if _RULE.fullmatch(rule):
            return Unwaive(rule)
        case ["unwaive", *_]:
            return Unknown("a rule is named like P-001")
        case ["run" | "again" | "status" | "cancel" | "explain" | "help", *_]:
            return Unknown("there is a word too many, or two spaces in a row")
        case _:
            return Unknown("there is no such command")


def _run(suite: str | None, sha: str | None) -> Request:
    if suite is not None and not _SUITE.fullmatch(suite):
        return Unknown("a suite is named like smoke or smoke/1")
    if sha is not None and not _SHA.fullmatch(sha):
        return Unknown("a commit is named by all 40 digits of its id")
    return Run(suite, sha)
