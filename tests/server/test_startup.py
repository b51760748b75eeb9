"""From settings to a running service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import ValidationError

from server.__main__ import serve
from server.broker import CeleryBell, create_celery
from server.contact import WatchedGitHub
from server.embedded import LocalBell
from server.settings import Settings
from server.startup import DataFolderInUseError, build, start

ROOT = Path(__file__).parents[2]


def test_with_no_setting_the_service_is_the_embedded_one(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    services = build(settings)
    assert settings.embedded
    assert isinstance(services.bell, LocalBell)
    assert services.github is None
    assert not services.bell.alive()
    with start(services):
        assert services.bell.alive()
        assert (tmp_path / "byogpu.sqlite3").is_file()
    assert not services.bell.alive()


@pytest.mark.parametrize(
    ("changes", "address"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"host": "::1", "port": 9000}, "http://[::1]:9000"),
        ({"port": 9000, "public_url": "https://byogpu.example/"}, "https://byogpu.example"),
    ],
)
def test_links_lead_to_where_the_service_listens_unless_people_reach_it_elsewhere(changes: Any, address: str) -> None:
    assert Settings(**changes).public_url == address


def test_the_command_says_at_once_that_a_data_folder_is_taken(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with start(build(settings)), pytest.raises(BlockingIOError, match="another server runs on this data folder"):
        serve(settings)


def test_two_embedded_services_never_share_a_data_folder(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with start(build(settings)), pytest.raises(DataFolderInUseError), start(build(settings)):
        pass
    with start(build(settings)):
        pass


def test_what_a_killed_server_was_writing_is_removed(tmp_path: Path) -> None:
    services = build(Settings(data_dir=tmp_path))
    (tmp_path / "scratch" / "half").write_bytes(b"x")
    with start(services):
        assert list((tmp_path / "scratch").iterdir()) == []


def test_with_a_broker_tasks_run_elsewhere(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, redis_url="redis://127.0.0.1:1/0")
    assert not settings.embedded
    assert isinstance(build(settings).bell, CeleryBell)
    app = create_celery(settings)
    assert app.conf.task_acks_late
    assert app.conf.beat_schedule["sweep"]["schedule"] == settings.sweep_interval_s
    with pytest.raises(ValueError, match="BYOGPU_REDIS_URL"):
        create_celery(Settings(data_dir=tmp_path))


def test_credentials_make_a_client(tmp_path: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    (tmp_path / "app.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    for credentials in (
        {"github_token": "a-token-long-enough"},
        {"github_app_id": 7, "github_app_key_file": tmp_path / "app.pem"},
    ):
        services = build(Settings(data_dir=tmp_path, **credentials))
        assert isinstance(services.github, WatchedGitHub)
        services.github.close()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"database_url": "mysql://x/y"}, "database_url"),
        ({"public_url": "ftp://x"}, "public_url"),
        ({"part_size_bytes": 1}, "part_size_bytes"),
        ({"admin_token": "short"}, "16 characters"),
        ({"github_app_id": 7}, "belong together"),
        ({"github_app_id": 7, "github_app_key_file": "k", "github_token": "a-token-long-enough"}, "not both"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Settings(**settings)


def test_secrets_are_not_shown() -> None:
    settings = Settings(admin_token="hush-hush-hush-hush", redis_url="redis://:hush@x/0")
    assert "hush" not in repr(settings)


def test_the_environment_is_read_in_one_place_only() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "server").rglob("*.py")
        if "os.environ" in path.read_text(encoding="utf-8") or "getenv" in path.read_text(encoding="utf-8")
    ]
    assert readers == []
