from pathlib import Path

import pytest
from pydantic import ValidationError

from worker.settings import Settings


def test_folders_follow_the_xdg_specification(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    settings = Settings()
    assert settings.node_key == tmp_path / "config" / "byogpu" / "node.pem"
    assert settings.state_folder == tmp_path / "home" / ".local/state" / "byogpu"


def test_the_environment_sets_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYOGPU_SERVER_URL", "http://127.0.0.1:8000")
    monkeypatch.setenv("BYOGPU_RETRY_ATTEMPTS", "3")
    settings = Settings()
    assert (str(settings.server_url), settings.retry_attempts) == ("http://127.0.0.1:8000/", 3)


def test_a_token_does_not_show_in_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYOGPU_TOKEN", "a-secret-token")
    settings = Settings()
    assert "a-secret-token" not in repr(settings)
    assert settings.bearer() == "a-secret-token"


def test_a_token_can_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("from-a-file\n")
    assert Settings(token_file=path).bearer() == "from-a-file"
    assert Settings().bearer() is None


def test_settings_are_frozen_and_checked() -> None:
    with pytest.raises(ValidationError):
        Settings(retry_attempts=0)
    with pytest.raises(ValidationError):
        Settings().retry_attempts = 2  # type: ignore[misc]
