"""What the command makes of an exception."""

import errno

import pytest

from byogpu.failures import failure_of
from worker.bundle import BundleError
from worker.errors import ExitCode


def test_a_full_disk_is_the_machines_fault_though_no_file_is_named():
    failure = failure_of(OSError(errno.ENOSPC, "No space left on device"))
    assert failure is not None
    assert (failure.exit_code, failure.detail) == (ExitCode.ENVIRONMENT, "No space left on device")


def test_a_file_that_cannot_be_used_is_named():
    failure = failure_of(PermissionError(errno.EACCES, "Permission denied", "/etc/x"))
    assert failure is not None
    assert failure.detail == "/etc/x: Permission denied"


def test_a_defect_is_no_failure_of_the_users():
    assert failure_of(ZeroDivisionError()) is None


@pytest.mark.parametrize(
    ("code", "step"),
    [("manifest_invalid", "`byogpu run`"), ("archive_bomb", "`byogpu export"), ("bundle_missing", "`byogpu run` says")],
)
def test_a_bundle_that_cannot_be_opened_comes_with_what_to_do(code, step):
    failure = failure_of(BundleError(code, "what is wrong"))
    assert failure is not None
    assert failure.detail.startswith("what is wrong; ")
    assert step in failure.detail
