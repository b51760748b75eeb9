"""Traces of stock vLLM give the times of its layers and stages, and ratios compare like with like."""

import gzip
import json

import pytest

from k3_decode.bench.gpu_timing import OURS
from k3_decode.bench.peers import stock_times, with_ratios
from k3_decode.errors import ArgumentError

LAYERS = 13
LAYER_NS = 100_000


def replay(correlation: int, *, stretch: int = 1, missing: int = 0) -> list[str]:
    """Write one replayed step: in each layer two residuals, a top-k, two expert kernels and a norm."""
    kernels: list[tuple[int, int, str]] = []
    for layer in range(LAYERS):
        start = layer * LAYER_NS * stretch
        kernels += [(start, 5_000, "_attn_res_kernel"), (start + 40_000 * stretch, 5_000, "_attn_res_kernel")]
        kernels += [(start + 10_000, 6_700, "kda_decode_fusion_many_heads_kernel"), (start + 20_000, 1_000, "nvjet")]
        kernels += [
            (start + 50_000 * stretch, 3_000, "single_group_topk_block_kernel"),
            (start + 60_000 * stretch, 10_000, "void marlin_moe::Marlin<1>"),
            (start + 75_000 * stretch, 8_000, "void marlin_moe::Marlin<1>"),
            (start + 90_000 * stretch, 2_000, "rms_norm_kernel"),
        ]
    kernels.append((LAYERS * LAYER_NS * stretch, 5_000, "_attn_res_kernel"))
    return [f"{start}\t{duration}\t7\t{correlation}\t{name}" for start, duration, name in kernels[missing:]]


@pytest.fixture
def folder(tmp_path):
    args = {"model": "payload/models/k3r8", "tag": "r8"}
    result = {"args": args, "res": {"1x8192": {"B": 1, "graph_replay_ms": 1.98}, "8x8192": {"B": 8}}}
    (tmp_path / "res_r8.json").write_text(json.dumps(result))
    lines = [*replay(1), *replay(2), *replay(3, stretch=2), "5\t1\t7\t99\tone launch of its own"]
    with gzip.open(tmp_path / "k_r8_1x8192.tsv.gz", "wt") as trace:
        trace.write("\n".join(lines) + "\n")
    return tmp_path


def test_steps_layers_and_stages_are_found(folder):
    found = {(each.kind, each.name): each for each in stock_times(folder)}
    step = found["step", "k3-mini-r8"]
    assert (step.spread.median_us, step.spread.p10_us, step.tp, step.rows) == (1980.0, None, 8, 1)
    assert step.arm == "vLLM 0.33.0, FLASHMLA, rank path"
    layer = found["layer", "kda_moe_layer"]
    assert (layer.spread.median_us, layer.spread.n) == (100.0, 3 * 8)
    assert layer.spread.p90_us == 200.0
    assert found["layer", "mla_moe_layer"].spread.n == 3 * 4
    assert found["kernel", "routed_experts"].spread.median_us == 23.0
    assert found["kernel", "route_to_weighted_sum"].spread.median_us == 40.0
    assert found["kernel", "kda_core"].spread.median_us == 6.7


def test_a_trace_of_another_model_is_refused(folder):
    with gzip.open(folder / "k_r8_1x8192.tsv.gz", "wt") as trace:
        trace.write("\n".join(replay(1, missing=1)) + "\n")
    with pytest.raises(ArgumentError, match="27 attention residuals, got 26"):
        stock_times(folder)


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="res_TAG"):
        stock_times(tmp_path)


def test_a_ratio_is_to_the_fastest_peer_of_the_same_shape():
    def row(name, arm, median_us, rows=1):
        return {"kind": "layer", "name": name, "tp": 8, "rows": rows, "arm": arm, "median_us": median_us}

    ours = [row("kda_moe_layer", OURS, 50.0), row("kda_moe_layer_sharded_front", OURS, 40.0)]
    ours.append(row("kda_moe_layer", OURS, 50.0, rows=8))
    peers = [row("kda_moe_layer", "slow", 200.0), row("kda_moe_layer", "fast", 150.0)]
    found = with_ratios(ours, peers)
    assert [each.get("ratio_to_stock") for each in found] == [3.0, 3.75, None, None, None]
