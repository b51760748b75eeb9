"""Disassembles a cubin and finds out which kernel parameter the address of each load comes from.

Addresses are followed through registers in program order: an instruction's results come from whatever its operands
come from; a loaded value comes from nowhere, so an index read from memory does not blur the pointer it is added to.
"""

import pathlib
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from k3_decode.errors import CompilerMissingError, K3Error

PARAMETER_BASE: dict[str, int] = {"sm_90a": 0x210, "sm_100a": 0x380, "sm_103a": 0x380}
"""Offset of the first kernel parameter in constant bank 0."""

_INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+((?:@!?U?P\w+\s+)?)([A-Z][\w.]*)\s*(.*?)\s*;")
_REGISTER = re.compile(r"\b(U?R)(\d+)\b(\.64)?")
_CONSTANT = re.compile(r"c\[0x0\]\[0x([0-9a-f]+)\]")
_DESCRIPTOR = re.compile(r"desc\[UR\d+\]")
_CONSTANT_LOADS = ("LDC", "LDCU", "ULDC")
_BULK = "UBLKCP"
_LOADS = ("LDG", "LDGSTS", "LD", _BULK, "UTMALDG")
_PREFETCH = "UBLKPF"
_NO_RESULT = (_PREFETCH, "ST", "STG", "STS", "STL", "STAS", "RED", "BRA", "EXIT", "BAR", "LDGSTS", _BULK, "UTMALDG")


@dataclass(frozen=True)
class Load:
    """One read of global memory.

    Attributes:
        offset: Where in the code, bytes.
        opcode: As disassembled.
        bits: Width of the access.
        after_wait: Whether the dependency wait comes before it.
        parameters: Indices of the 8-byte parameters its address comes from.
    """

    offset: int
    opcode: str
    bits: int
    after_wait: bool
    parameters: frozenset[int]

    @property
    def bulk(self) -> bool:
        """Whether the copy engine makes it, of any size."""
        return self.opcode.startswith(_BULK)


@dataclass(frozen=True)
class Code:
    """What a kernel's machine code shows.

    Attributes:
        loads: Reads of global memory, in program order.
        brought: What is brought into L2, in program order.
        waits: Dependency waits.
        releases: Releases of dependents.
        local_accesses: Instructions that touch local memory.
        products: Tensor-core instructions.
    """

    loads: tuple[Load, ...]
    brought: tuple[Load, ...]
    waits: int
    releases: int
    local_accesses: int
    products: int


def disassembler() -> pathlib.Path:
    """Find ``nvdisasm`` of requirements/gpu.txt.

    Raises:
        CompilerMissingError: It is not installed.
    """
    try:
        import nvidia
    except ModuleNotFoundError:
        roots: list[str] = []
    else:
        roots = list(nvidia.__path__)
    for root in roots:
        for path in sorted(pathlib.Path(root).glob("cu*/bin/nvdisasm")):
            return path
    raise CompilerMissingError("k3_decode.lint", expected="nvidia-cuda-nvdisasm (requirements/gpu.txt)", got="none")


def disassemble(cubin: pathlib.Path) -> str:
    """Return the text of a cubin's machine code.

    Raises:
        CompilerMissingError: No disassembler.
        K3Error: It refuses the file.
    """
    done = subprocess.run([str(disassembler()), "-c", str(cubin)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise K3Error(f"{cubin}: expected a cubin, got: {done.stderr.strip()}")
    return done.stdout


def read_code(text: str, architecture: str, *, pointers: int) -> Code:
    """Read disassembled code.

    Args:
        text: What `disassemble` returned.
        architecture: A key of `PARAMETER_BASE`.
        pointers: Leading parameters that are addresses; those after them are sizes and play no part.
    """
    base = PARAMETER_BASE[architecture]
    parameters = range(base, base + 8 * pointers)
    loads: list[Load] = []
    brought: list[Load] = []
    waits, releases, local, products = 0, 0, 0, 0
    origins: dict[str, frozenset[int]] = {}
    windows: set[str] = set()
    for offset, predicate, opcode, operands in _instructions(text):
        parts = opcode.split(".")
        name = parts[0]
        waits += name == "ACQBULK"
        releases += name == "PREEXIT"
        local += name in ("LDL", "STL")
        products += name in ("HMMA", "QMMA", "IMMA", "HGMMA", "QGMMA", "UTCHMMA", "UTCQMMA", "UTCOMMA")
        if (name in _LOADS or name == _PREFETCH) and not _in_shared_memory(name, operands, windows):
            address = operands if name not in ("LDG", "LD") else operands.partition(",")[2]
            if name == "LDGSTS":  # the first operand is the place in shared memory
                address = operands.partition(",")[2]
            if name == _BULK:  # so it is here, and the third is a size
                address = operands.split(",")[1]
            if name == _PREFETCH:  # the second operand is a size
                address = operands.partition(",")[0]
            found = _origin(_DESCRIPTOR.sub("", address), opcode, origins, parameters)
            (brought if name == _PREFETCH else loads).append(Load(offset, opcode, _bits(parts), waits > 0, found))
        _follow(name, parts, predicate, operands, origins, parameters)
        _follow_windows(name, operands, windows)
    return Code(tuple(loads), tuple(brought), waits, releases, local, products)


def _instructions(text: str) -> Iterator[tuple[int, str, str, str]]:
    for line in text.splitlines():
        match = _INSTRUCTION.match(line)
        if match:
            yield int(match[1], 16), match[2].strip(), match[3], match[4]


def _follow(
    name: str, parts: list[str], predicate: str, operands: str, origins: dict[str, frozenset[int]], parameters: range
) -> None:
    """Note where an instruction's results come from."""
    if name in _NO_RESULT or name.startswith("ATOM"):
        return
    first, _, rest = operands.partition(",")
    target = _REGISTER.fullmatch(first.strip())
    if target is None:
        return
    reads_memory = name in ("LDG", "LD", "LDS", "LDL", "SHFL")
    found = frozenset() if reads_memory else _origin(rest, ".".join(parts), origins, parameters)
    constant = _CONSTANT.search(rest) if name in _CONSTANT_LOADS else None
    for index in range(_result_words(name, parts)):
        if constant is not None:  # a load of 16 bytes brings two parameters
            offset = int(constant[1], 16) + 4 * index
            found = frozenset({(offset - parameters.start) // 8} if offset in parameters else ())
        register = f"{target[1]}{int(target[2]) + index}"
        origins[register] = found | origins.get(register, frozenset()) if predicate else found


def _in_shared_memory(name: str, operands: str, windows: set[str]) -> bool:
    """Tell whether a load reads the shared memory of the cluster: the upper half of its address names the window."""
    pair = _REGISTER.search(operands.partition(",")[2])
    return name == "LD" and pair is not None and f"{pair[1]}{int(pair[2]) + 1}" in windows


def _follow_windows(name: str, operands: str, windows: set[str]) -> None:
    """Note which registers hold the upper half of addresses of the cluster's shared memory."""
    first, _, rest = operands.partition(",")
    target = _REGISTER.fullmatch(first.strip())
    if target is None or name in _NO_RESULT:
        return
    register = f"{target[1]}{target[2]}"
    copied = name in ("MOV", "IMAD") and any(
        f"{kind}{number}" in windows for kind, number, _ in _REGISTER.findall(rest)
    )
    if copied or "SR_SWINHI" in rest:
        windows.add(register)
    else:
        windows.discard(register)


def _result_words(name: str, parts: list[str]) -> int:
    """Count the registers an instruction writes."""
    if name in ("LDG", "LD", "LDS", "LDL", *_CONSTANT_LOADS):
        return max(1, _bits(parts) // 32)
    return 2 if "WIDE" in parts or "64" in parts else 1


def _bits(parts: list[str]) -> int:
    for part in parts[1:]:
        if part in ("64", "128", "256"):
            return int(part)
        if part in ("U8", "S8"):
            return 8
        if part in ("U16", "S16"):
            return 16
    return 32


def _origin(operands: str, opcode: str, origins: dict[str, frozenset[int]], parameters: range) -> frozenset[int]:
    found: frozenset[int] = frozenset()
    every = operands.split(",")
    for position, operand in enumerate(every):
        # Of a widening product only the addend is a pair of registers.
        wide = ".64" in opcode or (".WIDE" in opcode and position == len(every) - 1)
        for kind, number, pair in _REGISTER.findall(operand):
            for index in range(2 if pair or wide else 1):
                found |= origins.get(f"{kind}{int(number) + index}", frozenset())
    for offset in _CONSTANT.findall(operands):
        if int(offset, 16) in parameters:
            found |= {(int(offset, 16) - parameters.start) // 8}
    return found
