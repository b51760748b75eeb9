"""The text of the GitHub check."""

from typing import Annotated, Literal

from pydantic import Field

from worker.bundle.record import Positive, Record

Conclusion = Literal["success", "failure", "neutral", "action_required"]


class Annotation(Record):
    """A remark on one line of a file of the pull request, as GitHub's checks API takes it."""

    path: str
    start_line: Positive
    end_line: Positive
    annotation_level: Literal["notice", "warning", "failure"]
    title: Annotated[str, Field(max_length=255)]
    message: Annotated[str, Field(max_length=4000)]


class CheckReport(Record):
    """What is published: everything already escaped and within GitHub's limits."""

    conclusion: Conclusion
    title: Annotated[str, Field(max_length=255)]
    summary: Annotated[str, Field(max_length=65_535)]
    text: Annotated[str, Field(max_length=65_535)]
    annotations: tuple[Annotation, ...]
