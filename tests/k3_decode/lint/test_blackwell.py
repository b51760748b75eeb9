"""The forms that exist for Blackwell alone are compiled, and their machine code uses its tensor memory."""

import pathlib

import pytest

from k3_decode.build.compiler import build
from k3_decode.errors import ArgumentError
from k3_decode.kernels.catalog import blackwell_operators
from k3_decode.lint.__main__ import main
from k3_decode.lint.sass import disassemble

ARCHITECTURES = ("sm_100a", "sm_103a")


@pytest.fixture(scope="module")
def built(pytestconfig) -> pathlib.Path:
    """Kernels of the set; unchanged ones stay from the run before."""
    folder = pytestconfig.rootpath / "var" / "kernels-blackwell"
    build(blackwell_operators(), ARCHITECTURES, folder, workers=2)
    return folder


def test_the_linter_finds_nothing(built, capsys):
    status = main([str(built / architecture) for architecture in ARCHITECTURES])
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("operator", blackwell_operators(), ids=lambda operator: operator.name)
def test_products_go_through_tensor_memory(built, architecture, operator):
    code = disassemble(built / architecture / f"{operator.name}.cubin")
    assert code.count("UTCHMMA") == operator.contract.products
    assert code.count("LDTM") == operator.rows // 32, "sums are read from tensor memory, 32 rows at a time"
    assert "HMMA.1" not in code, "no product goes through registers"


def test_hopper_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="sm_100a"):
        build(blackwell_operators(), ["sm_90a"], tmp_path)
