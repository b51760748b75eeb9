"""Tokens that `byogpu login` keeps: for one server each, and for nobody else to read."""

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from worker import credentials
from worker.errors import WorkerError

KEPT = credentials.Kept(
    token="byo_t_0123456789ab_x", token_id="0123456789ab", login="octocat", expires_at=datetime(2030, 1, 1, tzinfo=UTC)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "credentials.json"


def test_the_file_is_its_users_alone(path: Path) -> None:
    credentials.save(path, "https://a.example:443", KEPT)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [one.name for one in path.parent.iterdir()] == ["credentials.json"]


def test_a_token_is_for_one_server(path: Path) -> None:
    other = KEPT.model_copy(update={"login": "hubot"})
    credentials.save(path, "https://a.example:443", KEPT)
    credentials.save(path, "https://b.example:443", other)
    assert credentials.load(path, "https://a.example:443") == KEPT
    assert credentials.load(path, "http://a.example:80") is None
    credentials.forget(path, "https://a.example:443")
    assert credentials.load(path, "https://a.example:443") is None
    assert credentials.load(path, "https://b.example:443") == other


def test_without_a_file_nobody_is_signed_in(path: Path) -> None:
    assert credentials.load(path, "https://a.example:443") is None
    credentials.forget(path, "https://a.example:443")
    assert not path.exists()


def test_a_file_that_others_can_read_is_not_used(path: Path) -> None:
    credentials.save(path, "https://a.example:443", KEPT)
    path.chmod(0o640)
    with pytest.raises(WorkerError, match="chmod 600") as refused:
        credentials.load(path, "https://a.example:443")
    assert refused.value.code == "credentials_exposed"


@pytest.mark.parametrize("content", [b"", b"{", b'{"servers": 1}', b"\xff"])
def test_a_file_that_is_something_else_is_not_overwritten(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(WorkerError) as refused:
        credentials.save(path, "https://a.example:443", KEPT)
    assert refused.value.code == "credentials_invalid"
    assert path.read_bytes() == content
