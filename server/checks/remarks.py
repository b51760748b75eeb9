"""What a check shows beside its text: findings as annotations, and buttons. Pure."""

from collections.abc import Iterable

from judge.assess import Assessment
from judge.rules import Severity
from server.github import CheckAction, CheckAnnotation
from server.github.records import AnnotationLevel
from server.heard import usual_suite

MAX_ANNOTATIONS = 200
"""Findings that the check shows, the gravest first; the bundles' pages have all."""
_LEVELS: dict[Severity, AnnotationLevel] = {"error": "failure", "warning": "warning"}


def annotations(bundles: Iterable[Assessment]) -> tuple[CheckAnnotation, ...]:
    """Errors and warnings of every bundle. They are about a bundle, not about a file: its id stands for the path."""
    found = [
        CheckAnnotation(
            path=f"bundles/{bundle.bundle_id[:16]}",
            start_line=1,
            end_line=1,
            level=_LEVELS[one.severity],
            title=f"{one.rule_id}: {one.title}",
            message=f"{one.where}: {one.detail}\n{one.hint}",
        )
        for bundle in bundles
        for one in bundle.findings
        if one.severity in _LEVELS
    ]
    return tuple(sorted(found, key=lambda one: one.level != "failure")[:MAX_ANNOTATIONS])


def buttons(presses: int) -> tuple[CheckAction, ...]:
    """What can be asked with the check: commands that `server.heard` notes, each good for one press.

    Args:
        presses: How often one was pressed before (`server.heard.buttons_pressed`).
    """
    usual, here = f"Run {usual_suite()}"[:20], "what was run here before"
    return (
        CheckAction(label=usual, description="Order it for this commit", identifier=f"run.{presses}"),
        CheckAction(label="Run again", description=f"Order {here}", identifier=f"again.{presses}"),
        CheckAction(label="Explain", description="Say what the rules found", identifier=f"explain.{presses}"),
    )
