"""Every random choice of a run, drawn from one nonce: the same nonce gives the same prompts and contexts."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Seeds:
    """Derives seeds.

    Attributes:
        nonce: The challenge's nonce, or a drawn one.
    """

    nonce: str

    @classmethod
    def draw(cls) -> Self:
        """Take a fresh nonce: no two runs share a prompt, so no cache can answer one."""
        return cls(secrets.token_urlsafe(32))

    def integer(self, *label: str | int) -> int:
        """A seed in 0 … 2^63 - 1 for one purpose, such as ``("decode-step", cell, 3)``."""
        digest = hashlib.sha256("\0".join((self.nonce, *map(str, label))).encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 1
