import dataclasses

import pytest
import torch

from k3_decode.errors import ArgumentError
from k3_decode.reference.plan import SHORT, StepPlan


@pytest.fixture
def talk(tiny64, conversation):
    return conversation(tiny64, requests=3, max_tokens=20)


def _plan(batch, talk) -> StepPlan:
    return StepPlan(batch, talk.cache, vocab_size=512)


def test_rows_follow_the_block_table(talk):
    talk.lengths = [0, 6, 0]
    plan = _plan(talk.batch([(1, [7, 8, 9]), (None, [0]), (0, [5])]), talk)
    table = talk.tables
    expected = [table[1][1] * 4 + 2, table[1][1] * 4 + 3, table[1][2] * 4, table[0][0] * 4]
    assert plan.rows.tolist() == expected
    assert plan.live.tolist() == [0, 1, 2, 4]
    assert plan.padding.tolist() == [False, False, False, True, False]


def test_requests_of_equal_length_share_a_group(talk):
    plan = _plan(talk.batch([(0, [1]), (1, [1] * 12), (2, [1])]), talk)
    decode, prefill = plan.groups("auto")
    assert [group.tokens.tolist() for group in decode] == [[[0], [13]]]
    assert [group.tokens.tolist() for group in prefill] == [[list(range(1, 13))]]
    assert [group.size for group in plan.groups("decode")[0]] == [2, 1]
    assert plan.groups("decode")[1] == []
    assert [group.length for group in plan.groups("prefill")[1]] == [1, 12, 1]


@pytest.mark.parametrize(("length", "form"), [(1, 0), (SHORT, 0), (SHORT + 1, 1)])
def test_short_runs_take_the_decode_form(talk, length, form):
    groups = _plan(talk.batch([(0, [1] * length)]), talk).groups("auto")
    assert [len(g) for g in groups] == [1 - form, form]


def test_only_requests_without_context_are_fresh(talk):
    talk.lengths = [0, 6, 0]
    (group,), _ = _plan(talk.batch([(0, [1]), (1, [1])]), talk).groups("auto")
    assert group.fresh.tolist() == [True, False]
    talk.lengths = [3, 6, 0]
    (group,), _ = _plan(talk.batch([(0, [1]), (1, [1])]), talk).groups("auto")
    assert group.fresh is None
    assert (group.context.tolist(), group.longest) == ([3, 6], 7)


def test_blocks_beyond_a_request_are_the_null_block(talk):
    """A table may name stale blocks after a request's own; nothing may read them."""
    talk.lengths = [1, 9, 0]
    (group,), _ = _plan(talk.batch([(0, [1]), (1, [1])]), talk).groups("auto")
    assert group.blocks.tolist() == [[talk.tables[0][0], 0, 0], talk.tables[1][:3].tolist()]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": torch.tensor([1, 2, 512])}, "tokens: expected ids 0..511, got 1..512"),
        ({"tokens": torch.tensor([1, -1, 2])}, "tokens: expected ids 0..511"),
        ({"query_starts": torch.tensor([0, 3])}, "query_starts: expected 3 entries, got 2"),
        ({"query_starts": torch.tensor([1, 2, 3])}, "query_starts: expected a first entry of 0"),
        ({"query_starts": torch.tensor([0, 2, 4])}, "query_starts: expected a last entry of 3"),
        ({"query_starts": torch.tensor([0, 3, 3])}, "query_starts: expected a token or more for request 1"),
        ({"context_lens": torch.tensor([0])}, "context_lens: expected 2 entries"),
        ({"context_lens": torch.tensor([0, -1])}, "context_lens: expected 0 or more"),
        ({"slots": torch.tensor([2, 2])}, "slots: expected a slot of its own"),
        ({"slots": torch.tensor([2, 4])}, "slots: expected less than 4, got 4"),
        ({"block_tables": torch.zeros(2, 5, dtype=torch.int64)}, "block_tables: expected blocks 1..15"),
        ({"block_tables": torch.full((2, 5), 16)}, "block_tables: expected blocks 1..15"),
        ({"block_tables": torch.ones(2, 5, dtype=torch.int64)}, "block_tables: expected no block written by two"),
        ({"block_tables": torch.ones(3, 5, dtype=torch.int64)}, "block_tables: expected shape [2, max_blocks]"),
        ({"context_lens": torch.tensor([0, 20])}, "block_tables: expected 6 blocks for request 1, got 5"),
        ({"logit_rows": torch.tensor([3])}, "logit_rows: expected 0..2, got 3"),
    ],
)
def test_a_batch_that_contradicts_itself_is_refused(talk, change, message):
    batch = dataclasses.replace(talk.batch([(0, [1, 2]), (1, [3])]), **change)
    with pytest.raises(ArgumentError) as caught:
        _plan(batch, talk)
    assert message in str(caught.value)
    assert caught.value.operator == "StepBatch"


def test_two_requests_may_read_a_shared_prefix(talk):
    """Full blocks before the first new token may be shared; only written blocks must be private."""
    talk.lengths = [8, 8, 0]
    talk.tables[1][:2] = talk.tables[0][:2]
    plan = _plan(talk.batch([(0, [1]), (1, [1])]), talk)
    assert len(plan.rows.unique()) == 2
