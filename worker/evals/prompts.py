"""Prompts for load: unlike one another from the first characters on, so that no prefix cache can help."""

import random

_WORDS = (
    "block", "branch", "buffer", "byte", "cache", "call", "class", "count", "cycle", "data", "delta", "edge",
    "error", "event", "field", "file", "flag", "frame", "gate", "graph", "hash", "index", "input", "item", "join",
    "key", "lane", "latent", "layer", "line", "list", "lock", "loop", "mask", "match", "merge", "mode", "name",
    "node", "norm", "null", "offset", "order", "page", "parse", "patch", "path", "plan", "point", "query", "queue",
    "read", "route", "row", "scale", "scan", "seed", "shape", "sort", "state", "step", "stream", "sum", "table",
    "task", "tensor", "test", "tile", "token", "trace", "tree", "type", "value", "vector", "wait", "weight", "zone",
)  # fmt: skip
_PREFIX_CHARACTERS = 12


def prompt(seed: int, *, characters: int) -> str:
    """Make a prompt of exactly that many ASCII characters, which the bundled tokenizer turns into as many tokens.

    Args:
        seed: Decides every character; two seeds differ within the first twelve.
        characters: Length.
    """
    source = random.Random(seed)  # noqa: S311
    text = f"{source.getrandbits(4 * _PREFIX_CHARACTERS):0{_PREFIX_CHARACTERS}x}"
    while len(text) < characters:
        text += f" {source.choice(_WORDS)}"
    return text[:characters]
