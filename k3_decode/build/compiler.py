"""Compiles operators for one architecture, and links them into a library.

Objects and cubins are cached by a digest of the operator's module and the parts it uses, the compilers' versions, the
architecture and the operator's name: a build compiles what was changed since, and links.
"""

import hashlib
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Literal, get_args

from k3_decode.build.manifest import LIBRARY, KernelRecord, Manifest, write_manifest
from k3_decode.build.sources import compiler_versions, kernel_digest, source_digest
from k3_decode.errors import ArgumentError, CompilerMissingError
from k3_decode.kernels.operator import ALIGNMENT, Argument, Operator
from k3_decode.kernels.parts import dsl

Architecture = Literal["sm_90a", "sm_100a", "sm_103a"]

ARCHITECTURES: tuple[Architecture, ...] = get_args(Architecture)


def build(
    operators: Sequence[Operator],
    architectures: Sequence[Architecture],
    folder: pathlib.Path,
    *,
    workers: int = 1,
) -> dict[Architecture, Manifest]:
    """Compile, link and write the manifests.

    Args:
        operators: What to build; names are distinct.
        architectures: What for.
        folder: Gets a folder an architecture, with ``kernels.so``, ``manifest.json``, and a cubin and an object an
            operator.
        workers: Processes that compile at the same time.

    Returns:
        The manifests, as written.

    Raises:
        CompilerMissingError: CuTe DSL is not installed.
        ArgumentError: Two operators share a name, or one does not exist for an architecture.
    """
    require_compiler()
    for operator in operators:
        only = getattr(operator, "architectures", ARCHITECTURES)
        if not set(architectures) <= set(only):
            raise ArgumentError("build", operator.name, expected=f"architectures among {only}", got=architectures)
    names = [operator.name for operator in operators]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ArgumentError("build", "operators", expected="distinct names", got=twice)
    for architecture in architectures:
        (folder / architecture).mkdir(parents=True, exist_ok=True)
    missing = [
        (operator, architecture, folder / architecture)
        for architecture in architectures
        for operator in operators
        if not _record_path(operator, architecture, folder / architecture).exists()
    ]
    if workers > 1 and len(missing) > 1:
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            for done in [pool.submit(_compile_and_record, *each) for each in missing]:
                done.result()
    else:
        for each in missing:
            _compile_and_record(*each)
    return {architecture: _finish(operators, architecture, folder / architecture) for architecture in architectures}


def _finish(operators: Sequence[Operator], architecture: Architecture, folder: pathlib.Path) -> Manifest:
    """Link one architecture's objects and write its manifest."""
    records: dict[str, KernelRecord] = {
        operator.name: json.loads(_record_path(operator, architecture, folder).read_text("utf-8"))
        for operator in operators
    }
    _link([folder / f"{operator.name}.o" for operator in operators], folder / LIBRARY)
    manifest: Manifest = {
        "architecture": architecture,
        "source_sha256": source_digest(),
        "compilers": compiler_versions(),
        "kernels": records,
    }
    write_manifest(folder, manifest)
    return manifest


def require_compiler() -> None:
    """Refuse where kernels cannot be compiled.

    Raises:
        CompilerMissingError: CuTe DSL is not installed.
    """
    if not dsl.AVAILABLE:
        raise CompilerMissingError("k3_decode.build", expected="the packages of requirements/gpu.txt", got="none")


def compile_operator(operator: Operator, architecture: Architecture, folder: pathlib.Path) -> KernelRecord:
    """Compile one operator into ``<name>.o`` and ``<name>.cubin``.

    Args:
        operator: What.
        architecture: What for.
        folder: Where to.

    Returns:
        Its record.
    """
    with tempfile.TemporaryDirectory() as scratch:
        options = f"--gpu-arch {architecture} --enable-tvm-ffi --keep-ptx --keep-cubin --dump-dir {scratch}"
        compiled = dsl.cute.compile(operator, *fake_arguments(operator.arguments), options=options)
    cubin, ptx = compiled.__cubin__, compiled.__ptx__
    target = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)
    if target is None or target[1] != architecture:
        raise ArgumentError("compile_operator", "architecture", expected=architecture, got=target and target[1])
    compiled.export_to_c(str(folder / f"{operator.name}.o"), function_name=operator.name)
    (folder / f"{operator.name}.cubin").write_bytes(cubin)
    return {"cubin_sha256": hashlib.sha256(cubin).hexdigest(), "cubin_bytes": len(cubin)}


def fake_arguments(arguments: Sequence[Argument]) -> list[Any]:
    """Make the tensors without memory that the compiler takes in place of real ones, and a stream."""
    from cutlass import (
        BFloat16,
        Float32,
        Int32,
        Int64,
        Uint8,
    )
    from cutlass.cute.runtime import (
        make_fake_compact_tensor,
        make_fake_stream,
        make_fake_tensor,
    )

    types = {"bf16": BFloat16, "f32": Float32, "i32": Int32, "i64": Int64, "u8": Uint8}
    symbols: dict[str, Any] = {}

    def extent(value: int | str) -> Any:
        return value if isinstance(value, int) else symbols.setdefault(value, dsl.cute.sym_int())

    tensors = []
    for argument in arguments:
        shape = tuple(extent(value) for value in argument.shape)
        size = ALIGNMENT[argument.dtype]
        align = 16 if argument.aligned else size
        if argument.strided:
            stride = (dsl.cute.sym_int64(divisibility=align // size), 1)
            tensors.append(make_fake_tensor(types[argument.dtype], shape, stride, assumed_align=align))
        else:
            order = tuple(range(len(shape) - 1, -1, -1))
            tensors.append(
                make_fake_compact_tensor(types[argument.dtype], shape, stride_order=order, assumed_align=align)
            )
    return [*tensors, make_fake_stream(use_tvm_ffi_env_stream=True)]


def _compile_and_record(operator: Operator, architecture: Architecture, folder: pathlib.Path) -> None:
    record = compile_operator(operator, architecture, folder)
    for old in folder.glob(f"{operator.name}.*.record"):
        old.unlink()
    _record_path(operator, architecture, folder).write_text(json.dumps(record), "utf-8")


def _record_path(operator: Operator, architecture: Architecture, folder: pathlib.Path) -> pathlib.Path:
    key = json.dumps([kernel_digest(type(operator)), compiler_versions(), architecture, operator.name])
    return folder / f"{operator.name}.{hashlib.sha256(key.encode()).hexdigest()[:16]}.record"


def _link(objects: Sequence[pathlib.Path], library: pathlib.Path) -> None:
    compiler = os.environ.get("CC") or shutil.which("gcc") or "cc"
    libraries = dsl.cute.runtime.find_runtime_libraries(enable_tvm_ffi=True)
    partial = library.with_suffix(".partial")
    subprocess.run([compiler, "-shared", "-o", str(partial), *map(str, objects), *libraries], check=True)
    partial.replace(library)
