"""What a kernel is compiled again for."""

import inspect
import pathlib

import pytest

from k3_decode.build.sources import kernel_digest, used_source
from k3_decode.kernels.catalog import sample_operators

KERNEL = """
from k3_decode.kernels.parts.numbers import double as twice
from k3_decode.kernels.parts.switch import Word

def body(x: Word):
    return twice(x)
"""
NUMBERS = """
from k3_decode.kernels.parts.deep import STEP

UNIT = 2

def double(x):
    return x * UNIT + STEP

def triple(x):
    return x * 3
"""
SWITCH = """
if True:
    Word = int
"""


@pytest.fixture
def package(tmp_path) -> pathlib.Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "kernel.py").write_text(KERNEL)
    (tmp_path / "parts" / "numbers.py").write_text(NUMBERS)
    (tmp_path / "parts" / "switch.py").write_text(SWITCH)
    (tmp_path / "parts" / "deep.py").write_text("STEP = 1\n")
    return tmp_path


def changed(package: pathlib.Path, file: str, old: str, new: str) -> bool:
    """Tell whether an edit changes what the kernel is made of; the edited package is a copy."""
    copy = package / "copy"
    (copy / "parts").mkdir(parents=True)
    for path in [*package.glob("*.py"), *package.glob("parts/*.py")]:
        text = path.read_text()
        if path.name == file:
            assert old in text
            text = text.replace(old, new)
        (copy / path.relative_to(package)).write_text(text)
    return used_source(copy / "kernel.py", copy) != used_source(package / "kernel.py", package)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("kernel.py", "twice(x)", "twice(x) + 1"),
        ("numbers.py", "x * UNIT", "UNIT * x"),
        ("numbers.py", "UNIT = 2", "UNIT = 4"),
        ("deep.py", "STEP = 1", "STEP = 2"),
        ("switch.py", "Word = int", "Word = float"),
    ],
)
def test_what_a_kernel_uses_counts(package, file, old, new):
    assert changed(package, file, old, new)


@pytest.mark.parametrize(
    ("file", "old", "new"), [("numbers.py", "x * 3", "x + x + x"), ("numbers.py", "UNIT = 2", "UNIT = 2  # two")]
)
def test_what_it_does_not_use_and_comments_do_not(package, file, old, new):
    assert not changed(package, file, old, new)


def test_every_kernel_reaches_its_parts():
    kernels = {type(operator) for operator in sample_operators()}
    for kernel in kernels:
        path = pathlib.Path(inspect.getfile(kernel))
        text = used_source(path, path.parent)
        assert "sync.py:wait_for_predecessors" in text, kernel
        assert "operator.py:Contract" in text, kernel
    files = {inspect.getfile(kernel) for kernel in kernels}
    assert len({kernel_digest(kernel) for kernel in kernels}) == len(files)
