"""Reading an object of an S3 store as a file."""

import io
from collections.abc import Callable
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError

from server.storage.store import StoreUnavailableError

_TRIES = 3


class Body(Protocol):
    """The rest of an object, as it arrives."""

    def read(self, amount: int) -> bytes:
        """Give up to that many bytes; none at the end."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


class ObjectReader(io.RawIOBase):
    """An object that never changes, read from any place on; a connection that breaks is made again where it broke.

    Args:
        fetch: Opens the object from an offset on.
        size_bytes: Of the object.
        body: The object from its start, if it is open already.
    """

    def __init__(self, fetch: Callable[[int], Body], size_bytes: int, body: Body | None = None) -> None:
        self._fetch = fetch
        self._size_bytes = size_bytes
        self._body = body
        self._position = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Where the next byte is read."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go on elsewhere; nothing is asked of the store before something is read."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size_bytes}[whence]
        if (position := max(0, start + offset)) != self._position:
            self._hang_up()
            self._position = position
        return position

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the next piece goes.

        Raises:
            StoreUnavailableError: The connection broke, again and again.
        """
        if self._position >= self._size_bytes:
            return 0
        for attempt in range(_TRIES):
            try:
                if self._body is None:
                    self._body = self._fetch(self._position)
                data = self._body.read(len(buffer))
            except (BotoCoreError, StoreUnavailableError) as error:
                self._hang_up()
                if attempt + 1 == _TRIES:
                    raise StoreUnavailableError(f"the store broke off: {type(error).__name__}") from error
                continue
            if data:
                buffer[: len(data)] = data
                self._position += len(data)
                return len(data)
            self._hang_up()  # it ended early without saying so
        raise StoreUnavailableError(f"the store ended an object of {self._size_bytes} bytes at {self._position}")

    def close(self) -> None:
        """Hang up."""
        self._hang_up()
        super().close()

    def _hang_up(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None
