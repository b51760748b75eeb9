"""Masking inside JSON that another tool wrote: values and keys are masked while they are values, never as text.

A document in which nothing has to be masked stays byte for byte what the tool wrote.
"""

import json
from typing import Any

from worker.bundle.redaction import Redactor


def redact_document(data: bytes, redactor: Redactor, *, where: str) -> bytes:
    """Mask every string of one JSON document.

    Args:
        data: The document.
        redactor: Decides what is masked, and keeps the receipt.
        where: What the document is, for the receipt.

    Raises:
        ValueError: It is no JSON.
    """
    value = json.loads(data)
    masked = _mask(value, redactor, where)
    return data if masked == value else json.dumps(masked, ensure_ascii=False).encode()


def redact_lines(data: bytes, redactor: Redactor, *, where: str) -> bytes:
    """Mask every string of newline-delimited JSON; lines with nothing to mask stay as they are.

    Raises:
        ValueError: A line is no JSON.
    """
    return b"".join(
        redact_document(line.rstrip(b"\n"), redactor, where=where) + b"\n" if line.strip() else line
        for line in data.splitlines(keepends=True)
    )


def _mask(value: Any, redactor: Redactor, where: str) -> Any:
    match value:
        case str():
            return redactor.text(value, where=where)
        case list():
            return [_mask(item, redactor, where) for item in value]
        case dict():
            return {redactor.text(key, where=where): _mask(item, redactor, where) for key, item in value.items()}
        case _:
            return value
