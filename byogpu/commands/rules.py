"""The sub-command about the rules."""

from typing import Annotated

import typer

from byogpu.commands.options import Json
from worker.errors import WorkerError


def rules(
    rule_id: Annotated[str | None, typer.Argument(metavar="RULE", help="Only this one, such as E-016.")] = None,
    as_json: Json = False,
) -> None:
    """List the rules that every bundle is checked by, here and on the server.

    Prints {edition, rules}, where the edition names the versions of all rules and limits together.
    """
    from byogpu.output import Output
    from judge.assess import edition
    from judge.rules import EFFECTS, RULES

    listed = [rule for rule in RULES if rule_id in (None, rule.id)]
    if not listed:
        raise WorkerError("usage", f"there is no rule {rule_id}; `byogpu rules` lists them")
    output = Output(as_json=as_json)
    fields = ("id", "family", "severity", "effect", "version", "title", "why", "hint", "bears_on")
    output.document(
        {"edition": edition(), "rules": [{name: getattr(rule, name) for name in fields} for rule in listed]}
    )
    if rule_id is None:
        columns = ("rule", "severity", "effect", "finds")
        output.table(f"{len(listed)} rules", columns, [(one.id, one.severity, one.effect, one.title) for one in listed])
        return
    for rule in listed:
        output.line(f"{rule.id}: {rule.title}", style="bold")
        output.line(rule.why)
        output.line(f"What to do: {rule.hint}")
        output.line(f"{rule.severity}, version {rule.version}. {EFFECTS[rule.effect]}", style="dim")
