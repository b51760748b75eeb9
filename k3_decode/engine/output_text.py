"""The text of one answer while it grows: whole characters only, cut before a stop string."""

from collections.abc import Sequence

from k3_decode.engine.tokenizer import ByteTokenizer, IncrementalDecoder


class OutputText:
    """Collects generated tokens as text and says what may be shown already.

    Text that could still turn into a stop string is held back, so whoever joins the pieces of `take` reads exactly
    `text`, whatever the token boundaries.

    Args:
        tokenizer: Decodes the tokens.
        stop: Stop strings, none of them empty.

    Attributes:
        text: The answer so far, without the stop string.
        stopped_by: The stop string that ended it, or None.
    """

    def __init__(self, tokenizer: ByteTokenizer, *, stop: Sequence[str] = ()) -> None:
        self.text = ""
        self.stopped_by: str | None = None
        self._decoder = IncrementalDecoder(tokenizer)
        self._stop = tuple(stop)
        self._overlap = max((len(each) for each in stop), default=1) - 1
        self._taken = 0
        self._finished = False

    def push(self, token: int) -> bool:
        """Add a token; return whether a stop string is now complete."""
        self._append(self._decoder.push(token))
        return self.stopped_by is not None

    def finish(self) -> None:
        """Declare the answer complete: nothing is held back any more."""
        if self.stopped_by is None:
            self._append(self._decoder.finish())
        self._finished = True

    def take(self) -> str:
        """Return the text that may be shown and was not taken before."""
        end = len(self.text) if self._finished or self.stopped_by else len(self.text) - self._held_back()
        piece, self._taken = self.text[self._taken : end], max(end, self._taken)
        return piece

    def _append(self, piece: str) -> None:
        start = max(0, len(self.text) - self._overlap)
        self.text += piece
        found = [(index, stop) for stop in self._stop if (index := self.text.find(stop, start)) >= 0]
        if found:
            index, self.stopped_by = min(found)
            self.text = self.text[:index]

    def _held_back(self) -> int:
        """Length of the longest tail of the text that begins a stop string."""
        for length in range(min(self._overlap, len(self.text)), 0, -1):
            tail = self.text[-length:]
            if any(stop.startswith(tail) for stop in self._stop):
                return length
        return 0
