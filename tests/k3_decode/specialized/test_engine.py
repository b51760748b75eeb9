"""The engine decodes through kernels where it is asked to, and the ledger says so."""

import os
import pathlib

import pytest
import torch

from k3_decode.bench.decode_block import BlockPlan, time_block
from k3_decode.bench.random_model import RandomWeights
from k3_decode.build.manifest import read_manifest
from k3_decode.config import CONFIGS
from k3_decode.decoder import NOT_BUILT, Reason, Specialization
from k3_decode.engine.config import EngineConfig
from k3_decode.engine.core import Engine
from k3_decode.engine.loading import specialize
from k3_decode.engine.request import SamplingParams
from k3_decode.errors import UnsupportedDeviceError
from k3_decode.kernels.head_top import HeadTop
from k3_decode.reference.model import K3Model
from k3_decode.specialized.operators import TOP
from k3_decode.specialized.prepare import device_architecture, prepare_kernels

LIMITS = EngineConfig(max_running=8, max_model_len=256, num_blocks=128, max_step_tokens=64)


def answers(engine: Engine, *, logprobs: int | None = None) -> dict[str, list[int]]:
    """Run six greedy requests of different lengths to their end; logits are read where log-probabilities are asked."""
    for index in range(6):
        params = SamplingParams(max_tokens=12 + index, seed=0, temperature=0.0, ignore_eos=True, logprobs=logprobs)
        engine.add(str(index), list(range(1, 8 + 5 * index)), params)
    found: dict[str, list[int]] = {}
    while not engine.idle:
        for output in engine.step():
            found.setdefault(output.request_id, []).extend(output.tokens)
    return found


@pytest.mark.gpu
def test_both_arms_of_the_engine_differ_in_their_path_and_not_in_what_they_say():
    model = RandomWeights(CONFIGS["k3-small"], 4, torch.device("cuda")).model()
    specialization = specialize(model, "specialized", pathlib.Path(os.environ["K3_DECODE_KERNELS"]))
    assert specialization.refusals == (), specialization.detail
    stock = Engine(model, config=LIMITS, mode="stock", specialization=specialize(model, "stock", None))
    kernels = Engine(model, config=LIMITS, mode="specialized", specialization=specialization)
    expected, got = answers(stock), answers(kernels)
    assert {name: len(tokens) for name, tokens in got.items()} == {str(i): 12 + i for i in range(6)}
    first = [got[name][:2] == expected[name][:2] for name in got]
    assert sum(first) >= 5, "the first decoded tokens differ in more than one close call"
    ledger = kernels.decoder.ledger.snapshot()
    for bucket in ledger["buckets"]:
        assert bucket["specialized_steps" if bucket["phase"] == "decode" else "stock_steps"] > 0
        assert [each["reason"] for each in bucket["reasons"] if bucket["phase"] == "decode"] == []
    assert any(bucket["phase"] == "decode" for bucket in ledger["buckets"])
    assert len(ledger["kernel_digests"]) > 15
    manifest = read_manifest(pathlib.Path(os.environ["K3_DECODE_KERNELS"]))
    assert manifest["kernels"][HeadTop(TOP).name]["cubin_sha256"] in ledger["kernel_digests"]
    plain = stock.decoder.ledger.snapshot()
    assert plain["kernel_digests"] == []
    assert {each["reason"] for bucket in plain["buckets"] for each in bucket["reasons"]} >= {str(Reason.MODE)}


@pytest.mark.gpu
def test_greedy_answers_are_the_same_from_ranked_steps_as_from_logits():
    model = RandomWeights(CONFIGS["k3-small"], 4, torch.device("cuda")).model()
    specialization = specialize(model, "specialized", pathlib.Path(os.environ["K3_DECODE_KERNELS"]))
    ranked, read = (Engine(model, config=LIMITS, mode="specialized", specialization=specialization) for _ in range(2))
    assert answers(ranked) == answers(read, logprobs=2)
    for engine in (ranked, read):
        buckets = engine.decoder.ledger.snapshot()["buckets"]
        assert sum(each["stock_steps"] for each in buckets if each["phase"] == "decode") == 0


@pytest.mark.gpu
def test_a_timed_block_runs_its_steps_through_kernels():
    model = RandomWeights(CONFIGS["k3-small"], 4, torch.device("cuda")).model()
    specialization = specialize(model, "specialized", pathlib.Path(os.environ["K3_DECODE_KERNELS"]))
    plan = BlockPlan(batch=2, context=40, steps=20, warmup=3, seed=1, kernels=True)
    block = time_block(model, plan, mode="specialized", specialization=specialization)
    [bucket] = block["ledger"]["buckets"]
    assert (bucket["rows"], bucket["specialized_steps"], bucket["stock_steps"]) == (2, 20, 0)
    assert block["ledger"]["kernel_digests"]
    launched = sum(row["launches"] for row in block["kernels"] if row["kernel"] is not None)
    assert launched > 4 * model.config.num_layers, [row["kernel"] for row in block["kernels"]]


@pytest.mark.gpu
def test_a_model_no_kernel_serves_runs_stock_and_says_why():
    model = RandomWeights(CONFIGS["k3-tiny"], 4, torch.device("cuda")).model()
    refused = specialize(model, "specialized", pathlib.Path(os.environ["K3_DECODE_KERNELS"]))
    assert refused.refusals == (Reason.MODEL,)
    assert "kda_head_dim" in refused.detail


@pytest.fixture(scope="module")
def tiny() -> K3Model:
    return K3Model.synthetic(CONFIGS["k3-tiny"], 0, torch.float32)


def test_stock_needs_no_kernels(tiny):
    assert specialize(tiny, "stock", None) == Specialization(None)


def test_a_model_on_the_cpu_has_no_kernels(tiny, tmp_path):
    assert specialize(tiny, "specialized", tmp_path) == NOT_BUILT
    assert list(tmp_path.iterdir()) == []


def test_preparing_kernels_for_a_cpu_is_refused_with_what_is_needed(tiny, tmp_path):
    with pytest.raises(UnsupportedDeviceError, match=r"9\.0 or 10\.0 or 10\.3"):
        prepare_kernels(tiny, tmp_path)
    with pytest.raises(UnsupportedDeviceError, match="got device cpu"):
        device_architecture(torch.device("cpu"))
