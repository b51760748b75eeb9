import io

import pytest
from rich.console import Console

from worker.errors import EvalError
from worker.evals.trial import stage
from worker.progress import Bars, Silent


@pytest.fixture
def screen() -> Console:
    return Console(file=io.StringIO(), width=120, force_terminal=False)


def shown(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def test_a_stage_that_ends_is_full_and_says_so(screen: Console) -> None:
    with Bars(screen) as bars, stage(bars, "serving", total=4):
        bars.advance("serving", 3)
    assert "serving" in shown(screen)
    assert "100%" in shown(screen)
    assert "done" in shown(screen)


def broken(error: BaseException) -> None:
    raise error


def test_a_stage_that_breaks_stays_where_it_was_and_says_why(screen: Console) -> None:
    with Bars(screen) as bars:
        with pytest.raises(EvalError), stage(bars, "serving", total=4):
            bars.advance("serving") or broken(EvalError("process_ended", "signal 9"))
        with pytest.raises(KeyboardInterrupt), stage(bars, "accuracy", total=4):
            broken(KeyboardInterrupt())
    assert "25%" in shown(screen)
    assert "process_ended" in shown(screen)
    assert "interrupted" in shown(screen)


def test_silence_takes_the_same_calls() -> None:
    silent = Silent()
    with stage(silent, "serving", total=4):
        silent.advance("serving")
