"""Hostile contents: rows that no reader should take, secrets, and markup, each with the rule that must speak."""

import json
from collections.abc import Callable
from typing import Any

Cheat = Callable[[Any], None]
STEPS = "decode-step.steps.jsonl"
CONTENTS: list[tuple[str, tuple[str, ...], Cheat]] = []
"""Name, rules, and what is done to a valid bundle."""


def attack(name: str, *rules: str) -> Callable[[Cheat], Cheat]:
    """Register the function below."""

    def register(cheat: Cheat) -> Cheat:
        CONTENTS.append((name, rules, cheat))
        return cheat

    return register


def _rows_of(s: Any) -> list[bytes]:
    return [json.dumps(row).encode() for row in s.rows[("steps", "decode-step")]]


def _line(name: str, line: Callable[[bytes], bytes]) -> None:
    @attack(f"steps with {name}", "B-002")
    def _(s: Any) -> None:
        rows = _rows_of(s)
        s.replaced[STEPS] = b"\n".join([*rows[:3], line(rows[3]), *rows[4:]]) + b"\n"


_line("NaN", lambda row: row.replace(b'"latency_us": ', b'"latency_us": NaN, "x": '))
_line("Infinity", lambda row: row[:-1] + b', "y": Infinity}')
_line("a huge integer", lambda row: row[:-1].replace(b'"step": ', b'"step": ' + b"9" * 400) + b"}")
_line("a repeated key", lambda row: row[:-1] + b', "latency_us": 1.0}')
_line("invalid UTF-8", lambda row: row.replace(b"candidate", b"\xff\xfe").replace(b"baseline", b"\xff\xfe"))
_line("a byte order mark", lambda row: b"\xef\xbb\xbf" + row)
_line("deep nesting", lambda row: b"[" * 100_000)
_line("a line of ten megabytes", lambda row: row[:-1] + b', "z": "' + b"a" * 10_000_000 + b'"}')
_line("a boolean for a number", lambda row: row[:-1] + b', "latency_us": true}')
_line("a field of its own", lambda row: row[:-1] + b', "trusted": true}')


@attack("a secret in a value", "X-001")
def _(s: Any) -> None:
    s.manifest["environment"]["variables"].append({"name": "NOTE", "value": "ghp_" + "a1B2" * 9})


@attack("a secret in a key", "X-001")
def _(s: Any) -> None:
    s.arm("candidate")["engine_config"].append({"name": "ghp_" + "a1B2" * 9, "value": "on"})


def _kernel(name: str) -> dict[str, Any]:
    return {
        "cell": "decode-step.b1.c64", "arm": "baseline", "block": 16, "kernel": name, "launches": 1,
        "times_us": [320.0],
    }  # fmt: skip


def _markup(where: str, put: Callable[[Any, str], None]) -> None:
    @attack(f"markup in {where}", "X-002")
    def _(s: Any) -> None:
        put(s, "<img src=x onerror=alert(1)>")


_markup("the GPU's name", lambda s, text: s.manifest["environment"]["gpus"][0].update(name=text))
_markup("the model's name", lambda s, text: s.arm("candidate").update(model=text))
_markup("the engine's configuration", lambda s, text: s.arm("baseline")["engine_config"][0].update(value=text))
_markup("the CPU's name", lambda s, text: s.manifest["environment"].update(cpu_model=text))
_markup("a numerics case", lambda s, text: s.of("numerics", "numerics")[0].update(case=text))
_markup("a counter's name", lambda s, text: s.of("counters", "serving")[0].update(name=text))
_markup("a finish reason", lambda s, text: s.of("requests", "serving")[0].update(finish_reason=text))
_markup("a kernel's name", lambda s, text: s.rows[("kernel_times", "decode-step")].append(_kernel(text)))
_markup("the version of the worker", lambda s, text: s.manifest["producer"].update(worker_version=text))
