"""Kernels refuse what they cannot run on, and say what they need."""

import hashlib

import pytest
import torch

from k3_decode.build import compiler, sources
from k3_decode.build.manifest import Manifest, read_manifest, write_manifest
from k3_decode.errors import CompilerMissingError, K3Error, StaleKernelsError, UnsupportedDeviceError
from k3_decode.kernels.library import KernelLibrary, require_device
from k3_decode.kernels.parts import dsl


def manifest(**changes) -> Manifest:
    found: Manifest = {
        "architecture": "sm_90a", "source_sha256": sources.source_digest(), "compilers": {}, "kernels": {},
    }  # fmt: skip
    found.update(changes)
    return found


@pytest.mark.parametrize("architecture", compiler.ARCHITECTURES)
def test_a_cpu_is_refused_with_what_is_needed(tmp_path, architecture):
    write_manifest(tmp_path, manifest(architecture=architecture))
    with pytest.raises(UnsupportedDeviceError, match="compute capability") as refusal:
        KernelLibrary(tmp_path, torch.device("cpu"))
    assert refusal.value.got == "device cpu"


def test_a_missing_device_is_refused():
    if torch.cuda.is_available():
        assert require_device(torch.device("cuda"), "sm_90a") is None
    else:
        with pytest.raises(UnsupportedDeviceError):
            require_device(torch.device("cuda"), "sm_90a")


def test_a_folder_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(K3Error, match="no readable manifest"):
        read_manifest(tmp_path)


def test_a_manifest_without_its_fields_is_refused(tmp_path):
    (tmp_path / "manifest.json").write_text('{"architecture": "sm_90a"}')
    with pytest.raises(K3Error, match="source_sha256"):
        read_manifest(tmp_path)


def test_kernels_of_other_sources_are_stale(tmp_path, monkeypatch):
    write_manifest(tmp_path, manifest(source_sha256=hashlib.sha256(b"older").hexdigest()))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (9, 0))
    with pytest.raises(StaleKernelsError, match="expected kernels built from sources"):
        KernelLibrary(tmp_path, torch.device("cuda"))


def test_building_without_the_compiler_is_refused(tmp_path):
    if dsl.AVAILABLE:
        assert compiler.require_compiler() is None
    else:
        with pytest.raises(CompilerMissingError, match=r"requirements/gpu\.txt"):
            compiler.build([], ["sm_90a"], tmp_path)


def test_the_digest_covers_every_kernel_source():
    assert sources.source_digest() == sources.source_digest()
    assert len(sources.source_digest()) == 64
