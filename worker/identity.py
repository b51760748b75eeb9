"""Who an engine says it is: the answer of ``/identity`` and of the bench session's ``identity``."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from worker.bundle import BundleError, check_json
from worker.bundle.record import Sha256, Unknown
from worker.bundle.schema import ConfigEntry
from worker.errors import EvalError

MAX_ENTRIES = 1_000
_HEX = set("0123456789abcdef")


@dataclass(frozen=True)
class EngineIdentity:
    """What decides an engine's answers.

    Attributes:
        model: Name of the model configuration.
        quantization: Format of the weights.
        weights_digest: Digest of the weights, or of what synthetic ones are drawn from.
        tokenizer_digest: Digest of the tokenizer.
        chat_template_digest: Digest of the chat template.
        config: Every value of the answer by its dotted path, sorted.
    """

    model: str | Unknown
    quantization: str | Unknown
    weights_digest: Sha256 | Unknown
    tokenizer_digest: Sha256 | Unknown
    chat_template_digest: Sha256 | Unknown
    config: tuple[ConfigEntry, ...]


UNKNOWN_ENGINE = EngineIdentity(
    model="unknown",
    quantization="unknown",
    weights_digest="unknown",
    tokenizer_digest="unknown",
    chat_template_digest="unknown",
    config=(),
)
"""What is known of an engine that never answered."""


def combine(identities: Sequence[EngineIdentity]) -> EngineIdentity:
    """Say who an arm's engine was throughout a run.

    Args:
        identities: What each eval was told; a server says more than a bench session, having limits of its own.

    Returns:
        The fullest answer, with ``unknown`` wherever two evals were told different things.
    """
    fullest = max(identities, key=lambda identity: len(identity.config), default=UNKNOWN_ENGINE)

    def agreed(value: str, others: Iterable[str]) -> str:
        return value if set(others) <= {value} else "unknown"

    return EngineIdentity(
        model=agreed(fullest.model, (one.model for one in identities)),
        quantization=agreed(fullest.quantization, (one.quantization for one in identities)),
        weights_digest=agreed(fullest.weights_digest, (one.weights_digest for one in identities)),
        tokenizer_digest=agreed(fullest.tokenizer_digest, (one.tokenizer_digest for one in identities)),
        chat_template_digest=agreed(fullest.chat_template_digest, (one.chat_template_digest for one in identities)),
        config=fullest.config,
    )


def parse_identity(data: bytes) -> EngineIdentity:
    """Read an identity; a field that is missing or has another shape is ``unknown``.

    Raises:
        EvalError: ``answer_invalid``: no JSON object, or one with more than `MAX_ENTRIES` values.
    """
    try:
        answer = check_json(data)
    except BundleError as error:
        raise EvalError("answer_invalid", f"identity: {error.detail}") from error
    if not isinstance(answer, dict):
        raise EvalError("answer_invalid", "identity: not an object")
    # One entry, named `decode`, says which path was asked for: the one entry in which the arms are meant to differ.
    # What rules the path out is in the ledger, with counts.
    decode = answer.pop("decode", None)
    if isinstance(decode, dict):
        answer["decode"] = decode.get("mode", "unknown")
    values = dict(sorted(_leaves(answer, "")))
    if len(values) > MAX_ENTRIES:
        raise EvalError("answer_invalid", f"identity: more than {MAX_ENTRIES} values")
    return EngineIdentity(
        model=_line(values.get("model.name", "")),
        quantization=_line(values.get("weights.format", "")),
        weights_digest=_sha256(values.get("weights.sha256", "")),
        tokenizer_digest=_sha256(values.get("tokenizer_sha256", "")),
        chat_template_digest=_sha256(values.get("chat_template_sha256", "")),
        config=tuple(
            ConfigEntry(name=printable(name)[:200], value=printable(text)[:4096]) for name, text in values.items()
        ),
    )


def printable(text: str) -> str:
    """Text on one line: whatever is not printable becomes ``?``."""
    return "".join(c if c.isprintable() else "?" for c in text)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif path:
        yield path, value if isinstance(value, str) else json.dumps(value)


def _line(text: str) -> str | Unknown:
    return printable(text)[:200] or "unknown"


def _sha256(text: str) -> Sha256 | Unknown:
    return text if len(text) == 64 and set(text) <= _HEX else "unknown"
