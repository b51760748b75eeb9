"""Two bundles side by side, and a bundle with itself."""

from collections.abc import Callable
from typing import Any

import pytest

from judge import compare

Build = Callable[..., Any]
Read = Callable[..., Any]


def by_cell(comparison: Any) -> dict[tuple[str, str, str], Any]:
    return {(one.cell_a, one.metric, one.arm_a): one for one in comparison.cells}


def only(specimen: Any, arm: str) -> Any:
    """Keep one arm's rows, as an import of one file does."""
    other = "baseline" if arm == "candidate" else "candidate"
    for key in [key for key in specimen.rows if key[0] in ("steps", "requests", "numerics")]:
        specimen.drop(*key, arm=other)
    for table in (specimen.results, specimen.samples):
        for key in [key for key in table if other in key or key == other]:
            del table[key]
    return specimen


def test_two_runs_of_the_same_are_comparable_arm_by_arm(build: Build, collected: Read) -> None:
    found = compare(collected(build()), collected(build(speedup=1.2)))
    assert found.comparable
    assert (found.differing, found.only_a, found.only_b) == ((), (), ())
    cells = by_cell(found)
    assert cells[("decode-step.b1.c64", "step_latency_us", "baseline")].estimate.value == pytest.approx(1.0, abs=0.01)
    candidate = cells[("decode-step.b1.c64", "step_latency_us", "candidate")]
    assert candidate.arm_b == "candidate"
    assert candidate.estimate.low < 1.2 / 1.6 < candidate.estimate.high
    assert cells[("accuracy.byogpu_copy", "score", "candidate")].estimate.value == 0.0
    assert cells[("numerics.kda", "max_relative_error", "candidate")].estimate is None


def test_exchanging_the_bundles_inverts_the_ratios(build: Build, collected: Read) -> None:
    first, second = collected(build()), collected(build(speedup=1.2))
    forth, back = by_cell(compare(first, second)), by_cell(compare(second, first))
    assert set(forth) == set(back)
    for key, one in forth.items():
        if one.estimate is not None and one.estimate.kind == "ratio":
            assert one.estimate.value == pytest.approx(1 / back[key].estimate.value)


def test_a_bundle_with_itself_compares_its_arms(specimen: Any, collected: Read) -> None:
    evidence = collected(specimen)
    found = compare(evidence, evidence)
    assert found.comparable
    assert {(one.arm_a, one.arm_b) for one in found.cells} == {("baseline", "candidate")}
    ratio = by_cell(found)[("decode-step.b1.c64", "step_latency_us", "baseline")].estimate
    assert ratio.low < 1.6 < ratio.high


def test_single_arms_meet_whatever_they_are_called(build: Build, collected: Read) -> None:
    found = compare(collected(only(build(), "baseline")), collected(only(build(), "candidate")))
    assert {(one.arm_a, one.arm_b) for one in found.cells} == {("baseline", "candidate")}


def test_achieved_concurrency_that_differs_is_named(build: Build, collected: Read) -> None:
    other = build()
    for row in other.of("requests", "serving"):
        row["start_s"] -= 0.45
    found = compare(collected(build()), collected(other))
    assert not found.comparable
    assert {one.field for one in found.differing} == {"achieved_concurrency"}
    serving = [one for one in found.cells if one.cell_a == "serving.c2"]
    assert serving
    assert all(not one.comparable and one.estimate is None for one in serving)
    assert all(one.comparable for one in found.cells if one.cell_a != "serving.c2")


def test_cells_without_a_like_one_name_the_fields(build: Build, collected: Read) -> None:
    other = build()
    other.eval("serving")["cells"][0]["batch"] = 4
    found = compare(collected(build()), collected(other))
    assert not found.comparable
    assert [one.field for one in found.differing] == ["requested_batch", "achieved_concurrency"]


def test_cells_of_one_bundle_only_are_listed(build: Build, collected: Read) -> None:
    other = build()
    other.eval("decode-step")["cells"].pop()
    other.drop("steps", "decode-step", cell="decode-step.b4.c64")
    found = compare(collected(build()), collected(other))
    assert found.comparable
    assert (found.only_a, found.only_b) == (("decode-step.b4.c64",), ())


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda s: s.manifest["environment"]["gpus"][0].update(name="NVIDIA B200"), "hardware"),
        (lambda s: [arm.update(weights_digest="9" * 64) for arm in s.manifest["arms"]], "weights_digest"),
        (lambda s: [c.update(tensor_parallel=16) for c in s.eval("decode-step")["cells"]], "tensor_parallel"),
    ],
)
def test_unlike_conditions_are_named(change: Any, field: str, build: Build, collected: Read) -> None:
    other = build()
    change(other)
    found = compare(collected(build()), collected(other))
    assert not found.comparable
    assert [one.field for one in found.differing] == [field]


def test_nothing_in_common_is_not_comparable(build: Build, collected: Read) -> None:
    other = build()
    other.rows.clear()
    other.results.clear()
    other.samples.clear()
    found = compare(collected(build()), collected(other))
    assert (found.comparable, found.cells) == (False, ())
    assert found.only_a


def test_a_comparison_survives_storage(specimen: Any, collected: Read) -> None:
    evidence = collected(specimen)
    found = compare(evidence, evidence)
    assert type(found).model_validate_json(found.model_dump_json()) == found
