import copy
import dataclasses
import json

import pytest

from k3_decode.config import CONFIGS, K3Config
from k3_decode.errors import ConfigError


def test_the_published_model_alternates_three_kda_and_one_mla_layer_and_ends_in_two_mla_layers():
    config = CONFIGS["k3"]
    kinds = [config.layer_kind(layer) for layer in range(config.num_layers)]
    assert kinds == (["kda"] * 3 + ["mla"]) * 23 + ["mla"]
    assert (len(config.mla_layer_indices), len(config.kda_layer_indices)) == (24, 69)
    assert [layer for layer in range(93) if config.is_dense(layer)] == [0]


def test_derived_widths_of_the_published_model():
    config = CONFIGS["k3"]
    assert config.projection_size == 12_288
    assert config.qk_head_dim == 192
    assert config.cache_width == 576
    assert config.num_shared_experts == 2
    assert config.num_attn_res_blocks == 8
    assert config.a_log_size == 128


@pytest.mark.parametrize(
    ("name", "blocks"),
    [("k3-tiny", 3), ("k3-small", 3), ("k3-mini-r8", 7), ("k3-mini-r8-deep", 8), ("k3-mini-r16", 7),
     ("k3-mini-r16-deep", 8), ("k3-rank-tp8", 8), ("k3-rank-tp16", 8)],
)  # fmt: skip
def test_every_scaled_model_keeps_the_structure(name, blocks):
    config, full = CONFIGS[name], CONFIGS["k3"]
    assert config.num_attn_res_blocks == blocks
    assert config.num_layers % config.attn_res_block_size != 0  # the last block is short
    assert config.mla_layers[-2:] == (config.num_layers - 1, config.num_layers)
    assert config.mla_layers[:-1] == tuple(range(4, config.num_layers, 4))
    for field in ("first_dense", "conv_width", "gate_lower_bound", "situ_beta", "situ_linear_beta", "rms_eps"):
        assert getattr(config, field) == getattr(full, field)
    assert config.num_shared_experts == 2
    assert max(config.bos_token_id, config.eos_token_id, config.pad_token_id) < config.vocab_size


@pytest.mark.parametrize("tp", [8, 16])
def test_rank_models_have_the_published_shapes_divided_by_the_group(tp):
    rank, full = CONFIGS[f"k3-rank-tp{tp}"], CONFIGS["k3"]
    for field in ("num_heads", "expert_size", "shared_size", "dense_size", "vocab_size"):
        assert getattr(rank, field) * tp == getattr(full, field)
    for field in ("hidden_size", "latent_size", "num_experts", "top_k", "num_layers", "mla_layers"):
        assert getattr(rank, field) == getattr(full, field)


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_a_config_survives_its_json_file(name):
    document = json.loads(json.dumps(CONFIGS[name].to_hf()))
    assert K3Config.from_hf(document) == CONFIGS[name]


def test_the_published_file_reads_as_the_published_model():
    """Keys and values as the published config.json has them, trimmed to what the text model needs."""
    mla = [*range(4, 93, 4), 93]
    document = {
        "architectures": ["KimiK3ForConditionalGeneration"], "model_type": "kimi_k3", "bos_token_id": 163584,
        "eos_token_id": 163586, "pad_token_id": 163839, "media_placeholder_token_id": 163605,
        "text_config": {
            "activation_situ_beta": 4.0, "activation_situ_linear_beta": 25.0, "attn_res_block_size": 12,
            "first_k_dense_replace": 1, "hidden_act": "situ", "hidden_size": 7168, "intermediate_size": 33792,
            "kv_lora_rank": 512, "latent_moe_use_norm": True, "max_position_embeddings": 1048576,
            "linear_attn_config": {
                "full_attn_layers": mla, "kda_layers": [i for i in range(1, 94) if i not in mla], "head_dim": 128,
                "num_heads": 96, "short_conv_kernel_size": 4, "gate_lower_bound": -5.0, "use_full_rank_gate": True,
            },
            "mla_use_nope": True, "mla_use_output_gate": True, "moe_intermediate_size": 3072, "moe_layer_freq": 1,
            "moe_renormalize": True, "moe_router_activation_func": "sigmoid", "num_attention_heads": 96,
            "num_expert_group": 1, "num_experts": 896, "num_experts_per_token": 16, "num_hidden_layers": 93,
            "num_key_value_heads": 96, "num_nextn_predict_layers": 0, "num_shared_experts": 2, "q_lora_rank": 1536,
            "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-5, "routed_expert_hidden_size": 3584,
            "routed_scaling_factor": 1.0, "tie_word_embeddings": False, "topk_group": 1, "v_head_dim": 128,
            "vocab_size": 163840,
        },
    }  # fmt: skip
    assert K3Config.from_hf(document) == CONFIGS["k3"]


def test_a_text_only_file_and_absent_optional_keys_are_accepted():
    document = copy.deepcopy(CONFIGS["k3-tiny"].to_hf()["text_config"])
    del document["linear_attn_config"]["gate_lower_bound"]
    document["activation_situ_linear_beta"] = None
    for key in ("quantization_config", "mla_use_nope", "topk_method"):
        del document[key]
    expected = dataclasses.replace(CONFIGS["k3-tiny"], name="mine", gate_lower_bound=None, situ_linear_beta=None)
    assert K3Config.from_hf(document, name="mine") == expected


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("hidden_size",), "96", "hidden_size: expected an integer"),
        (("hidden_size",), None, "hidden_size: expected an integer"),
        (("hidden_size",), True, "hidden_size: expected an integer"),
        (("rms_norm_eps",), "small", "rms_norm_eps: expected a number"),
        (("hidden_act",), "silu", "hidden_act: expected 'situ', got 'silu'"),
        (("mla_use_nope",), False, "mla_use_nope: expected True, got False"),
        (("num_expert_group",), 8, "num_expert_group: expected 1, got 8"),
        (("num_nextn_predict_layers",), 1, "num_nextn_predict_layers: expected 0"),
        (("quantization_config", "format"), "pack-quantized", "quantization_config.format: expected 'mxfp4"),
        (("linear_attn_config", "use_full_rank_gate"), False, "linear_attn_config.use_full_rank_gate: expected True"),
        (("linear_attn_config", "kda_layers"), [1, 2], "do not partition 1..13"),
        (("linear_attn_config", "kda_layers"), "all", "linear_attn_config.kda_layers: expected a list of integers"),
        (("linear_attn_config", "num_heads"), 4, "linear_attn_config.num_heads: expected 8, got 4"),
        (("linear_attn_config",), [], "linear_attn_config: expected an object"),
    ],
)
def test_a_wrong_value_is_refused_by_name(path, value, message):
    document = copy.deepcopy(CONFIGS["k3-tiny"].to_hf())
    place = document["text_config"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ConfigError) as caught:
        K3Config.from_hf(document)
    assert message in str(caught.value)


@pytest.mark.parametrize("key", ["num_hidden_layers", "vocab_size", "linear_attn_config", "rms_norm_eps"])
def test_a_missing_key_is_refused_by_name(key):
    document = copy.deepcopy(CONFIGS["k3-tiny"].to_hf())
    del document["text_config"][key]
    with pytest.raises(ConfigError, match=f"^text_config.{key}: missing from config.json"):
        K3Config.from_hf(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_heads": 0}, "num_heads: expected a positive integer"),
        ({"mla_layers": (8, 4)}, "mla_layers: expected ascending"),
        ({"mla_layers": (0, 4)}, "mla_layers: expected layers 1..13"),
        ({"mla_layers": (4, 14)}, "mla_layers: expected layers 1..13"),
        ({"top_k": 17}, "top_k: expected at most"),
        ({"first_dense": 14}, "first_dense: expected 0..13"),
        ({"expert_size": 48, "shared_size": 96}, "expert_size: expected a multiple of 32"),
        ({"latent_size": 40}, "latent_size: expected a multiple of 32"),
        ({"shared_size": 100}, "shared_size: expected a multiple"),
        ({"gate_lower_bound": 5.0}, "gate_lower_bound: expected a negative"),
        ({"expert_act": "int8"}, "expert_act: expected bf16 or mxfp8"),
    ],
)
def test_an_impossible_model_is_refused(change, message):
    with pytest.raises(ConfigError) as caught:
        dataclasses.replace(CONFIGS["k3-tiny"], **change)
    assert message in str(caught.value)
