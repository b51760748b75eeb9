"""The published description: complete, and the one of this code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.app import describe_service
from server.errors import CODES, MEDIA_TYPE

ROOT = Path(__file__).parents[2]
BODILESS = ("204", "303", "304")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return describe_service()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_the_committed_description_is_this_one(document: dict[str, Any]) -> None:
    committed = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    assert committed == document, "run: python -m server.openapi > docs/openapi.json"


def test_every_route_is_explained(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        assert operation["summary"], name
        assert operation["description"], name
        for parameter in operation.get("parameters", []):
            assert parameter["in"] == "path" or parameter.get("description"), (name, parameter["name"])


def test_every_answer_has_a_schema(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            if status in BODILESS:
                continue
            assert response["content"], (name, status)
            for media_type, content in response["content"].items():
                assert content["schema"], (name, status)
                if status[0] in "45" and name != "get /ready":
                    assert media_type == MEDIA_TYPE, (name, status)


def test_every_refusal_has_examples_with_registered_codes(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            for example in response["content"].get(MEDIA_TYPE, {}).get("examples", {}) if status[0] in "45" else ():
                assert str(CODES[example].status) == status, (name, example)
        assert "500" in operation["responses"], name
        if name not in ("get /health", "get /ready"):
            away = operation["responses"]["503"]["content"][MEDIA_TYPE]["examples"]
            assert {"unavailable", "database_busy"} <= away.keys(), name


def test_every_answer_has_an_example(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            content = response.get("content", {}).get("application/json")
            assert content is None or content["examples"], (name, status)


def test_every_body_has_an_example(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            assert media_type == "application/octet-stream" or content["examples"], name


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    referred = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert referred <= set(document["components"]["schemas"])
    assert not {name for name in referred if not name.isalnum()}


def test_the_frameworks_own_errors_are_gone(document: dict[str, Any]) -> None:
    assert "HTTPValidationError" not in json.dumps(document)


def test_every_link_leads_from_what_is_said_to_what_is_asked(document: dict[str, Any]) -> None:
    by_id = {operation["operationId"]: operation for _, operation in operations(document)}
    links = 0
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            for target, link in response.get("links", {}).items():
                asked = {parameter["name"] for parameter in by_id[link["operationId"]].get("parameters", ())}
                assert set(link["parameters"]) <= asked, (name, target)
                assert "requestBody" not in link or "requestBody" in by_id[link["operationId"]], (name, target)
                for words in re.findall(r"\$response\.body#/([\w/]+)", json.dumps(link)):
                    shown = response["content"]["application/json"]["schema"]
                    assert _has(document, shown, words.split("/")), (name, status, target, words)
                for words in re.findall(r"\$request\.body#/([\w/]+)", json.dumps(link)):
                    sent = operation["requestBody"]["content"]["application/json"]["schema"]
                    assert _has(document, sent, words.split("/")), (name, status, target, words)
                links += 1
    assert links > 60


def _has(document: dict[str, Any], schema: dict[str, Any], path: list[str]) -> bool:
    """Whether something of that shape may have something there."""
    if "$ref" in schema:
        return _has(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], path)
    if not path:
        return True
    if "anyOf" in schema or "oneOf" in schema:
        return any(_has(document, one, path) for one in schema.get("anyOf", schema.get("oneOf", ())))
    if "items" in schema:
        return path[0].isdigit() and _has(document, schema["items"], path[1:])
    return path[0] in schema.get("properties", {}) and _has(document, schema["properties"][path[0]], path[1:])
