"""Where a new bundle goes, and what is left when it does not come to be."""

from pathlib import Path

import pytest

from byogpu.shelf import shelved
from worker.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(runs_folder=tmp_path / "runs")


def begin_and_break(settings: Settings, out: Path | None, error: type[BaseException]) -> None:
    with shelved(settings, out) as target:
        (target.folder / "blobs").mkdir(parents=True)
        (target.folder / "blobs" / "x").touch()
        (target.folder / "envelope.json").touch()
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_named_folder_is_empty_again_when_the_run_breaks(settings, tmp_path, error):
    out = tmp_path / "out"
    with pytest.raises(error):
        begin_and_break(settings, out, error)
    assert list(out.iterdir()) == []


def test_a_named_folder_that_held_something_is_left_alone(settings, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(OSError, match="refused"), shelved(settings, tmp_path):
        raise OSError("refused")
    assert (tmp_path / "thesis.tex").exists()


def test_nothing_stays_among_the_runs_when_the_run_breaks(settings):
    with pytest.raises(KeyboardInterrupt):
        begin_and_break(settings, None, KeyboardInterrupt)
    assert list(settings.runs_folder.iterdir()) == []
