"""Makes a copy of the package whose kernels stamp what they do, and builds it."""

import ast
import json
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Sequence

import k3_decode
from k3_decode.build.compiler import require_compiler
from k3_decode.errors import ArgumentError, K3Error
from k3_decode.kernels.operator import Operator
from k3_decode.timeline.stamp import SLOTS

SOURCE = "source"
KERNELS = "kernels"
"""Folders of a build: the instrumented package, and its kernels."""

_STAMP = "k3_decode.timeline.stamp"


def build(operators: Sequence[Operator], command: Sequence[str], folder: pathlib.Path) -> None:
    """Instrument, then compile in a process that imports the copy.

    Args:
        operators: What the process will compile.
        command: Arguments of ``python`` that compile them into the folder `KERNELS` of ``folder``.
        folder: What an earlier build left there is replaced.

    Raises:
        CompilerMissingError: CuTe DSL is not installed.
        K3Error: The compiler failed; it has said why on standard error.
    """
    require_compiler()
    for name in (SOURCE, KERNELS):
        shutil.rmtree(folder / name, ignore_errors=True)
    instrument(operators, folder / SOURCE)
    if run(command, folder / SOURCE):
        raise K3Error(f"{folder}: expected instrumented kernels, got a compiler that failed")


def run(command: Sequence[str], source: pathlib.Path) -> int:
    """Run ``python`` with the instrumented package in place of this one; return its exit status.

    Args:
        command: Its arguments; paths in them are absolute.
        source: Where the instrumented package lies.
    """
    return subprocess.run([sys.executable, *command], check=False, cwd=source).returncode


def instrument(operators: Sequence[Operator], target: pathlib.Path) -> None:
    """Copy the package and put stamps into its kernels.

    Args:
        operators: Kernels that get a slot of their own.
        target: Folder that gets the package.

    Raises:
        ArgumentError: A kernel does not wait for its predecessors through `wait_for_predecessors`, or ends early.
    """
    package = target / "k3_decode"
    shutil.copytree(pathlib.Path(k3_decode.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    slots = {operator.name: index for index, operator in enumerate(operators)}
    (package / "timeline" / SLOTS).write_text(json.dumps(slots), encoding="utf-8")
    for path in sorted((package / "kernels").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if _stamp_kernels(tree, path.name) or _stamp_wait(tree):
            path.write_text(f"# mypy: ignore-errors\n{ast.unparse(ast.fix_missing_locations(tree))}\n", "utf-8")


def _stamp_kernels(tree: ast.Module, file: str) -> bool:
    """Stamp the start and the end of every kernel of a module; tell whether there is one."""
    bodies = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(each) == "cute.kernel" for each in node.decorator_list)
    ]
    for body in bodies:
        if any(isinstance(node, ast.Return) for node in ast.walk(body)):
            raise ArgumentError("instrument", file, expected="a kernel with one end", got="a return statement")
        first = 1 if ast.get_docstring(body) is not None else 0
        body.body.insert(first, _statement("begin(self.name)"))
        body.body.append(_statement("stamp('ended')"))
    if bodies:
        tree.body.insert(1, _statement(f"from {_STAMP} import begin, stamp"))
    return bool(bodies)


def _stamp_wait(tree: ast.Module) -> bool:
    """Stamp both sides of the dependency wait, where a module defines it."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "wait_for_predecessors":
            # Imported when called: the stamps import parts of the kernels themselves.
            first = 1 if ast.get_docstring(node) is not None else 0
            node.body.insert(first, _statement("stamp('asked')"))
            node.body.insert(first, _statement(f"from {_STAMP} import stamp"))
            node.body.append(_statement("stamp('went')"))
            return True
    return False


def _statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]
