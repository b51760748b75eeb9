import ast
from pathlib import Path

import pytest

import worker
from worker.errors import CODES, EvalError, ExitCode, ServerError, TimeLimitError, WorkerError

RAISED = {"WorkerError", "EvalError", "ServerError", "UploadRefusedError"}


def raised_codes() -> set[str]:
    """Every literal code with which the worker's source makes an error."""
    codes = set()
    for path in Path(worker.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                codes |= {arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)}
    return codes


def test_every_code_the_source_raises_is_registered() -> None:
    assert raised_codes() <= CODES.keys()


def test_every_registered_code_is_raised_somewhere() -> None:
    assert CODES.keys() - raised_codes() - {"time_limit"} == set()


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
