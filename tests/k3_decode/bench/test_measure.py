"""Every launch of the bench gives a kernel the tensors that the kernel declares; no GPU, no kernel runs."""

import dataclasses

import pytest
import torch

from k3_decode.bench.kernel_cases import KernelCases
from k3_decode.bench.layer_cases import LayerCases
from k3_decode.bench.measure import MODELS
from k3_decode.build.sets import SESSION_BUCKETS, SETS
from k3_decode.config import CONFIGS
from k3_decode.specialized.operators import step_operators
from k3_decode.specialized.sharded import sharded_operators

SMALL = dataclasses.replace(
    CONFIGS["k3-small"], num_layers=4, mla_layers=(2, 4), num_experts=32, dense_size=512, vocab_size=512,
    attn_res_block_size=2, q_lora_rank=512,
)  # fmt: skip


@pytest.mark.parametrize("rows", [1, 2, 8, 16])
def test_kernels_get_what_they_declare(library, rows):
    cases = KernelCases(library, SMALL, 8, torch.device("cpu"), cold_bytes=1, context=256)
    names = []
    for case in cases.cases(rows):
        assert case.moved_bytes > 0
        case.launches[-1]()
        names.append(case.name)
    assert len(names) == len(set(names)) > 15


@pytest.mark.parametrize("rows", [1, 2, 8, 16])
def test_layers_and_steps_get_what_they_declare(library, rows):
    cases = LayerCases(library, SMALL, 8, torch.device("cpu"), context=255)
    found = {case.name: case for case in [*cases.layers(rows), cases.step(rows), cases.sharded_step(rows)]}
    for case in found.values():
        for launch in case.launches:
            launch()
    assert set(found) == {
        "kda_moe_layer", "kda_moe_layer_sharded_front", "mla_moe_layer", "mla_moe_layer_sharded_front", "k3-small",
        "k3-small_sharded_front",
    }  # fmt: skip
    assert found["kda_moe_layer"].moved_bytes > found["kda_moe_layer_sharded_front"].moved_bytes
    expected = [*step_operators(SMALL, buckets=(rows,)), *sharded_operators(SMALL, 8, buckets=(rows,))]
    assert library.launched == {operator.name for operator in expected}


@pytest.mark.parametrize(("tp", "name"), MODELS.items())
def test_a_session_has_every_kernel_it_measures(tp, name):
    built = {operator.name for operator in SETS["session"]()}
    sizes = SESSION_BUCKETS[name]
    needed = [*step_operators(CONFIGS[name], buckets=sizes), *sharded_operators(CONFIGS[name], tp, buckets=sizes)]
    assert {operator.name for operator in needed} <= built
