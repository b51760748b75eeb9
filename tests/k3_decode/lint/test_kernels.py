"""Every kernel is built for every architecture, and its machine code keeps its promises."""

import pathlib

import pytest

from k3_decode.build.compiler import ARCHITECTURES, build
from k3_decode.build.manifest import read_manifest
from k3_decode.build.sources import source_digest
from k3_decode.kernels.catalog import sample_operators
from k3_decode.lint.__main__ import main


@pytest.fixture(scope="module")
def built(pytestconfig) -> pathlib.Path:
    """Kernels of the sample; unchanged ones stay from the run before."""
    folder = pytestconfig.rootpath / "var" / "kernels"
    build(sample_operators(), ARCHITECTURES, folder, workers=2)
    return folder


def test_every_architecture_is_built_with_digests(built):
    for architecture in ARCHITECTURES:
        manifest = read_manifest(built / architecture)
        assert manifest["architecture"] == architecture
        assert manifest["source_sha256"] == source_digest()
        assert set(manifest["kernels"]) == {operator.name for operator in sample_operators()}
        digests = [record["cubin_sha256"] for record in manifest["kernels"].values()]
        assert len(set(digests)) == len(digests)
        assert (built / architecture / "kernels.so").stat().st_size > 0


def test_the_linter_finds_nothing(built, capsys):
    status = main([str(built / architecture) for architecture in ARCHITECTURES])
    assert status == 0, capsys.readouterr().out


def test_a_second_build_compiles_nothing(built):
    before = {path: path.stat().st_mtime_ns for path in built.rglob("*.cubin")}
    build(sample_operators(), ARCHITECTURES, built, workers=1)
    assert {path: path.stat().st_mtime_ns for path in built.rglob("*.cubin")} == before
