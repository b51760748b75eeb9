import ast
from pathlib import Path

import pytest

import byogpu
import worker
from worker.errors import CODES, EvalError, ExitCode, ServerError, TimeLimitError, WorkerError

RAISED = {"WorkerError", "EvalError", "ServerError"}


def nodes() -> list[ast.AST]:
    """The syntax trees of everything that raises the worker's errors, without the registry itself."""
    folders = [Path(package.__file__ or "").parent for package in (worker, byogpu)]
    paths = [path for folder in folders for path in folder.rglob("*.py") if path.name != "errors.py"]
    return [node for path in paths for node in ast.walk(ast.parse(path.read_text()))]


def raised_codes() -> set[str]:
    """Every literal code with which an error is made."""
    return {
        node.args[0].value
        for node in nodes()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED
        if node.args and isinstance(node.args[0], ast.Constant)
    }


def literals() -> set[str]:
    return {node.value for node in nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_every_code_the_source_raises_is_registered() -> None:
    assert raised_codes() <= CODES.keys()


def test_every_registered_code_is_used_somewhere() -> None:
    assert CODES.keys() - literals() - {"time_limit"} == set()


def test_an_unregistered_code_cannot_be_made() -> None:
    with pytest.raises(KeyError):
        WorkerError("no_such_code", "detail")


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (WorkerError("usage", "bad option"), 2),
        (WorkerError("tree_missing", "no package"), 3),
        (EvalError("process_ended", "ended with signal 9"), 1),
        (ServerError("server_unreachable", "refused", status=None), 4),
        (TimeLimitError(3.0), 1),
    ],
)
def test_each_error_names_its_exit_code(error: WorkerError, exit_code: int) -> None:
    assert error.exit_code == exit_code
    assert str(error) == f"{error.code}: {error.detail}"


def test_exit_codes_are_the_documented_ones() -> None:
    assert [code.value for code in ExitCode] == [0, 1, 2, 3, 4]
