"""login, whoami, node and logout, against a server and a stand-in for GitHub."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

import standin
from server.app import create_app
from server.settings import Settings
from standin.settings import OAuthApp, StandinSettings

BYOGPU = Path(sys.executable).with_name("byogpu")


@pytest.fixture
def hub() -> Iterator[standin.RunningStandin]:
    port = standin.free_port()
    url = f"http://127.0.0.1:{port}"
    oauth = OAuthApp("client", "client-secret-for-tests", "http://127.0.0.1")
    with standin.running(StandinSettings(api_url=url, web_url=url, oauth=oauth, device_interval_s=1), port=port) as one:
        yield one


@pytest.fixture
def server(hub: standin.RunningStandin, tmp_path: Path) -> Iterator[str]:
    port = standin.free_port()
    settings = Settings(
        data_dir=tmp_path / "data",
        port=port,
        web_dir=tmp_path / "none",
        github_url=hub.url,
        github_web_url=hub.url,
        github_oauth_client_id="client",
        github_oauth_client_secret="client-secret-for-tests",  # type: ignore[arg-type]
        anonymous_uploads=False,
    )
    running = uvicorn.Server(uvicorn.Config(create_app(settings), host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=running.run)
    thread.start()
    limit = time.monotonic() + 30
    while not running.started and thread.is_alive() and time.monotonic() < limit:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join()


@pytest.fixture
def sign_in(home: dict[str, str], hub: standin.RunningStandin) -> Callable[..., tuple[int, Any]]:
    """Run ``byogpu login``, and be its user at the browser."""

    def run(server: str, *, granted: bool = True) -> tuple[int, Any]:
        command = [str(BYOGPU), "login", "--server", server, "--json"]
        with subprocess.Popen(command, env=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            said = process.stderr.readline()
            match = re.fullmatch(rf"Open {hub.url}/login/device and type ([A-Z]{{4}}-[A-Z]{{4}})\n", said)
            assert match, said
            body = {"user_code": match[1], "login": "octocat", "granted": granted}
            assert httpx.post(f"{hub.url}/_standin/device", json=body).status_code == 204
            out, _ = process.communicate(timeout=60)
        return process.returncode, json.loads(out)

    return run


def test_somebody_signs_in_registers_their_node_and_signs_out(
    byogpu: Callable[..., Any], server: str, sign_in: Callable[..., tuple[int, Any]], home: dict[str, str]
) -> None:
    code, account = sign_in(server)
    assert (code, account["login"], account["role"]) == (0, "octocat", "contributor")
    kept = Path(home["XDG_CONFIG_HOME"]) / "byogpu" / "credentials.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600

    who = byogpu("whoami", "--server", server, "--json").document
    assert (who["kind"], who["account"]["login"]) == ("account", "octocat")
    registered = byogpu("node", "register", "--server", server, "--json").document
    assert registered["owner"] == "octocat"
    key_id = registered["key_id"]
    assert [one["key_id"] for one in byogpu("node", "list", "--server", server, "--json").document] == [key_id]
    assert byogpu("node", "revoke", key_id, "--server", server, "--json").document["revoked_at"] is not None

    token = json.loads(kept.read_text())["servers"][server]["token"]
    assert byogpu("logout", "--server", server, "--json").document == {"login": "octocat"}
    assert token not in kept.read_text()
    refused = httpx.get(f"{server}/api/v1/session", headers={"Authorization": f"Bearer {token}"})
    assert refused.status_code == 401
    assert byogpu("whoami", "--server", server, "--json").document["kind"] == "anonymous"
    again = byogpu("logout", "--server", server, "--json")
    assert (again.code, again.document["error"]["code"]) == (2, "not_signed_in")
    nobody = byogpu("node", "register", "--server", server, "--json")
    assert (nobody.code, nobody.document["error"]["code"]) == (2, "not_signed_in")


def test_who_says_no_is_not_signed_in(
    server: str, sign_in: Callable[..., tuple[int, Any]], home: dict[str, str]
) -> None:
    code, answer = sign_in(server, granted=False)
    assert (code, answer["error"]["code"]) == (4, "sign_in_failed")
    assert not (Path(home["XDG_CONFIG_HOME"]) / "byogpu" / "credentials.json").exists()


def test_a_server_that_is_away_is_said_to_be(byogpu: Callable[..., Any]) -> None:
    ended = byogpu("login", "--server", "http://127.0.0.1:1", "--json")
    assert (ended.code, ended.document["error"]["code"]) == (4, "server_unreachable")


def test_a_key_to_revoke_is_named_in_full(byogpu: Callable[..., Any]) -> None:
    ended = byogpu("node", "revoke", "21fe", "--server", "http://127.0.0.1:1", "--json")
    assert (ended.code, ended.document["error"]["code"]) == (2, "usage")
