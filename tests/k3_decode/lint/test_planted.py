"""Kernels with planted mistakes, each of which the linter must catch, and the same kernel without one."""

from dataclasses import dataclass

import pytest

from k3_decode.build.compiler import compile_operator
from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.dsl import Int32, Int64, Stream, Tensor, Uint32, cute, cutlass
from k3_decode.kernels.parts.memory import load, load_polled, load_static, prefetch, store
from k3_decode.kernels.parts.sync import release_dependents, wait_for_predecessors
from k3_decode.lint.__main__ import lint

MISTAKES = {
    "none": set(),
    "early": {"early-load"},
    "hoisted": {"early-load", "missing-load"},
    "late-weights": {"lost-prefetch"},
    "no-wait": {"wait", "early-load", "missing-load"},
    "weak-poll": {"poll"},
    "narrow": {"narrow-stream", "lost-prefetch"},
    "spilled": {"spill"},
    "brings-what-no-contract-names": {"brought"},
    "brings-nothing": {"brought"},
    "brings-late": {"brought"},
}


@dataclass(frozen=True)
class Planted:
    """Adds 16 bytes of weights and of an activation a thread, four times, and polls a flag."""

    mistake: str

    @property
    def name(self):
        return f"planted_{self.mistake.replace('-', '_')}"

    @property
    def arguments(self):
        return (
            Argument("w", "i32", ("n",), static=True, stream=True),
            Argument("x", "i32", ("n",)),
            Argument("y", "i32", ("n",)),
            Argument("flag", "i32", (4,)),
        )

    @property
    def contract(self):
        return Contract(before_wait={"w": 1}, after_wait={"x": 4}, brought=("w",), polls=1)

    @cute.jit
    def __call__(self, w: Tensor, x: Tensor, y: Tensor, flag: Tensor, stream: Stream):
        self.body(w.iterator.toint(), x.iterator.toint(), y.iterator.toint(), flag.iterator.toint()).launch(
            grid=[1, 1, 1], block=[32, 1, 1], stream=stream, use_pdl=True
        )

    @cute.kernel
    def body(self, w: Int64, x: Int64, y: Int64, flag: Int64):
        thread, _, _ = cute.arch.thread_idx()
        at = Int64(thread) * 16
        release_dependents()
        words = [Uint32(0)] * 4
        if cutlass.const_expr(self.mistake == "narrow"):
            words = [load_static(w + at + 4 * i, words=1)[0] for i in range(4)]
        elif cutlass.const_expr(self.mistake != "late-weights"):
            words = load_static(w + at)
        first = words
        if cutlass.const_expr(self.mistake == "early"):
            first = load(x + at)
        if cutlass.const_expr(self.mistake == "hoisted"):
            first = self.pure(x + at)
        if cutlass.const_expr(self.mistake not in ("brings-nothing", "brings-late")):
            prefetch(w, Int32(1024))
        if cutlass.const_expr(self.mistake == "brings-what-no-contract-names"):
            prefetch(y, Int32(1024))
        if cutlass.const_expr(self.mistake != "no-wait"):
            wait_for_predecessors()
        if cutlass.const_expr(self.mistake == "late-weights"):
            words = load_static(w + at)
        if cutlass.const_expr(self.mistake == "brings-late"):
            prefetch(w, Int32(1024))
        seen = load(flag, words=1)[0] if cutlass.const_expr(self.mistake == "weak-poll") else load_polled(flag)
        total = [words[i] + first[i] + seen for i in range(4)]
        for _ in cutlass.range_constexpr(4):
            again = self.pure(x + at) if self.mistake == "hoisted" else load(x + at)
            total = [total[i] * Uint32(3) + again[i] for i in range(4)]
        if cutlass.const_expr(self.mistake == "spilled"):
            total[0] = cute.arch.inline_ptx(
                "{ .local .align 4 .b8 table[128]; .reg .b64 a, b; .reg .b32 o; and.b32 o, {$r0}, 124; "
                "cvt.u64.u32 b, o; mov.u64 a, table; add.u64 a, a, b; st.volatile.local.b32 [a], {$r0}; "
                "ld.volatile.local.b32 {$w0}, [table+4]; }",
                write_only_types=[Uint32],
                read_only_args=[total[0]],
            )
        store(y + at, total)

    def pure(self, address):
        """What upstream's loads are by default: free of side effects, so equal ones may be merged and moved."""
        from cutlass._mlir.dialects import llvm
        from cutlass.cutlass_dsl import T

        found = llvm.inline_asm(
            llvm.StructType.get_literal([T.i32()] * 4), [address.ir_value()],
            "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l", has_side_effects=False,
        )  # fmt: skip
        return [Uint32(llvm.extractvalue(T.i32(), found, [i])) for i in range(4)]


@pytest.mark.parametrize("architecture", ["sm_90a", "sm_103a"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_planted_mistake_is_caught(tmp_path, mistake, architecture):
    compile_operator(Planted(mistake), architecture, tmp_path)
    findings = lint(Planted(mistake), architecture, tmp_path)
    assert {finding.rule for finding in findings} == MISTAKES[mistake], findings
