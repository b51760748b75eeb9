"""Secrets and private data: masked before anything is serialised, searched for again on the server.

Masking works on values while they are still values; masking serialised text breaks JSON and digests.
The patterns demand the shape of a real credential, so that prose about tokens stays readable.
"""

import getpass
import re
import socket
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worker.bundle.schema import Masked, RedactionReceipt

RULES_VERSION = 1

_COMPOUNDS = (("api", "key"), ("access", "token"), ("auth", "token"))
_PATTERNS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private_key",
        ("private key-----",),
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]{0,8192}(?:-----END [A-Z ]*PRIVATE KEY-----)?",
    ),
    (
        "github_token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b",
    ),
    ("byogpu_token", ("byo_t_", "byo_k_"), r"\bbyo_[tk]_[0-9a-f]{12}_[A-Za-z0-9_-]{43}"),
    ("hugging_face_token", ("hf_",), r"\bhf_[A-Za-z0-9]{30,60}\b"),
    ("aws_access_key", ("akia", "asia"), r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("model_api_key", ("sk-",), r"\bsk-(?:[a-z]+-)?[A-Za-z0-9_-]{32,200}\b"),
    ("slack_token", ("xox",), r"\bxox[abprs]-[A-Za-z0-9-]{20,200}\b"),
    (
        "json_web_token",
        ("eyj",),
        r"\beyJ[A-Za-z0-9_-]{15,2000}\.eyJ[A-Za-z0-9_-]{15,4000}\.[A-Za-z0-9_-]{20,1000}\b",
    ),
    ("url_password", ("://",), r"(?<=://)[^\s/:@\"']{1,100}:[^\s/@\"']{3,200}(?=@)"),
    (
        "signed_url",
        ("signature=", "sig="),
        r"(?<=[?&])(?:X-Amz-Signature|X-Goog-Signature|sig)=[A-Za-z0-9%/+=_-]{20,500}",
    ),
    ("authorization", ("bearer ", "basic "), r"(?i)\b(?:bearer|basic) [A-Za-z0-9._~+/-]{20,2000}=*"),
    (
        "assigned_secret",
        (
            *("password", "passwd", "secret"),
            *(f"{word}{joint}{end}" for word, end in _COMPOUNDS for joint in ("", "_", "-")),
        ),
        r"(?i)(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)"
        r"[\"']?\s{0,3}[=:]\s{0,3}[\"']?[A-Za-z0-9/+_=.~-]{12,200}",
    ),
)
"""Kind; texts, in lower case, of which a place must hold one before the pattern is worth trying; the pattern."""

_COMPILED = tuple((kind, re.compile(pattern)) for kind, _, pattern in _PATTERNS)
_COMPILED_BYTES = tuple(
    (kind, tuple(needle.encode() for needle in needles), re.compile(pattern.encode()))
    for kind, needles, pattern in _PATTERNS
)
_WINDOW_BYTES = 1 << 20
_OVERLAP_BYTES = 10_000


@dataclass(frozen=True)
class Hit:
    """A place that looks like a secret.

    Attributes:
        kind: Which pattern.
        offset: Byte offset of the match. What matched is never repeated.
    """

    kind: str
    offset: int


class Redactor:
    """Masks secrets and this machine's own names, and counts what it masked.

    Args:
        private: Further strings that must not leave the machine, with the kind each is reported as. The host's
            name, the user's name and the home folder are always among them.
    """

    def __init__(self, private: dict[str, str] | None = None) -> None:
        own = {
            str(Path.home()): "home_folder",
            socket.gethostname(): "host_name",
            getpass.getuser(): "user_name",
        }
        wanted = {**own, **(private or {})}
        ordered = sorted((text for text in wanted if len(text) >= 4), key=len, reverse=True)
        self._private = tuple((wanted[text], re.compile(rf"(?<![\w]){re.escape(text)}(?![\w])")) for text in ordered)
        self._masked: Counter[tuple[str, str]] = Counter()

    def text(self, value: str, *, where: str) -> str:
        """Return ``value`` with every secret replaced by ``[masked KIND]``.

        Args:
            value: Any text.
            where: What the text is, for the receipt: ``log``, ``variable PATH``.
        """
        for kind, pattern in (*_COMPILED, *self._private):
            value, count = pattern.subn(f"[masked {kind}]", value)
            if count:
                self._masked[(where, kind)] += count
        return value

    def add(self, receipt: RedactionReceipt) -> None:
        """Count what was masked before, in a run that this one goes on with."""
        self._masked.update({(one.where, one.kind): one.count for one in receipt.masked})

    def receipt(self) -> RedactionReceipt:
        """What has been masked so far."""
        return RedactionReceipt(
            rules_version=RULES_VERSION,
            masked=tuple(
                Masked(where=where, kind=kind, count=count) for (where, kind), count in sorted(self._masked.items())
            ),
        )


def scan(data: bytes) -> tuple[Hit, ...]:
    """Find what looks like a secret, in windows so that a long line costs no more than a short one."""
    return tuple(sorted(set(_scan(data)), key=lambda hit: (hit.offset, hit.kind)))


def _scan(data: bytes) -> Iterator[Hit]:
    for start in range(0, max(len(data), 1), _WINDOW_BYTES):
        window = data[start : start + _WINDOW_BYTES + _OVERLAP_BYTES]
        lower = window.lower()
        for kind, needles, pattern in _COMPILED_BYTES:
            if not any(needle in lower for needle in needles):
                continue
            for match in pattern.finditer(window):
                yield Hit(kind, start + match.start())
