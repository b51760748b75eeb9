"""Prompts for load: unlike one another from the first characters on, so that no prefix cache can help.

Worker and judge must make the same prompt of a seed, now and in later versions, so everything comes from SHAKE-256 and
nothing from a random number generator that may change.
"""

import hashlib

_WORDS = (
    "block", "branch", "buffer", "byte", "cache", "call", "class", "count", "cycle", "data", "delta", "edge",
    "error", "event", "field", "file", "flag", "frame", "gate", "graph", "hash", "index", "input", "item", "join",
    "key", "lane", "latent", "layer", "line", "list", "lock", "loop", "mask", "match", "merge", "mode", "name",
    "node", "norm", "null", "offset", "order", "page", "parse", "patch", "path", "plan", "point", "query", "queue",
    "read", "route", "row", "scale", "scan", "seed", "shape", "sort", "state", "step", "stream", "sum", "table",
    "task", "tensor", "test", "tile", "token", "trace", "tree", "type", "value", "vector", "wait", "weight", "zone",
)  # fmt: skip
_PREFIX_BYTES = 6
_SHORTEST_WORD = min(map(len, _WORDS))


def prompt(seed: str, *, characters: int) -> str:
    """Make a prompt of exactly that many ASCII characters, which the bundled tokenizer turns into as many tokens.

    Args:
        seed: Decides every character; two seeds differ within the first twelve.
        characters: Length.
    """
    enough = _PREFIX_BYTES + characters // (1 + _SHORTEST_WORD)
    stream = hashlib.shake_256(seed.encode()).digest(enough)
    words = (_WORDS[byte % len(_WORDS)] for byte in stream[_PREFIX_BYTES:])
    return " ".join((stream[:_PREFIX_BYTES].hex(), *words))[:characters]


def prompt_digest(text: str) -> str:
    """SHA-256 of a prompt, as request rows name it."""
    return hashlib.sha256(text.encode()).hexdigest()
