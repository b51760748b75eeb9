import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from k3_decode.engine.output_text import OutputText
from k3_decode.engine.pools import Pool
from k3_decode.engine.request import Request, SamplingParams
from k3_decode.engine.scheduler import Scheduler
from k3_decode.engine.tokenizer import ByteTokenizer
from k3_decode.errors import ArgumentError

TOKENIZER = ByteTokenizer(512)


def request(name: str, prompt: int, answer: int = 4) -> Request:
    params = SamplingParams(max_tokens=answer, seed=0)
    return Request(id=name, prompt=(1,) * prompt, params=params, text=OutputText(TOKENIZER))


def scheduler(*, blocks: int = 16, slots: int = 4, block_size: int = 4, budget: int = 8) -> Scheduler:
    return Scheduler(blocks=Pool(blocks + 1), slots=Pool(slots + 1), block_size=block_size, max_step_tokens=budget)


def run_step(each: Scheduler) -> list[tuple[str, int, int]]:
    """Schedule, pretend to compute, and give every complete request one more token; end those that are done."""
    chunks = each.schedule()
    for chunk in chunks:
        chunk.request.computed += chunk.count
        if chunk.request.pending == 0:
            chunk.request.tokens.append(1)
            if chunk.request.generated == chunk.request.params.max_tokens:
                each.remove(chunk.request)
    return [(chunk.request.id, chunk.start, chunk.count) for chunk in chunks]


def test_prompts_are_read_in_order_of_arrival_within_the_budget():
    each = scheduler(budget=8)
    each.add(request("a", 5))
    each.add(request("b", 10))
    assert run_step(each) == [("a", 0, 5), ("b", 0, 3)]
    assert run_step(each) == [("a", 5, 1), ("b", 3, 7)]
    assert run_step(each) == [("a", 6, 1), ("b", 10, 1)]


def test_nobody_overtakes_a_request_that_waits_for_blocks():
    each = scheduler(blocks=4, block_size=4)
    each.add(request("a", 8))
    each.add(request("large", 12))
    each.add(request("small", 1))
    assert [name for name, _, _ in run_step(each)] == ["a"]
    assert each.waiting == 2


def test_slots_bound_the_running_requests():
    each = scheduler(slots=2)
    for name in "abc":
        each.add(request(name, 1))
    assert [name for name, _, _ in run_step(each)] == ["a", "b"]
    assert (each.running, each.waiting) == (2, 1)


def test_the_request_admitted_last_gives_way_and_is_computed_again():
    each = scheduler(blocks=4, block_size=2, budget=8)
    each.add(request("old", 3, answer=5))
    each.add(request("new", 1, answer=5))
    for _ in range(4):
        run_step(each)
    assert each.preemptions == 1
    later = [chunk for _ in range(8) for chunk in run_step(each)]
    assert ("new", 0, 3) in later
    assert (each.running, each.waiting, each.blocks.used, each.slots.used) == (0, 0, 0, 0)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 20), st.integers(1, 12)), min_size=1, max_size=12),
    st.integers(8, 16),
    st.integers(1, 4),
    st.integers(4, 16),
)
def test_everything_ends_and_nothing_is_lost_or_shared(sizes, blocks, slots, budget):
    each = scheduler(blocks=blocks, slots=slots, block_size=4, budget=budget)
    for index, (prompt, answer) in enumerate(sizes):
        each.add(request(str(index), prompt, answer))
    for _ in range(3000):
        held = [block for one in each.requests() for block in one.blocks]
        assert len(held) == len(set(held)) == each.blocks.used
        assert 0 not in held
        steps = run_step(each)
        assert sum(count for _, _, count in steps) <= budget
        assert len({name for name, _, _ in steps}) == len(steps)
        if not steps:
            break
    assert (each.running, each.waiting, each.blocks.used, each.slots.used) == (0, 0, 0, 0)


def test_a_pool_hands_out_everything_but_zero_once():
    pool = Pool(4)
    assert sorted(pool.take(3)) == [1, 2, 3]
    assert (pool.free, pool.used, pool.capacity) == (0, 3, 3)
    with pytest.raises(ArgumentError, match="at most 0"):
        pool.take(1)
    pool.give_back([2])
    assert pool.take(1) == [2]


@pytest.mark.parametrize("number", [0, 3])
def test_a_pool_takes_back_only_what_is_taken(number):
    pool = Pool(4)
    pool.take(2)
    with pytest.raises(ArgumentError, match="taken"):
        pool.give_back([number])


def test_a_pool_needs_more_than_the_padding():
    with pytest.raises(ArgumentError):
        Pool(1)
