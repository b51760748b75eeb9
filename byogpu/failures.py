"""How the command fails: one line that says what and what to do, and an exit code (docs/exit-codes.md)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from worker.bundle import BundleError
from worker.errors import ExitCode, WorkerError
from worker.suites import UnknownSuiteError

if TYPE_CHECKING:
    from judge.rules import Finding

_USAGE_CODES = frozenset(
    {"archive_missing", "bundle_missing", "export_exists", "folder_exists", "key_exists", "key_invalid", "key_missing"}
)
"""Codes of the bundle format that are about what was asked for, not about a bundle's content."""

_WRITE_AGAIN = "let the worker write it again: `byogpu run`"
_CARRY_AGAIN = "export it again where it was measured, and copy the file whole: `byogpu export ID -o FILE`"
_NEXT_STEPS = {
    **dict.fromkeys(("json_invalid", "manifest_invalid", "manifest_not_canonical", "manifest_too_large"), _WRITE_AGAIN),
    **dict.fromkeys(("archive_bomb", "archive_entry_refused", "archive_invalid", "archive_too_large"), _CARRY_AGAIN),
    "bundle_missing": "`byogpu run` says where it left its bundle",
}
"""What to do about a bundle that cannot be opened; what rules find in one that can be says it by itself."""

_EXTRAS = {"server": "server", "fastapi": "server", "uvicorn": "server", "alembic": "server", "sqlalchemy": "server"}


@dataclass(frozen=True)
class Failure:
    """What the command says before it ends.

    Attributes:
        exit_code: See docs/exit-codes.md.
        code: Stable, see docs/errors.md.
        detail: For a person.
    """

    exit_code: ExitCode
    code: str
    detail: str


def failure_of(error: Exception) -> Failure | None:
    """Translate an exception; None: it is a defect of ours and deserves its traceback."""
    match error:
        case WorkerError():
            return Failure(error.exit_code, error.code, error.detail)
        case BundleError():
            exit_code = ExitCode.USAGE if error.code in _USAGE_CODES else ExitCode.FINDING
            step = f"; {_NEXT_STEPS[error.code]}" if error.code in _NEXT_STEPS else ""
            return Failure(exit_code, error.code, f"{error.detail}{step}")
        case UnknownSuiteError():
            return Failure(ExitCode.USAGE, "suite_unknown", str(error.args[0]))
        case ValidationError() if error.title == "Settings":
            first = error.errors(include_url=False, include_input=False)[0]
            name = "_".join(("BYOGPU", *(str(part) for part in first["loc"]))).upper()
            return Failure(ExitCode.USAGE, "settings_invalid", f"{name}: {first['msg']}")
        case ModuleNotFoundError() if (extra := _EXTRAS.get((error.name or "").split(".")[0])) is not None:
            detail = f"this needs {error.name}, which is not installed; install byogpu[{extra}]"
            return Failure(ExitCode.ENVIRONMENT, "package_missing", detail)
        case OSError() if error.errno is not None:  # a full disk is reported without the file's name
            where = "" if error.filename is None else f"{error.filename}: "
            return Failure(ExitCode.ENVIRONMENT, "file_unusable", f"{where}{error.strerror}")
        case _:
            return None


def found_problem(findings: "Iterable[Finding]") -> bool:
    """Whether findings end a command with 1: one of them takes evidence away from more than speed claims.

    That the specialized path did not run only limits what a bundle can prove; on a machine without a GPU it is the
    expected answer, and it is shown.
    """
    return any(finding.effect in ("invalidates", "quarantines", "blocks") for finding in findings)
