"""The part of YAML that claims may use: lists, mappings and plain values, each with its line."""

from collections.abc import Sequence

import yaml

MAX_EVENTS = 4_000
MAX_DEPTH = 6


class BlockError(Exception):
    """Something in a claims block is not what it should be.

    Attributes:
        code: Stable.
        detail: For a person; may quote up to 40 characters of the block.
        line: Where.
    """

    def __init__(self, code: str, detail: str, line: int) -> None:
        super().__init__(f"line {line}: {code}: {detail}")
        self.code = code
        self.detail = detail
        self.line = line


def compose(text: str, first_line: int) -> yaml.Node | None:
    """Parse one document into nodes; None if it is empty.

    Args:
        text: YAML.
        first_line: Line number of its first line.

    Raises:
        BlockError: ``yaml_invalid``, ``yaml_alias``, ``yaml_tag``, ``block_too_large``.
    """
    try:
        depth = 0
        for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
            line = _line_of(event, first_line)
            if count > MAX_EVENTS:
                raise BlockError("block_too_large", f"more than {MAX_EVENTS} parts", line)
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise BlockError("yaml_alias", "anchors and aliases are not allowed", line)
            if getattr(event, "tag", None):
                raise BlockError("yaml_tag", "tags are not allowed", line)
            opens = isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent)
            depth += opens - isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent)
            if depth > MAX_DEPTH:
                raise BlockError("yaml_invalid", "nested too deeply", line)
        node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        problem = str(getattr(error, "problem", None) or "not YAML")
        hint = '; a relation needs quotes: ">= 1.6x baseline"' if "=" in problem else ""
        raise BlockError("yaml_invalid", problem + hint, (mark.line if mark else 0) + first_line) from error
    return node


def mapping_of(node: yaml.Node, what: str, allowed: Sequence[str], first_line: int) -> dict[str, yaml.Node]:
    """The fields of a mapping.

    Raises:
        BlockError: ``not_a_mapping``, ``field_unknown``, ``field_repeated``.
    """
    line = node.start_mark.line + first_line
    if not isinstance(node, yaml.MappingNode):
        raise BlockError("not_a_mapping", f"{what} is a mapping with {', '.join(allowed)}", line)
    found: dict[str, yaml.Node] = {}
    for key_node, value in node.value:
        key = key_node.value if isinstance(key_node, yaml.ScalarNode) else "?"
        line = key_node.start_mark.line + first_line
        if key not in allowed:
            raise BlockError("field_unknown", f"{what} has no {key[:40]!r}; there are {', '.join(allowed)}", line)
        if key in found:
            raise BlockError("field_repeated", f"{key} occurs twice", line)
        found[key] = value
    return found


def text_of(node: yaml.Node, what: str, first_line: int) -> str:
    """A scalar as it was written.

    Raises:
        BlockError: ``not_a_text``.
    """
    if not isinstance(node, yaml.ScalarNode) or not node.value:
        raise BlockError("not_a_text", f"{what} is one value", node.start_mark.line + first_line)
    return str(node.value)


def _line_of(event: yaml.Event, first_line: int) -> int:
    return (event.start_mark.line if event.start_mark else 0) + first_line
