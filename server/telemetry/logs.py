"""Structured logs: every line with the request, bundle and task it belongs to, and without secrets."""

import logging
import re
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

import structlog
from pydantic import SecretStr
from structlog.contextvars import bound_contextvars, merge_contextvars

from server.settings import Settings

MASK = "[masked]"
_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?"
    r"|\bbyo_[tk]_[0-9a-f]+_[A-Za-z0-9_-]{8,}"
    r"|\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|(?i:(?<=bearer )|(?<=basic ))[^\s\"',]{4,}"
    r"|(?<=://)[^\s/:@\"']*:[^\s/@\"']+(?=@)"
    r"|(?<=[?&]X-Amz-Signature=)[^&\s\"']+"
)
"""Keys, our own credentials, GitHub's, JSON web tokens, authorization headers, secrets inside addresses."""


def configure(settings: Settings) -> None:
    """Send every log record of this process to standard error, one line each.

    Args:
        settings: For the level, the form, and the secrets that no line may show.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(settings))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(settings.log_level.upper())


def formatter(settings: Settings) -> logging.Formatter:
    """Make the lines: JSON for programs, or words for people."""
    last: structlog.typing.Processor
    if settings.log_format == "json":
        last = structlog.processors.JSONRenderer()
    else:
        last = structlog.dev.ConsoleRenderer(colors=False)
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            Masker(settings),
            last,
        ],
    )


@contextmanager
def bound(**ids: str | int) -> Iterator[None]:
    """Give every line that is logged inside the block these fields."""
    with bound_contextvars(**ids):
        yield


class Masker:
    """Takes secrets out of a line: those of the settings wherever they stand, others by their shape.

    Args:
        settings: Whose secrets to look for.
    """

    def __init__(self, settings: Settings) -> None:
        values = (getattr(settings, name) for name in type(settings).model_fields)
        known = [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
        self._known = re.compile("|".join(re.escape(one) for one in known if len(one) >= 8) or r"(?!)")

    def __call__(self, logger: Any, name: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """See `structlog.typing.Processor`."""
        return {key: self._masked(value) for key, value in event.items()}

    def _masked(self, value: Any) -> Any:
        if isinstance(value, bool | int | float) or value is None:
            return value
        return _SHAPES.sub(MASK, self._known.sub(MASK, str(value)))
