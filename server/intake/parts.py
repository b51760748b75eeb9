"""One part of a blob, from the wire into the store: size and digest enforced while it streams."""

import hashlib
import hmac
import re
from base64 import b64decode
from collections.abc import AsyncIterator

from server.errors import AppError
from server.intake.uploads import wrong_size
from server.storage import PartSink
from server.transfers import Transfers

_WRITE_BYTES = 1 << 18
_CONTENT_DIGEST = re.compile(r"sha-256=:([A-Za-z0-9+/]{43}=):")


def parse_content_digest(header: str) -> bytes:
    """Read the SHA-256 out of a ``Content-Digest`` header.

    Args:
        header: ``sha-256=:BASE64:``, perhaps among further algorithms.

    Raises:
        AppError: ``header_invalid``.

    Source:
        RFC 9530, section 2.
    """
    found = [match for entry in header.split(",") if (match := _CONTENT_DIGEST.fullmatch(entry.strip()))]
    if len(found) != 1:
        raise AppError("header_invalid", "Content-Digest: send exactly one sha-256=:BASE64: of the part.")
    return b64decode(found[0][1])


async def store(
    chunks: AsyncIterator[bytes], sink: PartSink, *, sizes: frozenset[int], sha256: bytes, threads: Transfers
) -> int:
    """Write a part and keep it if it is what it was said to be.

    Args:
        chunks: The body, already bounded.
        sink: Where it goes; keeps nothing unless told to.
        sizes: Sizes in bytes that the part may have.
        sha256: Digest it must have.
        threads: Where to hash and write.

    Returns:
        Its size in bytes.

    Raises:
        AppError: ``part_size_wrong``, ``part_digest_wrong``.
    """
    running = hashlib.sha256()
    size_bytes = 0
    pending = bytearray()

    def flush() -> None:
        running.update(pending)
        sink.write(bytes(pending))
        pending.clear()

    async for chunk in chunks:
        size_bytes += len(chunk)
        pending += chunk
        if len(pending) >= _WRITE_BYTES:
            await threads.run(flush)
    await threads.run(flush)
    if size_bytes not in sizes:
        raise wrong_size(size_bytes, sizes)
    if not hmac.compare_digest(running.digest(), sha256):
        raise AppError(
            "part_digest_wrong", f"The part's SHA-256 is {running.hexdigest()}, not what Content-Digest says."
        )
    await threads.run(sink.keep)
    return size_bytes
