"""Trust levels: how far a bundle's word goes."""

from typing import Annotated

from pydantic import Field

from worker.bundle.record import Label, Record

NAMES = ("unsigned", "signed", "challenge-bound", "reproduced", "project-run")


class TrustLevel(Record):
    """A level and the sentence that explains it."""

    level: Annotated[int, Field(ge=0, le=4)]
    name: Label
    reason: Label
