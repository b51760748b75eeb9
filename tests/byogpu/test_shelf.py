"""Where a new bundle goes, and what is left when it does not come to be."""

from pathlib import Path

import pytest

from byogpu.shelf import shelved
from worker.errors import WorkerError
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
def test_a_named_folder_is_as_it_was_when_the_run_breaks(settings, tmp_path, error):
    with pytest.raises(error):
        begin_and_break(settings, tmp_path / "new", error)
    assert not (tmp_path / "new").exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(error):
        begin_and_break(settings, tmp_path / "empty", error)
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_named_folder_that_held_something_is_refused_and_left_alone(settings, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(WorkerError) as caught, shelved(settings, tmp_path):
        raise AssertionError("nothing may begin here")
    assert caught.value.code == "out_not_empty"
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_two_runs_never_share_a_folder(settings, tmp_path):
    out = tmp_path / "out"
    with shelved(settings, out) as first:
        first.folder.mkdir()
        with pytest.raises(WorkerError), shelved(settings, out):
            raise AssertionError("the folder is in use")
        (first.folder / "manifest.json").touch()
    assert [entry.name for entry in out.iterdir()] == ["manifest.json"]


def test_nothing_stays_among_the_runs_when_the_run_breaks(settings):
    with pytest.raises(KeyboardInterrupt):
        begin_and_break(settings, None, KeyboardInterrupt)
    assert list(settings.runs_folder.iterdir()) == []
