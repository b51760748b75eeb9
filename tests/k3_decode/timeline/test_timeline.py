import ast
import ctypes
import json
import pathlib
import struct

import pytest

from k3_decode.errors import ArgumentError, K3Error
from k3_decode.kernels.rows import Embed
from k3_decode.lint.sass import disassemble
from k3_decode.timeline import instrument
from k3_decode.timeline.__main__ import main, operators
from k3_decode.timeline.layout import BASE, BLOCK_BYTES, SLOT_BYTES
from k3_decode.timeline.memory import StampMemory
from k3_decode.timeline.table import text, timeline

COMPILE = """
import pathlib, sys
from k3_decode.build.compiler import build
from k3_decode.kernels.rows import Embed
build([Embed(7168)], ["sm_90a"], pathlib.Path(sys.argv[1]))
"""


def functions(folder: pathlib.Path, decorator: str) -> list[ast.FunctionDef]:
    trees = [ast.parse(path.read_text()) for path in sorted((folder / "k3_decode/kernels").rglob("*.py"))]
    return [
        node
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and decorator in map(ast.unparse, node.decorator_list)
    ]


def test_every_kernel_of_the_copy_begins_and_ends_with_a_stamp(tmp_path):
    instrument.instrument([Embed(7168)], tmp_path)
    bodies = functions(tmp_path, "cute.kernel")
    assert len(bodies) > 20
    for body in bodies:
        statements = [ast.unparse(each) for each in body.body]
        assert "begin(self.name)" in statements[:2], body.name
        assert statements[-1] == "stamp('ended')", body.name


def test_the_package_itself_carries_no_stamp():
    package = pathlib.Path(instrument.__file__).parents[1]
    bodies = functions(package.parent, "cute.kernel")
    assert bodies
    assert not any("stamp" in ast.unparse(body) or "begin(" in ast.unparse(body) for body in bodies)
    assert not (package / "timeline/slots.json").exists()


def test_a_kernel_with_a_second_end_is_refused():
    tree = ast.parse("class A:\n    @cute.kernel\n    def body(self):\n        if self.x:\n            return\n")
    with pytest.raises(ArgumentError, match="one end"):
        instrument._stamp_kernels(tree, "a.py")


def test_machine_code_of_the_copy_reads_the_clock_at_every_moment(tmp_path):
    instrument.build([Embed(7168)], ["-c", COMPILE, str(tmp_path / "kernels")], tmp_path)
    code = disassemble(tmp_path / f"kernels/sm_90a/{Embed(7168).name}.cubin")
    assert code.count("GLOBALTIMER") == 4


def test_a_compiler_that_fails_is_reported(tmp_path):
    with pytest.raises(K3Error, match="compiler that failed"):
        instrument.build([Embed(7168)], ["-c", "raise SystemExit(1)"], tmp_path)


def test_memory_gives_back_what_kernels_wrote():
    with StampMemory(2) as memory:
        for block, times in ((0, (1, 2, 3, 4)), (5, (5, 6, 7, 8))):
            ctypes.memmove(BASE + SLOT_BYTES + block * BLOCK_BYTES, struct.pack("<4Q", *times), BLOCK_BYTES)
        assert memory.read(0) == []
        assert memory.read(1) == [(1, 2, 3, 4), (5, 6, 7, 8)]
        with pytest.raises(K3Error, match="expected memory at"):
            StampMemory(1)
        memory.clear()
        assert memory.read(1) == []
    with StampMemory(1):
        pass  # given back, so that it can be had again


STAMPS = {
    "attention_residual_blocks1_add": [(0, 10, 100, 200)],  # of the layer before
    "attention_residual_blocks2_add": [(4000, 4100, 5000, 6000)],
    "product": [(5100, 5200, 6500, 9000), (5000, 5300, 6400, 9900), (5200, 5250, 6600, 8000)],
    "attention_residual_blocks2_restart": [(9000, 9100, 10_000, 11_000)],
}


def test_the_layer_that_was_launched_last_is_ordered_by_its_ends():
    launches = timeline(STAMPS)
    assert [launch["name"] for launch in launches] == [
        "attention_residual_blocks2_add",
        "product",
        "attention_residual_blocks2_restart",
    ]
    product = launches[1]
    assert product["sampled"] == 3
    assert product["first"] == [0.0, 0.2, 1.4, 3.0]
    assert product["median"] == [0.1, 0.25, 1.5, 4.0]
    assert product["last"] == [0.2, 0.3, 1.6, 4.9]


def test_a_timeline_of_nothing_is_empty():
    assert timeline({}) == []
    assert timeline({"product": []}) == []


def test_the_table_gives_three_times_a_moment():
    lines = text(timeline(STAMPS)).splitlines()
    assert len(lines) == 4
    assert " ".join(lines[2].split()) == "product 3 0.00 0.10 0.20 0.20 0.25 0.30 1.40 1.50 1.60 3.00 4.00 4.90"


def test_a_layer_has_operators_of_both_forms():
    names = {operator.name.split("_")[0] for operator in operators(16, 1)}
    assert {"attention", "gemv", "kda", "mla", "route", "expert", "tail"} <= names


def test_a_folder_without_a_build_is_refused(tmp_path, capsys):
    assert main(["show", str(tmp_path), "--commit", "abc"]) == 3
    assert "expected what `build` left there" in capsys.readouterr().err


def test_a_row_count_without_kernels_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["build", "--rows", "5", "--out", str(tmp_path)])
    assert "invalid choice: 5" in capsys.readouterr().err


def test_showing_needs_the_gpu_the_kernels_were_built_for(tmp_path, capfd):
    instrument.instrument(operators(16, 1), tmp_path / instrument.SOURCE)
    (tmp_path / "shape.json").write_text(json.dumps({"tp": 16, "rows": 1, "arch": "sm_90a"}))
    kernels = tmp_path / instrument.KERNELS / "sm_90a"
    kernels.mkdir(parents=True)
    manifest = {"architecture": "sm_90a", "source_sha256": "0", "compilers": {}, "kernels": {}}
    (kernels / "manifest.json").write_text(json.dumps(manifest))
    assert main(["show", str(tmp_path), "--commit", "abc"]) == 3
    assert "expected a CUDA device of compute capability 9.0" in capfd.readouterr().err
