import dataclasses
import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from k3_decode.config import CONFIGS
from k3_decode.errors import (
    ArgumentError,
    CheckpointError,
    ConfigError,
    MissingTensorError,
    TensorMismatchError,
)
from k3_decode.reference.checkpoint import Checkpoint
from k3_decode.reference.model import K3Model
from k3_decode.reference.sharded import ShardedModel
from k3_decode.reference.sharding import Shard
from k3_decode.reference.synthetic import SyntheticSource, write_checkpoint
from k3_decode.reference.tensors import PREFIX, tensor_table
from k3_decode.reference.weights import ModelWeights

INDEX = "model.safetensors.index.json"
EXPERT = "model.layers.1.block_sparse_moe.experts.3"


@pytest.fixture(scope="module")
def stored(micro, tmp_path_factory):
    path = tmp_path_factory.mktemp("stored")
    write_checkpoint(micro, 5, path, num_shards=2)
    return path


@pytest.fixture
def folder(stored, tmp_path):
    """A private copy that a test may damage."""
    return shutil.copytree(stored, tmp_path / "copy")


def _rewrite(folder, change):
    """Apply ``change(tensors)`` to the single file the checkpoint becomes."""
    tensors = {}
    for path in sorted(folder.glob("*.safetensors")):
        tensors.update(load_file(path))
        path.unlink()
    (folder / INDEX).unlink()
    save_file(change(tensors), folder / "model.safetensors")


def _logits(model, conversation, prompt):
    return conversation(model).step([(0, prompt(9))], every_row=True)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_a_loaded_model_is_the_synthetic_model(stored, micro, conversation, prompt, dtype):
    loaded = K3Model.from_checkpoint(stored, dtype=dtype)
    expected = K3Model.synthetic(micro, 5, dtype)
    assert torch.equal(_logits(loaded, conversation, prompt), _logits(expected, conversation, prompt))


def test_options_of_the_server_are_not_in_the_checkpoint(stored):
    model = K3Model.from_checkpoint(stored, dtype=torch.float32, expert_act="mxfp8", dequantize_experts=True)
    assert model.config.expert_act == "mxfp8"
    assert type(model.weights.layers[1].feed_forward.experts).__name__ == "DecodedExperts"


@pytest.mark.parametrize("size", [2, 4, 16])
@pytest.mark.parametrize("front", ["replicated", "sharded"])
def test_ranks_load_their_shards(stored, micro, conversation, prompt, size, front):
    whole = K3Model.synthetic(micro, 5, torch.float64)
    sharded = ShardedModel.from_checkpoint(stored, dtype=torch.float64, tp_size=size, front=front)
    assert_close(_logits(sharded, conversation, prompt), _logits(whole, conversation, prompt))


def test_packed_experts_stay_packed(stored):
    model = K3Model.from_checkpoint(stored, dtype=torch.bfloat16)
    experts = model.weights.layers[1].feed_forward.experts
    for tensor in (experts.w13_packed, experts.w13_scale, experts.w2_packed, experts.w2_scale):
        assert tensor.dtype == torch.uint8


def test_decay_gates_and_router_keep_the_accumulation_dtype(stored):
    weights = K3Model.from_checkpoint(stored, dtype=torch.bfloat16).weights
    attention, moe = weights.layers[1].attention, weights.layers[1].feed_forward
    kept = (attention.conv, attention.a_log, attention.dt_bias, attention.o_norm, moe.bias, moe.router)
    assert {tensor.dtype for tensor in kept} == {torch.float32}
    assert attention.in_proj.dtype == torch.bfloat16


class _CountingSource(SyntheticSource):
    """Counts the bytes it was asked for."""

    read_bytes = 0

    def read(self, spec, index):
        part = super().read(spec, index)
        self.read_bytes += part.numel() * part.element_size()
        return part


@pytest.mark.parametrize("size", [2, 4])
def test_a_rank_reads_only_its_slices(tiny, size):
    source = _CountingSource(tiny, 0)
    options = {"dtype": torch.float32, "device": torch.device("cpu"), "dequantize_experts": False}
    ModelWeights.build(source, tiny, Shard(1, size, "sharded"), **options)
    total = sum(spec.nbytes for spec in tensor_table(tiny))
    replicated = sum(spec.nbytes for spec in tensor_table(tiny) if spec.split == "replicated")
    scales = sum(spec.nbytes for spec in tensor_table(tiny) if spec.name.endswith("w2.weight_scale"))
    assert source.read_bytes <= (total - replicated) / size + replicated + scales


@pytest.mark.parametrize("style", ["published", "without_model", "text_only"])
def test_names_are_found_under_every_known_prefix(folder, micro, conversation, prompt, style):
    def rename(name: str) -> str:
        text = name.removeprefix(PREFIX)
        return {"published": name, "without_model": PREFIX + text.removeprefix("model."), "text_only": text}[style]

    _rewrite(folder, lambda tensors: {rename(name): tensor for name, tensor in tensors.items()})
    got = _logits(K3Model.from_checkpoint(folder, dtype=torch.float32), conversation, prompt)
    assert torch.equal(got, _logits(K3Model.synthetic(micro, 5, torch.float32), conversation, prompt))


def test_tensors_of_other_parts_are_ignored(folder):
    extra = {"vision_tower.patch_embed.proj.weight": torch.zeros(4, 3), "mm_projector.linear_1.weight": torch.ones(2)}
    _rewrite(folder, lambda tensors: tensors | extra)
    K3Model.from_checkpoint(folder, dtype=torch.float32)


@pytest.mark.parametrize("shape", [(1, 1, 8, 1), (8,), (16,)])
@pytest.mark.parametrize("size", [1, 2])
def test_every_form_of_a_log_loads(tmp_path, conversation, prompt, shape, size):
    """Padded to one head width as published, unpadded, and the older four-axis form."""
    config = CONFIGS["k3-tiny"]
    write_checkpoint(config, 1, tmp_path, num_shards=1)

    def change(tensors):
        for name, tensor in tensors.items():
            if name.endswith("A_log") and shape != (16,):
                tensors[name] = tensor[:8].reshape(shape).contiguous()
        return tensors

    _rewrite(tmp_path, change)
    expected = K3Model.synthetic(config, 1, torch.float64)
    got = ShardedModel.from_checkpoint(tmp_path, dtype=torch.float64, tp_size=size)
    for layer, whole in enumerate(expected.weights.layers):
        if config.layer_kind(layer) == "kda":
            parts = [rank.weights.layers[layer].attention.a_log for rank in got.ranks]
            assert torch.equal(torch.cat(parts), whole.attention.a_log)


def test_a_missing_tensor_is_named_with_every_name_tried(folder):
    gone = f"{PREFIX}model.layers.2.self_attn.kv_a_layernorm.weight"
    _rewrite(folder, lambda tensors: {name: tensor for name, tensor in tensors.items() if name != gone})
    with pytest.raises(MissingTensorError) as caught:
        K3Model.from_checkpoint(folder, dtype=torch.float32)
    assert caught.value.tensor == gone
    for name in (gone, gone.replace("language_model.model.", "language_model."), gone.removeprefix(PREFIX)):
        assert name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "change", "what", "expected", "got"),
    [
        ("model.layers.1.self_attn.q_proj.weight", lambda t: t.T.contiguous(), "shape", "(256, 96)", "(96, 256)"),
        ("model.layers.1.self_attn.q_proj.weight", lambda t: t.float(), "dtype", "BF16", "F32"),
        ("model.layers.1.self_attn.dt_bias", lambda t: t.bfloat16(), "dtype", "F32", "BF16"),
        ("model.layers.1.self_attn.A_log", lambda t: t.repeat(2), "shape", "(16,), (16,) or (1, 1, 16, 1)", "(32,)"),
        (f"{EXPERT}.w2.weight_packed", lambda t: t.view(torch.int8), "dtype", "U8", "I8"),
        (f"{EXPERT}.w1.weight_scale", lambda t: t[:, :1].contiguous(), "shape", "(64, 2)", "(64, 1)"),
        ("lm_head.weight", lambda t: t[:100].contiguous(), "shape", "(512, 96)", "(100, 96)"),
    ],
)
def test_a_wrong_tensor_is_named_with_expected_and_found(folder, name, change, what, expected, got):
    _rewrite(folder, lambda tensors: tensors | {PREFIX + name: change(tensors[PREFIX + name])})
    with pytest.raises(TensorMismatchError) as caught:
        K3Model.from_checkpoint(folder, dtype=torch.float32)
    assert caught.value.tensor == PREFIX + name
    assert (caught.value.what, caught.value.expected, caught.value.got) == (what, expected, got)


def test_a_configuration_that_does_not_fit_the_tensors_is_found_out(folder):
    document = json.loads((folder / "config.json").read_text())
    document["text_config"]["kv_lora_rank"] = 128
    (folder / "config.json").write_text(json.dumps(document))
    with pytest.raises(TensorMismatchError, match=r"kv_b_proj\.weight: shape: expected \(512, 128\), got \(512, 64\)"):
        K3Model.from_checkpoint(folder, dtype=torch.float32)


def test_a_missing_or_damaged_file_is_named(folder):
    file = folder / "model-00002-of-000002.safetensors"
    whole = file.read_bytes()
    file.write_bytes(whole[:1000])
    with pytest.raises(CheckpointError, match=r"model-00002-of-000002\.safetensors: cannot be opened"):
        K3Model.from_checkpoint(folder, dtype=torch.float32)
    file.unlink()
    with pytest.raises(CheckpointError, match=r"model-00002-of-000002\.safetensors: cannot be opened"):
        K3Model.from_checkpoint(folder, dtype=torch.float32)


def test_a_tensor_the_index_puts_in_the_wrong_file_is_found_out(folder):
    index = json.loads((folder / INDEX).read_text())
    name = f"{PREFIX}lm_head.weight"
    index["weight_map"][name] = "model-00001-of-000002.safetensors"
    (folder / INDEX).write_text(json.dumps(index))
    with pytest.raises(CheckpointError, match=r"lm_head\.weight: cannot be read from model-00001"):
        K3Model.from_checkpoint(folder, dtype=torch.float32)


@pytest.mark.parametrize(
    ("file", "text", "error", "message"),
    [
        ("config.json", None, CheckpointError, "config.json: cannot be read"),
        ("config.json", "{", CheckpointError, "config.json: not JSON"),
        ("config.json", "[]", CheckpointError, "config.json: expected a JSON object"),
        ("config.json", "{}", ConfigError, "linear_attn_config: missing"),
        (INDEX, None, CheckpointError, f"{INDEX}: cannot be read"),
        (INDEX, "{}", CheckpointError, "weight_map: expected tensor names"),
        (INDEX, '{"weight_map": {"a": 1}}', CheckpointError, "weight_map: expected tensor names"),
        (
            INDEX,
            '{"weight_map": {"a": "../other.safetensors"}}',
            CheckpointError,
            "expected names of files in the folder",
        ),
        (INDEX, '{"weight_map": {}}', MissingTensorError, "self_attention_res_norm.weight: missing"),
    ],
)
def test_a_bad_folder_is_refused(folder, file, text, error, message):
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(text)
    with pytest.raises(error) as caught:
        K3Model.from_checkpoint(folder, dtype=torch.float32)
    assert message in str(caught.value)


def test_a_model_that_does_not_divide_is_refused_before_reading(folder):
    for path in folder.glob("*.safetensors"):
        path.unlink()
    with pytest.raises(ArgumentError, match="num_heads: expected a multiple of tp_size 3"):
        K3Model.from_checkpoint(folder, dtype=torch.float32, tp_size=3)


def test_a_closed_checkpoint_has_closed_its_files(stored, micro):
    with Checkpoint(stored) as source:
        spec = tensor_table(micro)[0]
        part = source.read(spec, (slice(3, 7),))
    assert torch.equal(part, SyntheticSource(micro, 5).draw(spec)[3:7])
    assert source.config == dataclasses.replace(micro, name=stored.name)
