"""Byte-level tokenizer: one token a byte, six special tokens, and a printable name for every other id.

It needs no file and no download, covers any text, and fits every vocabulary from 262 ids up: ids 0..255 are the
bytes, 256..261 the special tokens, and the rest of the vocabulary (a synthetic model does generate it) prints as
``<|300|>``. `k3_decode.engine.tokenizer_files` writes the same tokenizer for transformers.
"""

import codecs
import hashlib
import json
import re
from collections.abc import Iterable, Sequence

from k3_decode.errors import K3Error

BYTES = 256

BOS, EOS, PAD, SYSTEM, USER, ASSISTANT = SPECIAL_TOKENS = (
    "<|bos|>",
    "<|eos|>",
    "<|pad|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
)
"""Ids 256, 257, … in this order."""

_SPECIAL_IDS = {token: BYTES + index for index, token in enumerate(SPECIAL_TOKENS)}
_SPECIAL_PATTERN = re.compile("(" + "|".join(map(re.escape, SPECIAL_TOKENS)) + ")")


class TokenizerError(K3Error):
    """Text or ids that the tokenizer cannot take."""


class ByteTokenizer:
    """Translates between text and token ids.

    Args:
        vocab_size: Ids of the model, at least 262.

    Raises:
        TokenizerError: The vocabulary is too small for the bytes and the special tokens.
    """

    def __init__(self, vocab_size: int) -> None:
        if vocab_size < BYTES + len(SPECIAL_TOKENS):
            raise TokenizerError(f"vocab_size: expected at least {BYTES + len(SPECIAL_TOKENS)}, got {vocab_size}")
        self.vocab_size = vocab_size
        self.bos_id = _SPECIAL_IDS[BOS]
        self.eos_id = _SPECIAL_IDS[EOS]
        self.pad_id = _SPECIAL_IDS[PAD]

    @property
    def digest(self) -> str:
        """SHA-256 that two tokenizers share exactly when they map text and ids alike."""
        facts = {"kind": "byte-level", "special_tokens": list(SPECIAL_TOKENS), "vocab_size": self.vocab_size}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def special_id(self, token: str) -> int:
        """Return the id of one of `SPECIAL_TOKENS`."""
        return _SPECIAL_IDS[token]

    def encode(self, text: str, *, special: bool = True) -> list[int]:
        """Turn text into ids.

        Args:
            text: Any text that UTF-8 can hold.
            special: Whether the spelling of a special token stands for that token. False for text from users that
                must not be able to forge a turn.

        Raises:
            TokenizerError: The text holds a lone surrogate.
        """
        try:
            if not special:
                return list(text.encode())
            ids: list[int] = []
            for part in _SPECIAL_PATTERN.split(text):
                ids += [_SPECIAL_IDS[part]] if part in _SPECIAL_IDS else part.encode()
        except UnicodeEncodeError as error:
            raise TokenizerError(f"text: not valid Unicode at index {error.start}") from error
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Turn ids into text; bytes that are not UTF-8 become U+FFFD."""
        return b"".join(map(self.token_bytes, ids)).decode(errors="replace")

    def token_bytes(self, token: int) -> bytes:
        """Return what one id adds to the text, as bytes.

        Raises:
            TokenizerError: The id is not in the vocabulary.
        """
        self.check([token])
        if token < BYTES:
            return bytes([token])
        if token < BYTES + len(SPECIAL_TOKENS):
            return SPECIAL_TOKENS[token - BYTES].encode()
        return f"<|{token}|>".encode()

    def printable(self, token: int) -> str:
        r"""Return a name for one id that no other id shares: logprobs are keyed by it.

        A byte that is not a character by itself reads ``bytes:\xe2``, as in OpenAI's answers.
        """
        text = self.token_bytes(token).decode(errors="replace")
        return text if text != "\ufffd" else f"bytes:\\x{token:02x}"

    def check(self, ids: Sequence[int]) -> None:
        """Refuse ids outside the vocabulary.

        Raises:
            TokenizerError: Names the first such id.
        """
        for token in ids:
            if not 0 <= token < self.vocab_size:
                raise TokenizerError(f"token id: expected 0..{self.vocab_size - 1}, got {token}")


class IncrementalDecoder:
    """Decodes a stream of ids; a character appears once its last byte is there, never in pieces."""

    def __init__(self, tokenizer: ByteTokenizer) -> None:
        self._tokenizer = tokenizer
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, token: int) -> str:
        """Add one id and return the characters it completes, possibly none."""
        return self._utf8.decode(self._tokenizer.token_bytes(token))

    def finish(self) -> str:
        """Return U+FFFD for a character that was left incomplete, else nothing."""
        return self._utf8.decode(b"", final=True)
