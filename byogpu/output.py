"""What a command prints: a table or a line for people, or one JSON document for programs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text


class Output:
    """Standard output of one command.

    Args:
        as_json: Print one JSON document instead of words; words then go nowhere.
        console: Where words go.
    """

    def __init__(self, *, as_json: bool, console: Console | None = None) -> None:
        self.as_json = as_json
        self._console = console or Console(highlight=False)

    def document(self, value: BaseModel | Mapping[str, Any] | Sequence[Any]) -> None:
        """Print the JSON document, if that is what was asked for."""
        if self.as_json:
            print(json.dumps(_plain(value), indent=2, ensure_ascii=False))

    def line(self, text: str, *, style: str = "") -> None:
        """Print a line for people; the text is shown as it is, markup in it means nothing."""
        if not self.as_json:
            self._console.print(Text(text, style=style), soft_wrap=True)

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print a table for people."""
        if self.as_json:
            return
        table = Table(title=Text(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
        for place, column in enumerate(columns):
            last = place == len(columns) - 1
            table.add_column(column, overflow="fold", no_wrap=place > 0 and not last)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self._console.print(table)


def _plain(value: Any) -> Any:
    match value:
        case BaseModel():
            return value.model_dump(mode="json")
        case Mapping():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case str() | int() | float() | bool() | None:
            return value
        case Sequence():
            return [_plain(inner) for inner in value]
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form here")
