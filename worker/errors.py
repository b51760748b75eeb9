"""What can go wrong in the worker, by stable code, and the exit code each one gives the command."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """How `byogpu` ends."""

    OK = 0
    """It worked and found nothing wrong."""
    FINDING = 1
    """It worked and found a problem: an eval that failed, a rule that was broken, a bundle refused on its merits."""
    USAGE = 2
    """The command line or a file named on it is wrong."""
    ENVIRONMENT = 3
    """This machine cannot do it."""
    NETWORK = 4
    """The server could not be reached, or did not do its part."""


@dataclass(frozen=True)
class CodeEntry:
    """One row of the registry: the exit code that a code gives, and what it means."""

    exit_code: ExitCode
    title: str


CODES: Mapping[str, CodeEntry] = {
    "usage": CodeEntry(ExitCode.USAGE, "an option or argument is wrong"),
    "suite_unknown": CodeEntry(ExitCode.USAGE, "no published suite has that name"),
    "code_differs": CodeEntry(ExitCode.USAGE, "the code that is to be run again is not the code that was measured"),
    "not_signed_in": CodeEntry(ExitCode.USAGE, "nobody is signed in at this server"),
    "out_not_empty": CodeEntry(ExitCode.USAGE, "the output folder exists and is not empty"),
    "import_missing": CodeEntry(ExitCode.USAGE, "a file to import does not exist or cannot be read"),
    "import_too_large": CodeEntry(ExitCode.USAGE, "a file to import is larger than is taken"),
    "import_invalid": CodeEntry(ExitCode.USAGE, "a file to import is not what its tool writes"),
    "import_wrong_tool": CodeEntry(
        ExitCode.USAGE, "a file to import was written by another tool, or in another format"
    ),
    "import_incomplete": CodeEntry(ExitCode.USAGE, "a file to import lacks something that a bundle needs"),
    "import_ambiguous": CodeEntry(ExitCode.USAGE, "a folder to import holds more than one result of a kind"),
    "import_inconsistent": CodeEntry(ExitCode.USAGE, "files to import contradict one another"),
    "import_secret": CodeEntry(ExitCode.USAGE, "a file to import holds what looks like a secret"),
    "credentials_exposed": CodeEntry(ExitCode.ENVIRONMENT, "other users can read the file with the tokens"),
    "credentials_invalid": CodeEntry(ExitCode.ENVIRONMENT, "the file with the tokens cannot be read"),
    "launcher_missing": CodeEntry(ExitCode.ENVIRONMENT, "an arm's Python does not exist or does not start"),
    "tree_missing": CodeEntry(ExitCode.ENVIRONMENT, "an arm's source tree holds no k3_decode package"),
    "state_invalid": CodeEntry(ExitCode.ENVIRONMENT, "the file that counts attempts cannot be read"),
    "work_folder_unusable": CodeEntry(ExitCode.ENVIRONMENT, "a folder the worker needs cannot be written"),
    "process_not_started": CodeEntry(ExitCode.ENVIRONMENT, "a program could not be started"),
    "process_ended": CodeEntry(ExitCode.FINDING, "a program that an eval drives ended before its time"),
    "answer_invalid": CodeEntry(ExitCode.FINDING, "a program that an eval drives answered with something else"),
    "answer_too_large": CodeEntry(ExitCode.FINDING, "a program that an eval drives wrote more than is allowed"),
    "answer_refused": CodeEntry(ExitCode.FINDING, "a program that an eval drives answered with an error"),
    "engine_not_ready": CodeEntry(ExitCode.FINDING, "an engine's server did not become ready"),
    "results_missing": CodeEntry(ExitCode.FINDING, "a tool ended well but left no results"),
    "documents_too_few": CodeEntry(ExitCode.FINDING, "fewer documents were scored than the suite demands"),
    "time_limit": CodeEntry(ExitCode.FINDING, "an eval ran past its time limit"),
    "policy_invalid": CodeEntry(ExitCode.USAGE, "the file that says what this machine may run is missing or wrong"),
    "runner_missing": CodeEntry(ExitCode.ENVIRONMENT, "the container engine is missing or does not work"),
    "image_unavailable": CodeEntry(ExitCode.ENVIRONMENT, "a job's image could not be fetched"),
    "source_unavailable": CodeEntry(ExitCode.ENVIRONMENT, "a job's code could not be fetched by its commit"),
    "job_output_invalid": CodeEntry(ExitCode.FINDING, "a job left no bundle, or something else in its place"),
    "upload_refused": CodeEntry(ExitCode.FINDING, "the server refused the bundle; its own code is in the detail"),
    "not_confirmed": CodeEntry(ExitCode.USAGE, "a command that cannot be undone was not confirmed; say --yes"),
    "operation_refused": CodeEntry(
        ExitCode.USAGE, "the service refuses what its operator asked for; its own code is in the detail"
    ),
    "backup_unusable": CodeEntry(ExitCode.FINDING, "a backup is damaged, incomplete, or does not fit this database"),
    "database_unusable": CodeEntry(ExitCode.NETWORK, "the database cannot be reached, or has other tables"),
    "database_absent": CodeEntry(ExitCode.NETWORK, "the database did not answer in time"),
    "database_refused": CodeEntry(
        ExitCode.NETWORK, "the database is there and does not let us in: a wrong password, or no such database"
    ),
    "sign_in_failed": CodeEntry(ExitCode.NETWORK, "the user said no, or nothing in time"),
    "server_unreachable": CodeEntry(ExitCode.NETWORK, "no connection to the server, after every retry"),
    "server_failed": CodeEntry(ExitCode.NETWORK, "the server kept failing, after every retry"),
    "server_refused": CodeEntry(
        ExitCode.NETWORK, "the server refused a request that is not about the bundle's content"
    ),
    "server_answer_invalid": CodeEntry(ExitCode.NETWORK, "the server's answer is not what the protocol says"),
    "server_untrusted": CodeEntry(ExitCode.NETWORK, "the server named a place to send data that is not allowed"),
    "address_refused": CodeEntry(ExitCode.NETWORK, "the server's blob store kept refusing what the server let us send"),
    "validation_pending": CodeEntry(ExitCode.NETWORK, "the server had not judged the bundle when the wait ended"),
}
"""Every code the worker raises; codes of the bundle format are `worker.bundle.BundleError`'s."""


class WorkerError(Exception):
    """The worker could not do what was asked.

    Args:
        code: A key of `CODES`.
        detail: What went wrong, for a person; no secrets.

    Attributes:
        code: See above.
        detail: See above.
        exit_code: What the command ends with.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.exit_code = CODES[code].exit_code


class EvalError(WorkerError):
    """An eval broke: becomes the eval's ``failed`` outcome, never the end of the run."""


class TimeLimitError(WorkerError):
    """An eval ran past its limit: becomes the ``timed_out`` outcome.

    Args:
        limit_s: The limit, in seconds.
    """

    def __init__(self, limit_s: float) -> None:
        super().__init__("time_limit", f"did not end within {limit_s:g} s")
        self.limit_s = limit_s


class ServerError(WorkerError):
    """The server did not do its part, or refused.

    Args:
        code: A key of `CODES`.
        detail: What went wrong.
        status: HTTP status, if there was an answer.
        server_code: The stable code of the server's problem document, if it sent one.
    """

    def __init__(self, code: str, detail: str, *, status: int | None = None, server_code: str | None = None) -> None:
        super().__init__(code, detail)
        self.status = status
        self.server_code = server_code
