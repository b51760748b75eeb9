"""The tensor table against the published totals (k3-model.md section 0)."""

import math
from collections import Counter

import pytest

from k3_decode.config import CONFIGS
from k3_decode.reference.tensors import TensorSpec, layer_table, tensor_table, vision_shapes

VISION_PARAMETERS = 447_358_976


@pytest.fixture(scope="module")
def published() -> list[TensorSpec]:
    return tensor_table(CONFIGS["k3"])


def test_text_parameters_of_the_published_model(published):
    assert sum(spec.parameters for spec in published) == 2_779_484_478_208  # 2.7795 T


def test_bytes_of_the_published_checkpoint(published):
    text = sum(spec.nbytes for spec in published)
    vision = sum(math.prod(shape) for shape in vision_shapes(7168))
    assert text == 1_559_965_606_912
    assert vision == VISION_PARAMETERS
    assert text + 2 * vision == 1_560_860_324_864


def test_tensors_of_the_published_checkpoint(published):
    assert (len(published), len(vision_shapes(7168))) == (497_052, 168)
    assert len(published) + len(vision_shapes(7168)) == 497_220
    assert len({spec.name for spec in published}) == len(published)


def test_bytes_outside_the_routed_experts(published):
    assert sum(spec.nbytes for spec in published if ".experts." not in spec.name) == 113_509_540_864


def test_active_parameters_per_token(published):
    """Everything but the embedding table, with 16 of 896 experts in each of 92 layers: 104 B as published."""
    experts = sum(spec.parameters for spec in published if ".experts." in spec.name)
    embedding = 163_840 * 7168
    total = sum(spec.parameters for spec in published)
    assert round((total - experts - embedding + experts * 16 // 896) / 1e9, 2) == 104.19


def test_one_expert_of_the_published_model(published):
    expert = [spec for spec in published if ".layers.1.block_sparse_moe.experts.0." in spec.name]
    assert sum(spec.parameters for spec in expert) == 33_030_144
    assert sum(spec.nbytes for spec in expert) == 17_547_264


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("k3-tiny", 4_002_872), ("k3-small", 432_301_512), ("k3-mini-r8", 46_344_921_324),
     ("k3-mini-r8-deep", 107_569_121_148), ("k3-mini-r16", 23_554_005_430), ("k3-mini-r16-deep", 54_664_694_782)],
)  # fmt: skip
def test_parameters_of_the_scaled_models(name, parameters):
    """Section 7 counts A_log without its padding."""
    config = CONFIGS[name]
    padding = len(config.kda_layer_indices) * (config.a_log_size - config.num_heads)
    assert sum(spec.parameters for spec in tensor_table(config)) - padding == parameters


@pytest.mark.parametrize(
    ("layer", "name", "shape", "dtype"),
    [
        (0, "mlp.gate_proj.weight", (33792, 7168), "BF16"),
        (0, "mlp.down_proj.weight", (7168, 33792), "BF16"),
        (12, "self_attn.g_proj.weight", (12288, 7168), "BF16"),
        (12, "self_attn.f_b_proj.weight", (12288, 128), "BF16"),
        (12, "self_attn.b_proj.weight", (96, 7168), "BF16"),
        (12, "self_attn.k_conv1d.weight", (12288, 1, 4), "F32"),
        (12, "self_attn.A_log", (128,), "F32"),
        (12, "self_attn.dt_bias", (12288,), "F32"),
        (12, "self_attn.o_norm.weight", (128,), "F32"),
        (12, "mlp_res_proj.weight", (1, 7168), "BF16"),
        (11, "self_attn.q_b_proj.weight", (18432, 1536), "BF16"),
        (11, "self_attn.kv_a_proj_with_mqa.weight", (576, 7168), "BF16"),
        (11, "self_attn.kv_b_proj.weight", (24576, 512), "BF16"),
        (11, "self_attn.o_proj.weight", (7168, 12288), "BF16"),
        (92, "block_sparse_moe.gate.e_score_correction_bias", (896,), "F32"),
        (92, "block_sparse_moe.routed_expert_up_proj.weight", (7168, 3584), "BF16"),
        (92, "block_sparse_moe.shared_experts.up_proj.weight", (6144, 7168), "BF16"),
        (92, "block_sparse_moe.experts.895.w1.weight_packed", (3072, 1792), "U8"),
        (92, "block_sparse_moe.experts.895.w3.weight_scale", (3072, 112), "U8"),
        (92, "block_sparse_moe.experts.895.w2.weight_packed", (3584, 1536), "U8"),
        (92, "block_sparse_moe.experts.895.w2.weight_scale", (3584, 96), "U8"),
    ],
)
def test_names_shapes_and_types_as_published(layer, name, shape, dtype):
    specs = {spec.name: spec for spec in layer_table(CONFIGS["k3"], layer)}
    spec = specs[f"language_model.model.layers.{layer}.{name}"]
    assert (spec.shape, spec.dtype) == (shape, dtype)


def test_tensors_per_layer_kind():
    counts = Counter(len([s for s in layer_table(CONFIGS["k3"], i) if ".experts." not in s.name]) for i in range(93))
    dense_kda, moe_kda, moe_mla = 6 + 14 + 3, 6 + 14 + 8, 6 + 8 + 8
    assert counts == {dense_kda: 1, moe_kda: 68, moe_mla: 24}
