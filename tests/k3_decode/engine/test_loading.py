"""What the options of the command line make of a model."""

import argparse

import pytest
import torch

from k3_decode.engine.loading import LoadedModel, add_model_options, load_model


@pytest.fixture(autouse=True)
def _threads():
    """Give the process back the threads it had: loading sets their number."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def load(*arguments: str) -> LoadedModel:
    parser = argparse.ArgumentParser()
    add_model_options(parser)
    return load_model(parser.parse_args(["--config", "k3-tiny", "--device", "cpu", *arguments]))


def test_activations_of_experts_are_an_option_that_leaves_the_weights_alone():
    plain, rounded = load(), load("--expert-act", "mxfp8")
    assert (plain.model.config.expert_act, rounded.model.config.expert_act) == ("bf16", "mxfp8")
    assert plain.weights == rounded.weights
    assert torch.equal(plain.model.weights.head, rounded.model.weights.head)


def test_other_activations_are_refused(capsys):
    with pytest.raises(SystemExit):
        load("--expert-act", "int8")
    assert "--expert-act" in capsys.readouterr().err
