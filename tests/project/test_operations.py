"""docs/operations.md, the compose file and the alerts name what there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
import yaml

from byogpu import cli
from server.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import Service

TOKEN = "metrics-token-for-tests"
SERVERS = ("server", "agents", "uploads")
_METRIC = re.compile(r"\bbyogpu_[a-z_]+\b")
_SUFFIX = re.compile(r"_(bucket|count|sum)$")


@pytest.fixture(scope="module")
def document(root: Path) -> str:
    return (root / "docs/operations.md").read_text()


@pytest.fixture(scope="module")
def alerts(root: Path) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = yaml.safe_load((root / "containers/alerts.yaml").read_text())["groups"][0]["rules"]
    return rules


@pytest.fixture
def metrics(make_service: Callable[..., Service]) -> set[str]:
    """Names of every metric, with GitHub's limit known."""
    from server.models import Contact

    service = make_service(metrics_token=TOKEN)
    with service.services.database.write() as session:
        session.add(Contact(id=1, detail="", limited=0, rate_limit=5000, rate_remaining=5000))
    service.client.get("/api/v1/pulls")
    shown = service.client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    return set(re.findall(r"^# TYPE (byogpu_\w+) ", shown, flags=re.M)) - {"byogpu_request_seconds_created"}


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    if not hasattr(command, "commands"):
        yield " ".join(path)
    else:
        for name, inner in command.commands.items():
            yield from _commands(inner, (*path, name))


def test_every_metric_is_described_and_every_described_one_exists(document: str, metrics: set[str]) -> None:
    listed = {name for name in _METRIC.findall(document) if not name.startswith("byogpu_session")}
    made = {name for name in metrics if not name.endswith("_created")}
    assert listed == made


def test_every_admin_command_is_described_and_every_described_one_exists(document: str) -> None:
    root = typer.main.get_command(cli.app)
    there = set(_commands(root.commands["admin"]))  # type: ignore[attr-defined]
    named = {words.strip() for words in re.findall(r"byogpu admin((?: [a-z]+)+)", document)}
    described = {words for words in named if words in there}
    assert named - there == set()
    assert described == there


def test_alerts_use_metrics_that_exist_and_runbooks_that_are_there(
    alerts: list[dict[str, Any]], document: str, metrics: set[str]
) -> None:
    headings = {re.sub(r"[^a-z0-9]+", "-", line.lower()) for line in re.findall(r"^#+ (.+)$", document, flags=re.M)}
    for alert in alerts:
        used = {_SUFFIX.sub("", name) for name in _METRIC.findall(alert["expr"])}
        assert used, alert["alert"]
        assert used <= metrics, alert["alert"]
        assert alert["annotations"]["runbook"].removeprefix("#") in headings
    listed = re.findall(r"^\| `(Byogpu\w+)` \|.*\]\(#([a-z-]+)\) \|$", document, flags=re.M)
    written = [(alert["alert"], alert["annotations"]["runbook"].removeprefix("#")) for alert in alerts]
    assert sorted(listed) == sorted(written)


def test_the_compose_file_sets_settings_that_exist_and_runs_what_the_image_has(root: Path) -> None:
    compose = yaml.safe_load((root / "containers/compose.yaml").read_text())
    known = {f"BYOGPU_{name.upper()}" for name in Settings.model_fields}
    example = re.findall(r"^([A-Z_0-9]+)=", (root / "containers/byogpu.env.example").read_text(), flags=re.M)
    assert {name for name in example if name != "POSTGRES_PASSWORD"} <= known
    ours = {name: one for name, one in compose["services"].items() if one["image"] == "byogpu-server"}
    assert set(ours) == {"migrate", *SERVERS, "worker", "beat"}
    for one in ours.values():
        assert set(one["environment"]) <= known
        assert one["read_only"] is True
        assert one["cap_drop"] == ["ALL"]
        assert one["security_opt"] == ["no-new-privileges"]
        assert {volume.partition(":")[0] for volume in one["volumes"]} == {"data", "../keys"}
        assert set(one["depends_on"]) <= set(compose["services"])
    mounted = [volume.partition(":")[0] for one in compose["services"].values() for volume in one.get("volumes", ())]
    assert {name for name in mounted if not name.startswith(".")} == set(compose["volumes"])
    asked = set(re.findall(r"\$\{(\w+)", (root / "containers/compose.yaml").read_text()))
    assert asked <= set(example), "compose asks for what the example does not name"
    published = {name: one["ports"] for name, one in compose["services"].items() if "ports" in one}
    assert set(published) == set(SERVERS), "nothing but the servers is reached"
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports), "from here only"
    listed = re.findall(r"\| `(\w+)` \| (\d+) \|$", (root / "docs/operations.md").read_text(), flags=re.M)
    assert {name: [f"127.0.0.1:{port}:8000"] for name, port in listed} == published
    assert compose["services"]["migrate"]["entrypoint"] == ["byogpu", "admin", "migrate", "up"]
    values = {name: value for name, value in compose["x-service"]["environment"].items() if "${" not in value}
    Settings.model_validate({name.removeprefix("BYOGPU_").lower(): value for name, value in values.items()})
