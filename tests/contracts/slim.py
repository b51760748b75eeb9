"""Cut GitHub's published OpenAPI description down to the calls this project makes.

Run once per new version of the npm package ``@octokit/openapi``, outside the repository, and commit the result::

    npm install --prefix SCRATCH @octokit/openapi@23.0.2
    python tests/contracts/slim.py SCRATCH/node_modules/@octokit/openapi tests/contracts/github.openapi.json

What is changed, and nothing else:

- only the operations in ``OPERATIONS`` and the components they reach are kept;
- examples and ``x-`` extensions go: nothing reads them, and they are most of the bytes;
- GitHub's API host becomes a local address, so that nothing that reads the file can call GitHub by accident.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LOCAL_BASE = "http://127.0.0.1:14010"
REPO = "/repos/{owner}/{repo}"
OPERATIONS: dict[str, tuple[str, ...]] = {
    "/app": ("get",),
    "/app/installations/{installation_id}": ("get",),
    "/app/installations/{installation_id}/access_tokens": ("post",),
    "/rate_limit": ("get",),
    "/user": ("get",),
    REPO: ("get",),
    f"{REPO}/check-runs": ("post",),
    f"{REPO}/check-runs/{{check_run_id}}": ("get", "patch"),
    f"{REPO}/check-runs/{{check_run_id}}/annotations": ("get",),
    f"{REPO}/collaborators/{{username}}/permission": ("get",),
    f"{REPO}/commits/{{ref}}": ("get",),
    f"{REPO}/commits/{{ref}}/check-runs": ("get",),
    f"{REPO}/commits/{{ref}}/status": ("get",),
    f"{REPO}/contents/{{path}}": ("get",),
    f"{REPO}/installation": ("get",),
    f"{REPO}/issues/comments/{{comment_id}}": ("get", "patch"),
    f"{REPO}/issues/comments/{{comment_id}}/reactions": ("post",),
    f"{REPO}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{REPO}/pulls": ("get",),
    f"{REPO}/pulls/{{pull_number}}": ("get",),
    f"{REPO}/pulls/{{pull_number}}/commits": ("get",),
    f"{REPO}/pulls/{{pull_number}}/files": ("get",),
    f"{REPO}/statuses/{{sha}}": ("post",),
}


def references(node: object) -> Iterator[str]:
    """Yield every ``$ref`` below ``node``."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def without_examples(node: Any, *, names_are_ours: bool = False) -> Any:
    """Return ``node`` without examples and extensions.

    Args:
        node: Any part of the description.
        names_are_ours: The keys of ``node`` are names that GitHub chose (of properties, headers, components), not
            words of OpenAPI: a property called ``example`` must stay.
    """
    if isinstance(node, list):
        return [without_examples(value) for value in node]
    if not isinstance(node, dict):
        return node
    kept = {}
    for key, value in node.items():
        if not names_are_ours and (key in ("example", "examples") or key.startswith("x-")):
            continue
        if not names_are_ours and key in ("enum", "default", "required"):
            kept[key] = value
            continue
        kept[key] = without_examples(value, names_are_ours=not names_are_ours and key in NAME_MAPS)
    return kept


NAME_MAPS = ("properties", "patternProperties", "headers", "schemas", "parameters", "responses", "paths", "content")


def slim(full: dict[str, Any], *, source: str) -> dict[str, Any]:
    """Return the part of GitHub's description that ``OPERATIONS`` names.

    Args:
        full: The parsed ``api.github.com.json``.
        source: Where it came from, written into ``info.x-source``.

    Raises:
        KeyError: An operation no longer exists.
    """
    paths: dict[str, Any] = {}
    for path, methods in OPERATIONS.items():
        item = full["paths"][path]
        paths[path] = {key: item[key] for key in (*methods, *(k for k in item if k == "parameters"))}
    components: dict[str, dict[str, Any]] = {}
    waiting: list[object] = [paths]
    while waiting:
        for reference in references(waiting.pop()):
            section, name = reference.removeprefix("#/components/").split("/", 1)
            if name not in components.setdefault(section, {}):
                components[section][name] = full["components"][section][name]
                waiting.append(components[section][name])
    cut: dict[str, Any] = without_examples({"paths": paths, "components": components})
    info = {key: full["info"][key] for key in ("title", "version", "license")} | {"x-source": source}
    return {"openapi": full["openapi"], "info": info, "servers": [{"url": LOCAL_BASE}], **cut}


def main() -> None:
    """Read the package folder, write the slimmed description and the package's licence beside it."""
    arguments = argparse.ArgumentParser(description="Cut GitHub's OpenAPI description down to the calls we make.")
    arguments.add_argument("package", type=Path, help="folder of @octokit/openapi")
    arguments.add_argument("output", type=Path, help="the JSON file to write")
    options = arguments.parse_args()
    raw = (options.package / "generated" / "api.github.com.json").read_bytes()
    version = json.loads((options.package / "package.json").read_text())["version"]
    full = json.loads(raw)
    source = f"npm @octokit/openapi {version}, api.github.com.json, sha256 {hashlib.sha256(raw).hexdigest()}"
    text = json.dumps(slim(full, source=source), separators=(",", ":"), sort_keys=True)
    text = text.replace(full["servers"][0]["url"], LOCAL_BASE)
    options.output.write_text(text + "\n")
    notice = (options.package / "LICENSE").read_text()
    options.output.with_name(options.output.stem + ".LICENSE").write_text(notice)
    print(f"{options.output}: {len(text) // 1024} KiB, {len(OPERATIONS)} paths")


if __name__ == "__main__":
    main()
