import json
import math

import pytest
import torch
from safetensors import safe_open

from k3_decode.config import CONFIGS, K3Config
from k3_decode.errors import ArgumentError
from k3_decode.reference.synthetic import SyntheticSource, main, write_checkpoint
from k3_decode.reference.tensors import TensorSpec, tensor_table


@pytest.fixture(scope="module")
def folder(micro, tmp_path_factory):
    path = tmp_path_factory.mktemp("synthetic")
    write_checkpoint(micro, 5, path, num_shards=3)
    return path


def test_files_hold_every_tensor_as_the_published_checkpoint_stores_it(folder, micro):
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    table = {spec.name: spec for spec in tensor_table(micro)}
    assert index["weight_map"].keys() == table.keys()
    assert index["metadata"]["total_size"] == sum(spec.nbytes for spec in table.values())
    files = sorted(set(index["weight_map"].values()))
    assert files == [f"model-{number:05d}-of-000003.safetensors" for number in (1, 2, 3)]
    for file in files:
        with safe_open(folder / file, framework="pt") as handle:
            assert set(handle.keys()) == {name for name, where in index["weight_map"].items() if where == file}
            for name in handle.keys():  # noqa: SIM118 - a safetensors handle is no mapping
                view = handle.get_slice(name)
                assert (tuple(view.get_shape()), view.get_dtype()) == (table[name].shape, table[name].dtype)


def test_files_are_of_nearly_equal_size(folder):
    sizes = [path.stat().st_size for path in folder.glob("*.safetensors")]
    assert max(sizes) < 2 * min(sizes)


def test_the_configuration_file_reads_back(folder, micro):
    document = json.loads((folder / "config.json").read_text())
    assert document["architectures"] == ["KimiK3ForConditionalGeneration"]
    assert K3Config.from_hf(document, name="micro") == micro


def test_the_same_seed_gives_the_same_bytes(folder, micro, tmp_path):
    write_checkpoint(micro, 5, tmp_path, num_shards=3)
    for path in folder.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_progress_counts_every_byte_once(micro, tmp_path):
    seen = []
    write_checkpoint(micro, 0, tmp_path, on_progress=lambda done, total: seen.append((done, total)))
    total = sum(spec.nbytes for spec in tensor_table(micro))
    done = [entry[0] for entry in seen]
    assert len(seen) == len(tensor_table(micro))
    assert done == sorted(done)
    assert seen[-1] == (total, total)


def test_seeds_and_names_draw_different_tensors(micro):
    names = ("layers.0.mlp.gate_proj.weight", "layers.0.mlp.up_proj.weight")
    a, b = (spec for spec in tensor_table(micro) if spec.name.endswith(names))
    first = SyntheticSource(micro, 0)
    assert torch.equal(first.draw(a), SyntheticSource(micro, 0).draw(a))
    assert not torch.equal(first.draw(a), first.draw(b))
    assert not torch.equal(first.draw(a), SyntheticSource(micro, 1).draw(a))


def test_drawn_bytes_do_not_depend_on_the_machine():
    """Pinned: evidence names synthetic weights by seed, so they may not drift between machines or versions."""
    config = CONFIGS["k3-tiny"]
    source = SyntheticSource(config, 0)
    specs = {spec.name.split("layers.1.")[-1]: spec for spec in tensor_table(config) if "layers.1." in spec.name}
    packed = source.draw(specs["block_sparse_moe.experts.3.w2.weight_packed"])
    scale = source.draw(specs["block_sparse_moe.experts.3.w2.weight_scale"])
    matrix = source.draw(specs["self_attn.q_proj.weight"])
    assert packed[0, :8].tolist() == PINNED_PACKED
    assert scale[:4].tolist() == PINNED_SCALE
    assert matrix[0, :4].tolist() == PINNED_MATRIX


PINNED_PACKED = [222, 89, 136, 87, 100, 204, 79, 253]
PINNED_SCALE = [[123, 122], [122, 121], [121, 122], [121, 121]]
PINNED_MATRIX = [0.15234375, -0.11083984375, -0.07421875, 0.1708984375]


def test_a_log_is_padded_with_zeros(tiny):
    spec = next(spec for spec in tensor_table(tiny) if spec.name.endswith("A_log"))
    drawn = SyntheticSource(tiny, 0).draw(spec)
    assert drawn.shape == (16,)
    assert (drawn[:8] != 0).all()
    assert (drawn[8:] == 0).all()


def test_expert_weights_have_the_deviation_of_other_matrices(tiny):
    source = SyntheticSource(tiny, 0)
    specs = {spec.name: spec for spec in tensor_table(tiny) if "layers.1.block_sparse_moe.experts.0.w1" in spec.name}
    packed, scale = (source.draw(spec) for spec in specs.values())
    assert packed.unique().numel() == 256
    assert 0.5 < scale.double().sub(127).exp2().mean() * math.sqrt(8.5625) * math.sqrt(64) < 2.5
    assert 255 not in scale


def test_the_command_writes_a_checkpoint(tmp_path, capsys):
    assert main(["--config", "k3-tiny", "--seed", "3", "--out", str(tmp_path / "out"), "--shards", "2"]) == 0
    assert "wrote k3-tiny (seed 3)" in capsys.readouterr().out
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "config.json", "model-00001-of-000002.safetensors", "model-00002-of-000002.safetensors",
        "model.safetensors.index.json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ["--config", "k4", "--out", "x"],
        ["--config", "k3-tiny"],
        ["--config", "k3-tiny", "--out", "x", "--shards", "0"],
        ["--config", "k3-tiny", "--out", "x", "--seed", "one"],
    ],
)
def test_wrong_usage_exits_with_two(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shards", [0, 10**9])
def test_an_impossible_number_of_files_is_refused(micro, tmp_path, shards):
    with pytest.raises(ArgumentError, match="num_shards"):
        write_checkpoint(micro, 0, tmp_path, num_shards=shards)


def test_as_many_files_as_tensors(tmp_path, micro):
    config = micro
    table: list[TensorSpec] = tensor_table(config)
    write_checkpoint(config, 0, tmp_path, num_shards=len(table))
    assert len(list(tmp_path.glob("*.safetensors"))) == len(table)
