import threading

import pytest

from k3_decode.spans import Span, operator, recorded


@operator
def _outer(value: int) -> int:
    return inner(value) + inner(value)


@operator
def inner(value: int) -> int:
    return value + 1


@operator
def broken() -> None:
    raise RuntimeError("no memory left")


def names(spans: list[Span]) -> list[str]:
    return [span.name for span in spans]


def test_operators_are_timed_one_after_the_other_and_what_runs_inside_one_is_part_of_it():
    with recorded() as spans:
        assert (_outer(1), inner(5)) == (4, 6)
    assert names(spans) == ["outer", "inner"]
    assert spans[0].start_us <= spans[0].end_us <= spans[1].start_us <= spans[1].end_us


def test_nothing_is_recorded_before_or_after():
    inner(1)
    with recorded() as spans:
        pass
    inner(1)
    assert spans == []


def test_an_operator_that_fails_is_recorded_and_the_next_one_is_not_taken_for_a_part_of_it():
    with recorded() as spans:
        with pytest.raises(RuntimeError, match="no memory"):
            broken()
        inner(1)
    assert names(spans) == ["broken", "inner"]


def test_other_threads_are_not_recorded():
    with recorded() as spans:
        other = threading.Thread(target=inner, args=(1,))
        other.start()
        other.join()
    assert spans == []


def test_an_operator_keeps_its_name_and_its_docstring():
    assert inner.__name__ == "inner"
    assert operator(broken).__wrapped__ is broken
