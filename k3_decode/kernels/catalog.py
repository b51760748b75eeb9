"""The operators that are built for a purpose: a sample of every kernel, and the shapes that tests run."""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import get_args

from k3_decode.config import ExpertAct
from k3_decode.kernels.attention_residual import AttentionResidual
from k3_decode.kernels.expert_down import ExpertDown
from k3_decode.kernels.expert_units import ExpertDownUnits, ExpertSum
from k3_decode.kernels.expert_up import ExpertUp
from k3_decode.kernels.gemm_tensor_memory import TensorMemoryGemm
from k3_decode.kernels.gemv import Gemv, Segment
from k3_decode.kernels.head_top import HeadTop
from k3_decode.kernels.mla_absorb import MlaAbsorb
from k3_decode.kernels.mla_front import MlaFront
from k3_decode.kernels.mla_prepare import MlaPrepare
from k3_decode.kernels.mla_value import MlaValue
from k3_decode.kernels.operator import Cache, Operator
from k3_decode.kernels.route import RouteRank
from k3_decode.kernels.route_row import RouteRow
from k3_decode.kernels.route_table import RouteTable
from k3_decode.kernels.rows import Activate, Embed, NormSitu
from k3_decode.kernels.tactics import (
    BUCKETS,
    core,
    expert_down_row,
    expert_up_row,
    joint_tail,
    kda,
    kda_verify,
    product,
    skinny,
)
from k3_decode.kernels.tail_wide import WideTail

CACHES: tuple[Cache, ...] = get_args(Cache)
ACTS: tuple[ExpertAct, ...] = get_args(ExpertAct)

VERIFIED = tuple((heads, requests, tokens) for heads in (6, 12) for requests, tokens in ((1, 8), (5, 3), (16, 4)))
"""Heads, requests and tokens of the verification steps that tests run."""


def front_forms() -> tuple[Gemv, Gemv, Gemv]:
    """Give a paced front of one row whose input the copy engine stages, the same by threads, and the same unpaced."""
    chosen = skinny((Segment("plain", 7168),), 2096, 1, "f32")
    return chosen, dataclasses.replace(chosen, copied=False), dataclasses.replace(chosen, paced=0)


def distinct(operators: Iterable[Operator]) -> list[Operator]:
    """Keep one operator a name, in order of first appearance."""
    return list({operator.name: operator for operator in operators}.values())


def checked_operators() -> list[Operator]:
    """List what the tests on a GPU run (tests/k3_decode/kernels)."""
    return distinct(_checked())


def _checked() -> Iterator[Operator]:
    for rows in BUCKETS:
        yield product(7168, 3206, rows)
        yield product(7168, 5248, rows, out="f32")
        yield product(768, 7168, rows)
        yield product(1536, 1152, rows)
        yield product(384, 7168, rows)
        yield product(2112, 7168, rows)
        for heads in (6, 12):
            yield kda(heads, rows)
    for heads, requests, tokens in VERIFIED:
        yield kda_verify(heads, requests, tokens)
    for rows in (1, 2):
        yield skinny((Segment("norm", 3584), Segment("situ", 384)), 7168, rows)
        yield joint_tail(3584, 384, rows)
    yield WideTail(3584, 384)
    yield from front_forms()
    for blocks, update in ((0, "keep"), (1, "restart"), (1, "add"), (2, "restart"), (7, "add"), (8, "add")):
        yield AttentionResidual(7168, blocks, update)  # type: ignore[arg-type]
    yield from (RouteRow(896, 16), RouteTable(896, 16), ExpertSum(3584, 16))
    for act in ACTS:
        yield from (RouteRank(3584, 896, 16, act=act), ExpertUp(3584, 192, act=act))
        yield expert_up_row(3584, 192, 16, act)
        yield from (ExpertDown(3584, 192, 16, act=act), expert_down_row(3584, 192, 16, act))
        yield ExpertDownUnits(3584, 192, act)
    yield from (Embed(7168), Activate(2112), NormSitu(3584, 384), HeadTop(1), HeadTop(8))
    yield from (MlaPrepare(1536, 512, 64, cache) for cache in CACHES)
    yield MlaValue(512, 128)
    for cache in CACHES:
        yield MlaAbsorb(512, 128, 64, cache)
        yield from (MlaFront(1536, 512, 128, 64, rows, cache) for rows in (1, 2))
        yield from (core(512, 64, rows, heads, 192**-0.5, cache) for rows in BUCKETS for heads in (6, 12))


def sample_operators() -> list[Operator]:
    """List one form of every kernel, and the extreme forms of those with many: what CI builds and lints."""
    return distinct(_sample())


def _sample() -> Iterator[Operator]:
    yield product(7168, 3206, 1)
    yield skinny((Segment("norm", 3584), Segment("situ", 384)), 7168, 1)
    yield front_forms()[0]
    yield from (joint_tail(3584, shared, 1) for shared in (384, 768))
    yield from (WideTail(3584, shared) for shared in (384, 768))
    yield product(7168, 3206, 8)
    yield product(7168, 1048, 8, out="f32")
    yield product(384, 7168, 8)
    yield from (product(columns, 7168, 64) for columns in (384, 768))
    yield product(7168, 3206, 64)
    yield product(2112, 7168, 16)
    yield AttentionResidual(7168, 8, "add")
    yield AttentionResidual(7168, 0, "keep")
    yield kda(6, 1)
    yield kda(12, 64)
    yield kda_verify(6, 1, 8)
    yield from (RouteRow(896, 16), RouteTable(896, 16), ExpertSum(3584, 16))
    for act in ACTS:
        yield from (RouteRank(3584, 896, 16, act=act), ExpertUp(3584, 384, act=act))
        yield from (expert_up_row(3584, width, 16, act) for width in (192, 384))
        yield ExpertDown(3584, 192, 16, act=act)
        yield from (expert_down_row(3584, width, 16, act) for width in (192, 384))
        yield ExpertDownUnits(3584, 384, act)
    yield from (Embed(7168), Activate(2112), NormSitu(3584, 384), HeadTop(8))
    yield MlaValue(512, 128)
    for cache in CACHES:
        yield from (MlaPrepare(1536, 512, 64, cache), MlaAbsorb(512, 128, 64, cache))
        yield MlaFront(1536, 512, 128, 64, 1, cache)
        yield from (core(512, 64, rows, heads, 192**-0.5, cache) for rows in (1, 64) for heads in (6, 12))


def blackwell_operators() -> list[Operator]:
    """List the forms that exist for Blackwell alone; no step uses them yet, for want of the hardware to run them on."""
    return [TensorMemoryGemm(7168, 64, 4, "bf16"), TensorMemoryGemm(1536, 32, 2, "f32")]
