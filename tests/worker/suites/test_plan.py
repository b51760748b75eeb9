"""What a nonce and a suite imply: the same for everybody, and different in everything for another nonce."""

import json
from itertools import pairwise

from worker.suites import HiddenSlice, Suite, load
from worker.suites.plan import PlannedEval, plan_eval, plan_run, slice_seed
from worker.suites.seeds import Seeds

SMOKE = load("smoke")
ORDER = ["baseline", "candidate"]
SMALL = Suite.model_validate_json(
    json.dumps(
        {
            "id": "small",
            "version": 1,
            "title": "Small",
            "subject_config": "k3-tiny",
            "sample_floor": {"p50": 1, "p90": 1, "p99": 1},
            "evals": [
                {"kind": "kernel_numerics", "id": "numerics", "time_limit_s": 1},
                {"kind": "decode_step", "id": "decode-step", "time_limit_s": 1, "batches": [1, 2],
                 "context_tokens": [8], "steps_per_block": 3, "warmup_steps": 1, "block_order": ORDER,
                 "rounds": 2},
                {"kind": "serving", "id": "serving", "time_limit_s": 1, "concurrency": [2], "requests_per_block": 2,
                 "input_tokens": 32, "output_tokens": 4, "block_order": ORDER, "rounds": 1},
                {"kind": "accuracy", "id": "accuracy", "time_limit_s": 1, "tasks": ["t"], "concurrency": 1,
                 "minimum_documents": 1},
            ],
        }
    )
)  # fmt: skip


def evals(nonce: str = "nonce") -> dict[str, PlannedEval]:
    return {planned.id: planned for planned in plan_run(SMOKE, nonce).evals}


def every_seed(nonce: str) -> list[str]:
    planned = evals(nonce).values()
    inside = [seed for one in planned for block in one.blocks for cell in block.cells for seed in cell.seeds]
    return [*inside, *(seed for one in planned for seed in one.seeds)]


def test_the_digest_depends_on_nonce_and_suite_and_on_nothing_else() -> None:
    later = SMOKE.model_copy(update={"version": SMOKE.version + 1})
    digests = {plan_run(suite, nonce).digest for suite in (SMOKE, later) for nonce in ("one", "two")}
    assert len(digests) == 4
    assert plan_run(SMOKE, "one").digest in digests


def test_the_plan_is_the_same_in_every_version() -> None:
    """A change here needs a new plan format: challenges that were issued before can no longer be followed."""
    assert plan_run(SMALL, "n" * 43).digest == "8558f703d44dede88f55af017917374d189cf9b3248e14c27ec3e3be8c7221e6"


def test_blocks_follow_the_suite_and_a_sentinel_ends_the_decode_steps() -> None:
    order = [*ORDER, *reversed(ORDER)] * 4
    decode, serving = evals()["decode-step"], evals()["serving"]
    assert [block.block.arm for block in decode.blocks] == [*order, "baseline"]
    assert [block.block.purpose for block in decode.blocks] == ["measure"] * 16 + ["drift"]
    assert [block.block.arm for block in serving.blocks] == order
    for planned in (decode, serving):
        assert [block.block.index for block in planned.blocks] == list(range(len(planned.blocks)))


def test_cells_and_requests_are_those_of_the_suite() -> None:
    decode, serving = evals()["decode-step"], evals()["serving"]
    assert {tuple(cell.cell for cell in block.cells) for block in decode.blocks} == {
        ("decode-step.b1.c64", "decode-step.b4.c64")
    }
    assert {len(cell.seeds) for block in decode.blocks for cell in block.cells} == {1}
    assert {(cell.cell, len(cell.seeds)) for block in serving.blocks for cell in block.cells} == {("serving.c2", 8)}
    assert len(serving.seeds) == 2
    assert len(evals()["numerics"].seeds) == 1


def test_the_nth_blocks_of_both_arms_share_their_seeds_and_no_others_do() -> None:
    for planned in (evals()["decode-step"], evals()["serving"]):
        by_arm = {arm: [block.cells for block in planned.blocks if block.block.arm == arm] for arm in ORDER}
        assert by_arm["baseline"][:8] == by_arm["candidate"]
        for earlier, later in pairwise(by_arm["baseline"]):
            assert not {s for c in earlier for s in c.seeds} & {s for c in later for s in c.seeds}


def test_another_nonce_changes_every_seed() -> None:
    pool = {slice_seed(index) for index in range(64)}
    assert not (set(every_seed("one")) & set(every_seed("two"))) - pool
    assert len(every_seed("one")) == 17 * 2 + 16 * 8 + 2 + 1 + 8


def test_a_hidden_slice_rides_in_every_block_and_never_twice_in_an_arm() -> None:
    pool = {slice_seed(index) for index in range(64)}
    assert len(pool) == 64
    riders = {}
    for nonce in ("one", "two"):
        blocks = evals(nonce)["serving"].blocks
        for arm in ORDER:
            found = [
                [s for c in block.cells for s in c.seeds if s in pool] for block in blocks if block.block.arm == arm
            ]
            assert [len(seeds) for seeds in found] == [1] * 8
            riders[nonce, arm] = [seed for seeds in found for seed in seeds]
            assert len(set(riders[nonce, arm])) == 8
        assert riders[nonce, "baseline"] == riders[nonce, "candidate"]
    assert riders["one", "baseline"] != riders["two", "baseline"]
    places = {
        nonce: [
            cell.seeds.index(*(set(cell.seeds) & pool))
            for block in evals(nonce)["serving"].blocks
            for cell in block.cells
        ]
        for nonce in ("one", "two")
    }
    assert places["one"] != places["two"]


def test_a_pool_that_is_too_small_leaves_the_last_blocks_without() -> None:
    serving = SMOKE.evals[2].model_copy(update={"hidden_slice": HiddenSlice(pool=3, per_block=2)})
    blocks = plan_eval(serving, Seeds("nonce")).blocks
    pool = {slice_seed(index) for index in range(3)}
    ours = [sum(s in pool for c in block.cells for s in c.seeds) for block in blocks if block.block.arm == "baseline"]
    assert ours == [2, 1, 0, 0, 0, 0, 0, 0]
