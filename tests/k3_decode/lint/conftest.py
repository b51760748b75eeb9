"""The compiler, which these tests need and a GPU they do not."""

import pytest

from k3_decode.build.compiler import require_compiler


@pytest.fixture(scope="session", autouse=True)
def compiler() -> None:
    """Fail, and say what to install, where kernels cannot be compiled."""
    require_compiler()
