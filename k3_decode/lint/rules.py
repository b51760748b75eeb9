"""The rules machine code is held to, each a sentence about one kernel.

Source: k3-decode.md section 2.6.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.lint.sass import Code, Load

VECTOR = 128
"""Bits of the accesses that contracts count."""


@dataclass(frozen=True)
class Finding:
    """One rule that a kernel breaks.

    Attributes:
        rule: Short name: ``wait``, ``early-load``, ``lost-prefetch``, ``missing-load``, ``brought``, ``copies``,
            ``poll``, ``spill``, ``narrow-stream`` or ``products``.
        detail: What was found.
    """

    rule: str
    detail: str


def check(code: Code, arguments: Sequence[Argument], contract: Contract) -> list[Finding]:
    """Return everything that is wrong with a kernel's code, nothing if nothing is.

    Args:
        code: Its machine code.
        arguments: Its tensors; parameter ``i`` is the address of argument ``i``.
        contract: What the kernel promises.
    """
    names = {index: argument.name for index, argument in enumerate(arguments)}
    return [
        *_waits(code),
        *_early_loads(code, arguments, names),
        *_counts(code, contract, names),
        *_brought(code, contract, names),
        *_copies(code, contract, names),
        *_narrow_streams(code, arguments),
        *_polls(code, contract),
        *_resources(code, contract),
    ]


def _waits(code: Code) -> list[Finding]:
    found = []
    if code.waits != 1:
        found.append(Finding("wait", f"expected one dependency wait, got {code.waits}"))
    if code.releases < 1:
        found.append(Finding("wait", "dependents are never released early"))
    return found


def _early_loads(code: Code, arguments: Sequence[Argument], names: dict[int, str]) -> list[Finding]:
    static = {index for index, argument in enumerate(arguments) if argument.static or argument.settled}
    return [
        Finding("early-load", f"{load.opcode} at {load.offset:#x} reads {_name(load, names)} before the wait")
        for load in code.loads
        if not load.after_wait and not (load.parameters and load.parameters <= static)
    ]


def _counts(code: Code, contract: Contract, names: dict[int, str]) -> list[Finding]:
    before, after = Counter[str](), Counter[str]()
    for load in code.loads:
        if load.bits == VECTOR:
            (after if load.after_wait else before)[_name(load, names)] += 1
    found = [
        Finding("lost-prefetch", f"expected {count} 16-byte loads of {name} before the wait, got {before[name]}")
        for name, count in contract.before_wait.items()
        if before[name] != count
    ]
    found += [
        Finding("missing-load", f"expected at least {count} 16-byte loads of {name} after the wait, got {after[name]}")
        for name, count in contract.after_wait.items()
        if after[name] < count
    ]
    return found


def _brought(code: Code, contract: Contract, names: dict[int, str]) -> list[Finding]:
    found = {_name(load, names) for load in code.brought if not load.after_wait}
    late = {_name(load, names) for load in code.brought if load.after_wait}
    if found == set(contract.brought) and not late:
        return []
    detail = f"expected {sorted(contract.brought)} brought into L2 before the wait, got {sorted(found)}"
    return [Finding("brought", f"{detail}, and {sorted(late)} after it" if late else detail)]


def _copies(code: Code, contract: Contract, names: dict[int, str]) -> list[Finding]:
    found = Counter(_name(load, names) for load in code.loads if load.bulk)
    return [
        Finding("copies", f"expected {contract.copies.get(name, 0)} bulk copies of {name}, got {found[name]}")
        for name in sorted({*found, *contract.copies})
        if found[name] != contract.copies.get(name, 0)
    ]


def _narrow_streams(code: Code, arguments: Sequence[Argument]) -> list[Finding]:
    streams = {index: argument.name for index, argument in enumerate(arguments) if argument.stream}
    return [
        Finding("narrow-stream", f"{load.opcode} at {load.offset:#x} reads {load.bits} bits of {_name(load, streams)}")
        for load in code.loads
        if load.parameters & set(streams) and load.bits < VECTOR and not load.bulk
    ]  # fmt: skip


def _polls(code: Code, contract: Contract) -> list[Finding]:
    strong = sum("STRONG.SYS" in load.opcode for load in code.loads)
    return [] if strong == contract.polls else [Finding("poll", f"expected {contract.polls} polls, got {strong}")]


def _resources(code: Code, contract: Contract) -> list[Finding]:
    found = []
    if code.local_accesses > contract.spill_budget:
        detail = f"expected at most {contract.spill_budget} accesses of local memory, got {code.local_accesses}"
        found.append(Finding("spill", detail))
    if code.products < contract.products:
        found.append(Finding("products", f"expected {contract.products} tensor-core products, got {code.products}"))
    return found


def _name(load: Load, names: dict[int, str]) -> str:
    return (
        " and ".join(names.get(index, f"parameter {index}") for index in sorted(load.parameters)) or "an unknown place"
    )
