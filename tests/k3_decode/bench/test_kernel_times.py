"""A step is cut into its kernels and the gaps between them, and nothing of it is counted twice."""

import statistics

import pytest
import torch

from k3_decode.bench.decode_block import BlockPlan, time_block
from k3_decode.bench.kernel_times import TRACED_STEPS, add_up, cut, step_ends, trace
from k3_decode.config import CONFIGS
from k3_decode.reference.model import K3Model
from k3_decode.spans import Span

PLAN = BlockPlan(batch=2, context=12, steps=5, warmup=1, seed=1, kernels=True)


def spans(*each: tuple[str, float, float]) -> list[Span]:
    return [Span(name, start, end) for name, start, end in each]


def test_launches_of_a_kernel_stand_step_by_step_and_gaps_come_last():
    first = spans(("mix", 0, 2), ("kda", 3, 7), ("mix", 7, 8))
    second = spans(("mix", 10, 13), ("kda", 13, 18), ("mix", 20, 21))
    assert add_up([first, second]) == [
        {"kernel": "mix", "launches": 2, "times_us": [2.0, 1.0, 3.0, 1.0]},
        {"kernel": "kda", "launches": 1, "times_us": [4.0, 5.0]},
        {"kernel": None, "launches": 1, "times_us": [1.0, 2.0]},
    ]


def test_time_in_which_two_kernels_ran_is_counted_once():
    """The second was launched early and waited; the third ran and ended while the first still did."""
    step = spans(("first", 0, 10), ("third", 2, 4), ("second", 1, 15))
    rows = {row["kernel"]: row["times_us"] for row in add_up([step])}
    assert rows == {"first": [10.0], "second": [5.0], "third": [0.0], None: [0.0]}


def test_a_kernel_that_is_launched_now_more_and_now_less_is_summed_over_a_step():
    rows = add_up([spans(("expert", 0, 1), ("expert", 1, 3)), spans(("expert", 0, 4))])
    assert rows[0] == {"kernel": "expert", "launches": 1, "times_us": [3.0, 4.0]}
    assert [len(row["times_us"]) for row in rows] == [2, 2]


@pytest.mark.parametrize(
    ("waits", "ends"), [([3, 1, 2], [1, 2]), ([1, 2, 3, 4, 5], [2, 4]), ([1, 2], [1, 2]), ([], [])]
)
def test_a_step_ends_with_its_last_wait(waits, ends):
    assert step_ends(waits, 2) == ends


def test_kernels_belong_to_the_step_in_which_they_end():
    first, second, late = spans(("a", 1, 2), ("b", 6, 9), ("c", 11, 12))
    assert cut([second, late, first], [5.0, 10.0]) == [[first], [second]]


@pytest.mark.parametrize("steps", [[], [[]], [spans(("mix", 0, 1)), []]])
def test_a_step_of_which_nothing_is_known_leaves_nothing_known(steps):
    assert add_up(steps) == []


def test_names_fit_into_a_bundle():
    [row, _] = add_up([spans(("void kernel<\n" + 300 * "x", 0, 1))])
    assert row["kernel"] == "void kernel< " + 187 * "x"


@pytest.fixture(scope="module")
def model() -> K3Model:
    return K3Model.synthetic(CONFIGS["k3-tiny"], 0, torch.float32, dequantize_experts=True)


def test_on_a_cpu_the_timed_steps_are_made_of_their_operators(model):
    block = time_block(model, PLAN, mode="stock")
    rows = {row["kernel"]: row for row in block["kernels"]}
    layers = model.config.num_layers
    assert rows["kda_attention"]["launches"] + rows["mla_attention"]["launches"] == layers
    assert rows["mlp"]["launches"] + rows["latent_moe"]["launches"] == layers
    assert {rows[name]["launches"] for name in ("embed", "head", "sample")} == {1}
    parts = [0.0] * PLAN.steps
    for row in block["kernels"]:
        for index, time_us in enumerate(row["times_us"]):
            parts[index // row["launches"]] += time_us
    # They lie inside the steps, whatever the machine does meanwhile.
    assert all(part <= step["latency_us"] for part, step in zip(parts, block["rows"], strict=True))


def test_kernels_are_not_timed_unless_asked_for(model):
    plain = BlockPlan(batch=2, context=12, steps=5, warmup=1, seed=1)
    block = time_block(model, plain, mode="stock")
    assert block["kernels"] == []
    assert block["tokens_sha256"] == time_block(model, PLAN, mode="stock")["tokens_sha256"]


@pytest.mark.gpu
def test_a_gpu_traces_the_kernels_of_a_graph_and_of_plain_launches():
    values = torch.ones(1 << 20, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(3):
            values.mul_(1.0)

    def step() -> float:
        graph.replay()
        return float(values.add_(1.0)[0])

    rows = add_up(trace(step))
    kernels = [row for row in rows if row["kernel"] is not None]
    assert sum(row["launches"] for row in kernels) >= 5, rows
    assert all(len(row["times_us"]) == TRACED_STEPS * row["launches"] for row in rows)
    assert all(time_us >= 0 for row in rows for time_us in row["times_us"])


@pytest.mark.gpu
def test_on_a_gpu_further_steps_are_traced_and_not_counted():
    model = K3Model.synthetic(CONFIGS["k3-tiny"], 0, torch.bfloat16, device="cuda")
    block = time_block(model, PLAN, mode="stock")
    kernels = [row for row in block["kernels"] if row["kernel"] is not None]
    assert len(kernels) > 5
    assert {len(row["times_us"]) // row["launches"] for row in block["kernels"]} == {TRACED_STEPS}
    assert sum(bucket["stock_steps"] for bucket in block["ledger"]["buckets"]) == PLAN.steps
    assert statistics.median(kernels[0]["times_us"]) > 0
