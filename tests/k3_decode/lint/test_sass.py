"""Addresses are followed through registers, and blurred by nothing."""

from dataclasses import replace

import pytest

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.lint.rules import check
from k3_decode.lint.sass import read_code

CODE = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   ULDC.64 UR4, c[0x0][0x208] ;
        /*0020*/                   LDC.64 R2, c[0x0][0x210] ;
        /*0030*/                   LDC R9, c[0x0][0x228] ;
        /*0040*/                   IMAD.WIDE R4, R9, 0x4, R2 ;
        /*0050*/                   PREEXIT ;
        /*0058*/                   R2UR UR8, R4 ;
        /*005c*/                   UBLKPF.L2 [UR8], UR7 ;
        /*0060*/                   LDG.E.NA.LTC128B.128.STRONG.GPU R12, desc[UR4][R4.64+0x10] ;
        /*0070*/                   ACQBULK ;
        /*0080*/                   ULDC.64 UR6, c[0x0][0x218] ;
        /*0090*/                   LDG.E.STRONG.GPU R3, desc[UR4][R2.64] ;
        /*00a0*/                   IMAD.WIDE R6, R3, 0x10, R16 ;
        /*00b0*/                   IADD3 R6, P0, R6, UR6, RZ ;
        /*00c0*/              @P1  LDG.E.128.STRONG.GPU R20, desc[UR4][R6.64] ;
        /*00d0*/                   LDG.E.STRONG.SYS R24, desc[UR4][R6.64] ;
        /*00e0*/                   STL [R1], R24 ;
        /*00e8*/                   UBLKCP.S.G [UR10], [UR6], UR4 ;
        /*00f0*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8 ;
"""

KEPT = Contract(brought=("a",), copies={"b": 1}, polls=1, spill_budget=1)
"""What the code keeps."""


def test_each_load_is_traced_to_its_parameter():
    code = read_code(CODE, "sm_90a", pointers=2)
    assert [(load.bits, load.after_wait, load.parameters) for load in code.loads] == [
        (128, False, {0}),
        (32, True, {0}),
        (128, True, {1}),
        (32, True, {1}),
        (32, True, {1}),
    ]
    assert [load.bulk for load in code.loads] == [False] * 4 + [True]
    assert [(each.after_wait, each.parameters) for each in code.brought] == [(False, {0})]
    assert (code.waits, code.releases, code.local_accesses, code.products) == (1, 1, 1, 1)


def test_a_wide_load_of_constants_brings_two_parameters():
    code = read_code(
        """
        /*0000*/                   LDCU.128 UR4, c[0x0][0x380] ;
        /*0010*/                   LDG.E.128.STRONG.GPU R8, desc[UR18][UR4.64] ;
        /*0020*/                   IMAD.WIDE R2, R9, R5, UR6 ;
        /*0030*/                   LDG.E.128.STRONG.GPU R12, desc[UR18][R2.64] ;
        """,
        "sm_103a",
        pointers=2,
    )
    assert [load.parameters for load in code.loads] == [{0}, {1}]


@pytest.mark.parametrize(
    ("static", "contract", "rules"),
    [
        (True, replace(KEPT, before_wait={"a": 1}, after_wait={"b": 1}, products=1), set()),
        (False, KEPT, {"early-load"}),
        (True, replace(KEPT, before_wait={"a": 2}), {"lost-prefetch"}),
        (True, replace(KEPT, after_wait={"b": 2}), {"missing-load"}),
        (True, replace(KEPT, brought=()), {"brought"}),
        (True, replace(KEPT, brought=("a", "b")), {"brought"}),
        (True, replace(KEPT, copies={}), {"copies"}),
        (True, replace(KEPT, copies={"a": 1, "b": 1}), {"copies"}),
        (True, replace(KEPT, polls=0), {"poll"}),
        (True, replace(KEPT, spill_budget=0), {"spill"}),
        (True, replace(KEPT, products=2), {"products"}),
    ],
)
def test_each_rule_speaks_for_itself(static, contract, rules):
    arguments = (Argument("a", "f32", ("n",), static=static), Argument("b", "f32", ("n",)))
    found = check(read_code(CODE, "sm_90a", pointers=2), arguments, contract)
    assert {finding.rule for finding in found} == rules, found


def test_shared_memory_of_the_cluster_is_no_tensor():
    code = read_code(
        """
        /*0000*/                   LDC.64 R6, c[0x0][0x210] ;
        /*0010*/              @!P0 S2R R14, SR_SWINHI ;
        /*0020*/              @!P0 MOV R7, R14 ;
        /*0030*/              @!P0 LD.E R9, [R6+0x1c00] ;
        /*0040*/                   IMAD.MOV.U32 R7, RZ, RZ, R3 ;
        /*0050*/                   LD.E R9, [R6] ;
""",
        "sm_90a",
        pointers=1,
    )
    assert [load.offset for load in code.loads] == [0x50]


def test_a_bulk_copy_of_what_is_not_static_is_caught_before_the_wait():
    code = read_code(
        """
        /*0000*/                   PREEXIT ;
        /*0010*/                   ULDC.64 UR4, c[0x0][0x210] ;
        /*0020*/                   ULDC.64 UR8, c[0x0][0x218] ;
        /*0030*/                   UBLKCP.S.G [UR10], [UR4], UR7 ;
        /*0040*/                   UBLKCP.S.G [UR10], [UR8], UR7 ;
        /*0050*/                   ACQBULK ;
""",
        "sm_90a",
        pointers=2,
    )
    arguments = (Argument("a", "f32", ("n",), static=True), Argument("b", "f32", ("n",)))
    found = check(code, arguments, Contract(copies={"a": 1, "b": 1}))
    assert [(finding.rule, "reads b before the wait" in finding.detail) for finding in found] == [("early-load", True)]
