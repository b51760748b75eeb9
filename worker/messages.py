"""What the worker says to the server and hears from it: the roots that `worker.api` builds on."""

from collections.abc import Mapping
from typing import Protocol, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """What the worker needs of an answer; a newer server may say more."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True, populate_by_name=True)


class Body(BaseModel):
    """What the worker sends."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)


AnyAnswer = TypeVar("AnyAnswer", bound=Answer)


class Caller(Protocol):
    """Asks the server; `worker.service.Service` is it."""

    def ask(
        self,
        method: str,
        path: str,
        answer: type[AnyAnswer],
        *,
        body: BaseModel | None = None,
        query: Mapping[str, str | int | None] | None = None,
    ) -> AnyAnswer:
        """Send a request and check its answer."""
        ...


def at(template: str, **values: str | int) -> str:
    """Fill an address in; a value never adds a step to it."""
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})
