import json
import shutil

import pytest
import torch

from k3_decode.config import CONFIGS
from k3_decode.engine.config import EngineConfig
from k3_decode.engine.identity import checkpoint_weights, describe, synthetic_weights
from k3_decode.errors import CheckpointError
from k3_decode.reference.synthetic import write_checkpoint

TINY = CONFIGS["k3-tiny"]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoint")
    write_checkpoint(TINY, 0, folder, num_shards=3)
    return folder


def test_synthetic_weights_are_known_by_config_and_seed():
    first = synthetic_weights(TINY, seed=0)
    assert first == synthetic_weights(TINY, seed=0)
    assert first["over"] == "config and seed"
    assert first["sha256"] != synthetic_weights(TINY, seed=1)["sha256"]
    assert first["sha256"] != synthetic_weights(CONFIGS["k3-small"], seed=0)["sha256"]


def test_a_checkpoint_is_known_by_its_tensors_not_by_its_files(checkpoint, tmp_path):
    write_checkpoint(TINY, 0, tmp_path, num_shards=1)
    assert checkpoint_weights(checkpoint) == checkpoint_weights(tmp_path)
    assert checkpoint_weights(checkpoint)["over"] == "checkpoint tensors"


def test_the_weights_format_is_the_one_the_checkpoint_states(checkpoint):
    stated = json.loads((checkpoint / "config.json").read_text())["text_config"]["quantization_config"]["format"]
    assert checkpoint_weights(checkpoint)["format"] == synthetic_weights(TINY, seed=0)["format"] == stated


def test_one_changed_byte_changes_the_digest(checkpoint, tmp_path):
    copy = shutil.copytree(checkpoint, tmp_path / "copy")
    file = sorted(copy.glob("*.safetensors"))[0]
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert checkpoint_weights(copy) != checkpoint_weights(checkpoint)


def test_a_file_cut_short_is_refused(checkpoint, tmp_path):
    copy = shutil.copytree(checkpoint, tmp_path / "copy")
    file = sorted(copy.glob("*.safetensors"))[0]
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match="1 bytes early"):
        checkpoint_weights(copy)


def test_a_folder_without_tensors_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="no tensors"):
        checkpoint_weights(tmp_path)


def test_the_identity_is_complete_and_json(model64):
    identity = describe(
        model64,
        weights=synthetic_weights(TINY, seed=0),
        dequantized_experts=True,
        mode="specialized",
        engine=EngineConfig(),
    )
    assert json.loads(json.dumps(identity))["model"]["mla_layers"] == [4, 8, 12, 13]
    assert identity["decode"] == {
        "mode": "specialized",
        "standing_reasons": ["no CUDA device", "kernels not built"],
    }
    assert identity["engine"]["max_running"] == 64
    assert (identity["dtype"], identity["device"], identity["threads"]) == ("float64", "cpu", 1)
    assert identity["packages"]["torch"] == torch.__version__
    assert len(identity["tokenizer_sha256"]) == len(identity["chat_template_sha256"]) == 64
