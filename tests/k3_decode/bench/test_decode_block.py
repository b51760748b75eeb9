import hashlib

import pytest
import torch

from k3_decode.bench.decode_block import BlockPlan, time_block
from k3_decode.config import CONFIGS
from k3_decode.engine.config import EngineConfig
from k3_decode.engine.core import Engine
from k3_decode.engine.request import SamplingParams
from k3_decode.reference.model import K3Model


@pytest.fixture(scope="module")
def model():
    torch.set_num_threads(1)
    return K3Model.synthetic(CONFIGS["k3-tiny"], 0, torch.float64, dequantize_experts=True)


def plan(**changes) -> BlockPlan:
    return BlockPlan(**({"batch": 3, "context": 20, "steps": 6, "warmup": 2, "seed": 1} | changes))


def test_each_timed_step_has_a_row_and_a_place_in_the_ledger(model):
    result = time_block(model, plan(), mode="stock")
    assert [row["step"] for row in result["rows"]] == list(range(6))
    assert all(row["latency_us"] > 0 for row in result["rows"])
    starts = [row["monotonic_ns"] for row in result["rows"]]
    ends = [row["monotonic_ns"] + row["latency_us"] * 1000 for row in result["rows"]]
    assert all(start >= end for start, end in zip(starts[1:], ends, strict=False))
    [bucket] = result["ledger"]["buckets"]
    assert (bucket["phase"], bucket["rows"], bucket["tokens_per_request"]) == ("decode", 3, 1)
    assert (bucket["stock_steps"], bucket["specialized_steps"]) == (6, 0)


def test_preparation_is_reported_apart(model):
    buckets = time_block(model, plan(), mode="stock")["setup_ledger"]["buckets"]
    assert [(each["phase"], each["stock_steps"]) for each in buckets] == [("decode", 2), ("prefill", 3)]


def test_both_modes_give_the_same_tokens_and_own_up_to_their_path(model):
    stock = time_block(model, plan(), mode="stock")
    asked = time_block(model, plan(), mode="specialized")
    assert stock["tokens_sha256"] == asked["tokens_sha256"]
    reasons = [{each["reason"] for each in result["ledger"]["buckets"][0]["reasons"]} for result in (stock, asked)]
    assert reasons[0] - reasons[1] == {"decode mode is stock"}
    assert reasons[1] == {"no CUDA device", "kernels not built"}


def test_the_digest_follows_the_inputs(model):
    digests = [
        time_block(model, each, mode="stock")["tokens_sha256"]
        for each in (plan(), plan(), plan(seed=2), plan(context=21), plan(batch=2))
    ]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


@pytest.mark.parametrize(("context", "steps"), [(600, 3), (2, 20)])
def test_the_block_decodes_what_the_engine_decodes(model, context, steps):
    """Long contexts are read in pieces; the tokens must be those of the engine over the same prompt."""
    prompt = torch.randint(512, (1, context), generator=torch.Generator().manual_seed(5)).tolist()[0]
    engine = Engine(model, config=EngineConfig(), mode="stock")
    engine.add("a", prompt, SamplingParams(max_tokens=steps + 1, seed=0, temperature=0.0, ignore_eos=True))
    tokens: list[int] = []
    while not engine.idle:
        tokens += [token for output in engine.step() for token in output.tokens]
    timed = time_block(model, plan(batch=1, context=context, steps=steps, warmup=0, seed=5), mode="stock")
    assert timed["tokens_sha256"] == hashlib.sha256(",".join(map(str, tokens[1:])).encode()).hexdigest()
