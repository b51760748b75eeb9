#!/usr/bin/env python3
"""Write worker/api.py and worker/agent/api.py: operations of docs/openapi.json as typed functions.

    scripts/write_client.py            # writes them
    scripts/write_client.py --check    # says whether one is out of date, and fails then

The first is for the worker and the command, the second for agents. A test runs the check, so they cannot drift.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "worker/api.py": (
        "get_health", "get_session", "post_device", "post_device_token", "revoke_token", "get_pull", "post_challenge",
        "abandon_challenge", "post_bundle", "announce_parts", "submit_bundle", "get_status", "post_node",
        "revoke_node", "list_own_nodes",
    ),
    "worker/agent/api.py": ("claim_job", "post_heartbeat", "post_progress", "finish_job", "fail_job"),
}  # fmt: skip
ANSWERS: Mapping[str, tuple[str, ...]] = {"worker/api.py": ("PartReceipt",)}
"""Answers that come otherwise: parts of uploads go to addresses that the server names."""
NEEDED: Mapping[str, tuple[str, ...]] = {
    "PullPage": ("pull", "claims"),
    "PullRef": ("repository_id", "repository", "number", "head_sha", "base_sha"),
    "Claim": ("id",),
    "ChallengeReceipt": ("id", "nonce", "plan_digest", "repository_id", "head_sha"),
    "ChallengeRef": ("fate",),
    "PartPlan": ("number", "offset", "size_bytes", "received"),
    "SessionPage": ("kind", "account", "scopes", "sign_in"),
    "TokenReceipt": ("id", "token", "expires_at"),
    "TokenItem": ("id",),
    "OwnNode": ("key_id", "owner", "registered_at", "revoked_at"),
    "ClaimAnswer": ("job", "hindrances", "ask_again_s"),
    "Grant": ("job_id", "token", "envelope", "heartbeat_s", "done"),
    "HeartbeatAnswer": ("cancel",),
    "JobPage": (),
}
"""Of large answers, the fields that are needed: what else they say may change without breaking an old worker."""
OPEN = (("Hindrance", "code"),)
"""Fields whose words a newer server may add to: any word is taken."""
SHARED: Mapping[str, tuple[str, ...]] = {"worker.bundle.job": ("EvalDone", "Offer")}
"""Records that the worker has anyway, by module."""
HEAD = '''"""The server's API as typed functions. Written by scripts/write_client.py, never by hand."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

{shared}from worker.messages import Answer, Body, Caller, at

# What is raised: see `worker.service.Service.ask`.
'''
Schema = dict[str, Any]
NUMBERS = {"integer": "int", "number": "float", "boolean": "bool"}
LIMITS = {
    "minLength": "min_length", "maxLength": "max_length", "minItems": "min_length", "maxItems": "max_length",
    "minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt", "pattern": "pattern",
}  # fmt: skip


class Client:
    """One description, turned into source text.

    Args:
        document: The OpenAPI document.
        target: Which module.
    """

    def __init__(self, document: Schema, target: str) -> None:
        self._target = target
        self._schemas: dict[str, Schema] = document["components"]["schemas"]
        self._operations = {
            operation["operationId"]: (method, path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }
        self._classes: dict[str, str] = {}

    def source(self) -> str:
        """Return the module's text, before it is formatted."""
        functions = [self._function(name) for name in OPERATIONS[self._target]]
        for name in ANSWERS.get(self._target, ()):
            self._record(name, base="Answer")
        written = "\n".join((*self._classes.values(), *functions))
        used = {
            module: [name for name in names if re.search(rf"\b{name}\b", written)] for module, names in SHARED.items()
        }
        imports = (f"from {module} import {', '.join(names)}\n" for module, names in used.items() if names)
        head = HEAD.format(shared="".join(imports))
        return "\n\n".join((head, *self._classes.values(), *functions))

    def _function(self, name: str) -> str:
        method, path, operation = self._operations[name]
        answer = self._answer(operation)
        arguments, given, query = ["caller: Caller"], [], []
        for parameter in operation.get("parameters", ()):
            hint = NUMBERS.get(parameter["schema"].get("type"), "str")
            if parameter["in"] == "path":
                arguments.append(f"{parameter['name']}: {hint}")
                given.append(f"{parameter['name']}={parameter['name']}")
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is not None:
            arguments.append(f"body: {self._type(body['schema'], base='Body')}")
        options = [one for one in operation.get("parameters", ()) if one["in"] == "query"]
        if options:
            arguments.append("*")
        for parameter in options:
            kinds = parameter["schema"].get("anyOf", [parameter["schema"]])
            arguments.append(f"{parameter['name']}: {NUMBERS.get(kinds[0].get('type'), 'str')} | None = None")
            query.append(f"{parameter['name']!r}: {parameter['name']}")
        address = f"at({path!r}, {', '.join(given)})" if given else repr(path)
        sent = ([", body=body"] if body is not None else []) + ([f", query={{{', '.join(query)}}}"] if query else [])
        call = f"caller.ask({method.upper()!r}, {address}, {answer}{''.join(sent)})"
        heading = f"def {name}({', '.join(arguments)}) -> {answer}:"
        return f'{heading}\n    """{operation["summary"]}."""\n    return {call}\n'

    def _answer(self, operation: Schema) -> str:
        for status, response in sorted(operation["responses"].items()):
            if status[0] == "2":
                return self._type(response["content"]["application/json"]["schema"], base="Answer")
        raise SystemExit(f"{operation['operationId']} has no answer")

    def _type(self, schema: Schema, *, base: str) -> str:
        match schema:
            case {"$ref": reference}:
                return self._record(reference.rpartition("/")[2], base=base)
            case {"anyOf": options}:
                return " | ".join("None" if one == {"type": "null"} else self._type(one, base=base) for one in options)
            case {"enum": values}:
                return f"Literal[{', '.join(map(repr, values))}]"
            case {"const": value}:
                return f"Literal[{value!r}]"
            case {"type": "string", "format": "date-time"}:
                return "AwareDatetime"
            case {"type": "string"}:
                return _limited("str", schema)
            case {"type": "array", "items": items}:
                return _limited(f"tuple[{self._type(items, base=base)}, ...]", schema)
            case {"type": "object", "additionalProperties": dict(values)}:
                return f"dict[str, {self._type(values, base=base)}]"
            case {"type": str(kind)} if kind in NUMBERS:
                return _limited(NUMBERS[kind], schema)
            case _:
                raise SystemExit(f"no type is known for {schema}")

    def _record(self, name: str, *, base: str) -> str:
        if any(name in names for names in SHARED.values()):
            return name
        schema = self._schemas[name]
        if "properties" not in schema:
            return self._type(schema, base=base)
        if name not in self._classes:
            self._classes[name] = ""  # holds the place while its fields are written: a record may hold itself
            fields = "\n".join(self._fields(name, schema, base=base))
            text = schema.get("description", "").split("\n\n")[0] or f"{name}."
            del self._classes[name]
            self._classes[name] = f'class {name}({base}):\n    """{text}"""\n\n{fields}\n'
        return name

    def _fields(self, name: str, schema: Schema, *, base: str) -> Iterator[str]:
        required = schema.get("required", ())
        for field, described in schema["properties"].items():
            if field not in NEEDED.get(name, (field,)):
                continue
            hint, own = self._type(described, base=base), _snake(field)
            hint = "str" if (name, field) in OPEN else hint
            if own != field:
                hint = f"Annotated[{hint}, Field(alias={field!r})]"
            default = "" if field in required else f" = {described.get('default')!r}"
            yield f"    {own}: {hint}{default}"
            if "description" in described:
                yield f'    """{described["description"]}"""'


def _limited(hint: str, schema: Schema) -> str:
    limits = {LIMITS[name]: value for name, value in schema.items() if name in LIMITS}
    if not limits:
        return hint
    whole = {
        name: int(value) if isinstance(value, float) and value.is_integer() else value for name, value in limits.items()
    }
    return f"Annotated[{hint}, Field({', '.join(f'{name}={_literal(value)}' for name, value in whole.items())})]"


def _literal(value: object) -> str:
    return f"r{value!r}" if isinstance(value, str) and "\\" in value else repr(value).replace("\\\\", "\\")


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def written(target: str) -> str:
    """Return what a module has to be."""
    document = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    ruff = str(Path(sys.executable).with_name("ruff"))
    command = [ruff, "format", "--stdin-filename", target, "-"]
    formatted = subprocess.run(
        command, input=Client(document, target).source(), text=True, check=True, capture_output=True, cwd=ROOT
    )
    return formatted.stdout


def main() -> None:
    """Write the modules, or compare them."""
    for target in OPERATIONS:
        text, path = written(target), ROOT / target
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{target} is out of date: run scripts/write_client.py")


if __name__ == "__main__":
    main()
