"""The physics bound against the numbers that the model's specification prints (k3-model.md 6.1 and k3_numbers.py)."""

from typing import Any

import numpy as np
import pytest

from judge.physics import (
    EXCHANGES_PER_LAYER,
    GPU_CACHE_BYTES,
    LINK_LATENCY_US,
    SHAPES,
    SILICON,
    attention_bytes,
    bound,
    expert_layer_bytes,
    headroom,
    least_time_us,
    state_bytes,
    step_work,
)
from judge.rules import check
from judge.summarise import summarise
from k3_decode.config import CONFIGS
from worker.bundle import Manifest, canonical

K3 = SHAPES["k3"]
# TP, M, distinct, KDA attn, MLA attn, MoE dense, experts, KDA state, MLA KV in MB; GB300 8.0 and H200 4.8 step in ms.
TABLE = [
    (8, 1, 16.0, 112.7, 84.6, 47.5, 35.1, 1.6, 4.7, 2.26, 3.77),
    (8, 8, 120.3, 112.7, 84.6, 47.5, 263.8, 13.0, 37.8, 5.09, 8.49),
    (8, 64, 613.2, 112.7, 84.6, 47.5, 1345.0, 104.2, 302.0, 19.10, 31.84),
    (16, 1, 16.0, 57.4, 57.5, 23.8, 17.5, 0.8, 4.7, 1.19, 1.99),
    (16, 8, 120.3, 57.4, 57.5, 23.8, 131.9, 6.5, 37.8, 2.66, 4.43),
    (16, 64, 613.2, 57.4, 57.5, 23.8, 672.5, 52.1, 302.0, 10.06, 16.77),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"tp{row[0]}-m{row[1]}")
def test_bytes_and_times_are_those_of_the_specification(row: tuple[float, ...]) -> None:
    tp, m, distinct, *megabytes, gb300_ms, h200_ms = row
    tp, m = int(tp), int(m)
    expected = 896 * (1 - (1 - 16 / 896) ** m)
    assert expected == pytest.approx(distinct, abs=0.05)
    found = [
        *attention_bytes(K3, tp),
        *expert_layer_bytes(K3, tp, distinct=expected),
        *state_bytes(K3, tp, requests=m, context=8192, dcp=1),
    ]
    assert [round(one / 1e6, 1) for one in found] == pytest.approx(megabytes, abs=0.051)
    work = step_work(K3, tp=tp, requests=m, context=8192, distinct=expected)
    for name, milliseconds in (("GB300", gb300_ms), ("H200", h200_ms)):
        silicon = SILICON[name]
        least_us, limit = least_time_us(work, bandwidth=silicon.bandwidth, cache_bytes=0, silicon=silicon, exchanges=0)
        assert least_us / 1e3 == pytest.approx(milliseconds, abs=0.0051)
        assert limit == "memory"


@pytest.mark.parametrize(("tp", "kda", "mla"), [(8, 0.29, 0.48), (16, 0.15, 0.25)])
def test_operations_are_those_of_the_specification(tp: int, kda: float, mla: float) -> None:
    """GFLOP of a KDA and an MLA layer with experts (k3-model.md 6.1), and of head and dense layer by hand."""
    work = step_work(K3, tp=tp, requests=1, context=8192)
    total = work.flop_bf16 + work.flop_fp8
    ends = 2 * 7168 * (163_840 + 3 * 33_792) / tp
    experts = (step_work(K3, tp=tp, requests=1).flop_fp8) / 92
    dense_layer_kda = 2 * (7168 * (896 + 2 * 3584) / tp + 3 * 6144 // tp * 7168) + experts
    assert (total - ends) / 1e9 == pytest.approx(69 * kda + 24 * mla - dense_layer_kda / 1e9, rel=0.03)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_shapes_are_the_models_own(name: str) -> None:
    config, shape = CONFIGS[name], SHAPES[name]
    assert shape == type(shape)(
        hidden=config.hidden_size, layers=config.num_layers, mla_layers=len(config.mla_layers),
        vocab=config.vocab_size, heads=config.num_heads, kda_dim=config.kda_head_dim, q_lora=config.q_lora_rank,
        kv_lora=config.kv_lora_rank, nope=config.qk_nope_head_dim, rope=config.qk_rope_head_dim,
        v_dim=config.v_head_dim, experts=config.num_experts, top_k=config.top_k, latent=config.latent_size,
        expert=config.expert_size, shared=config.shared_size, dense=config.dense_size, conv=config.conv_width,
    )  # fmt: skip
    assert config.first_dense == 1


def _bound(specimen: Any, *, model: str = "k3", **cell: Any) -> Any:
    specimen.arm("candidate")["model"] = model
    specimen.eval("decode-step")["cells"][0].update(tensor_parallel=8, **cell)
    manifest = Manifest.model_validate_json(canonical({**specimen.manifest, "files": []}))
    step_cell = next(one for record in manifest.evals if record.id == "decode-step" for one in record.cells)
    return bound(manifest.arms[1], step_cell, manifest.environment)


def test_the_bound_takes_the_probe_but_no_more_than_the_silicon_gives(specimen: Any) -> None:
    work = step_work(K3, tp=8, requests=1, context=64)
    memory_us = 1e6 * (work.bytes_read - GPU_CACHE_BYTES)
    assert _bound(specimen) == (pytest.approx(memory_us / (4105e9 * 1.05)), "memory")
    specimen.manifest["environment"]["bandwidth"]["read_gb_per_s"] = [99_000.0]
    assert _bound(specimen) == (pytest.approx(memory_us / 4.8e12), "memory")
    specimen.manifest["environment"]["bandwidth"] = "unknown"
    assert _bound(specimen) == (pytest.approx(memory_us / 4.8e12), "memory")


def test_links_bound_a_small_model_on_many_gpus(specimen: Any) -> None:
    assert _bound(specimen, model="k3-tiny") == (EXCHANGES_PER_LAYER * 13 * LINK_LATENCY_US, "links")


def test_arithmetic_bounds_a_large_batch(specimen: Any) -> None:
    found = _bound(specimen, batch=100_000, context_tokens=0)
    assert found[1] == "memory"  # each request has a state of its own to read and write
    work = step_work(K3, tp=8, requests=64, tokens=4096)
    silicon = SILICON["H200"]
    least = least_time_us(work, bandwidth=4.8e12, cache_bytes=0, silicon=silicon, exchanges=0)
    assert least == (pytest.approx(1e6 * (work.flop_bf16 / 0.989e15 + work.flop_fp8 / 1.979e15)), "arithmetic")


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.arm("candidate").update(quantization="unknown"),
        lambda s: s.manifest["environment"].update(gpus="unknown"),
        lambda s: s.manifest.update(environment="unknown"),
        lambda s: s.manifest["environment"]["gpus"][0].update(name="NVIDIA A100") or s.manifest["environment"].update(
            bandwidth="unknown"
        ),
    ],
)  # fmt: skip
def test_what_is_unknown_bounds_nothing(change: Any, specimen: Any) -> None:
    assert _bound(specimen) is not None
    change(specimen)
    assert _bound(specimen) is None
    assert _bound(specimen, model="unknown") is None


def test_a_model_that_a_cache_holds_is_not_bounded_by_memory(specimen: Any) -> None:
    specimen.arm("candidate")["model"] = "k3-tiny"
    manifest = Manifest.model_validate_json(canonical({**specimen.manifest, "files": []}))
    cell = next(one for record in manifest.evals if record.id == "decode-step" for one in record.cells)
    found = bound(manifest.arms[1], cell, manifest.environment)
    assert found is None or found[0] < 1.0


def test_the_headroom_is_shown_and_a_run_below_the_bound_is_set_aside(specimen: Any, collected: Any) -> None:
    work = step_work(SHAPES["k3-mini-r8"], tp=1, requests=1, context=64)
    least_us = 1e6 * (work.bytes_read - GPU_CACHE_BYTES) / (4105e9 * 1.05)
    specimen.arm("candidate")["model"] = specimen.arm("baseline")["model"] = "k3-mini-r8"
    evidence = collected(specimen)
    cell = next(one for one in summarise(evidence) if one.cell.id == "decode-step.b1.c64")
    assert cell.arms[1].physics is not None
    assert cell.arms[1].value is not None
    assert cell.arms[1].physics.headroom == pytest.approx(1 - least_us / cell.arms[1].value)
    below = [one for one in check(evidence) if one.rule_id == "E-016"]
    assert bool(below) == (cell.arms[1].value < least_us)
    assert {one.effect for one in below} == {"quarantines"}


def test_no_headroom_without_a_measurement() -> None:
    assert headroom((10.0, "memory"), None) is None
    assert headroom(None, 5.0) is None
    found = headroom((10.0, "memory"), 40.0)
    assert found is not None
    assert np.isclose(found.headroom, 0.75)
