"""What chance would not find: a pull request that exists, a manifest that is one, a file's bytes, a key that is one.

A value is put in only where what was generated has the right shape, so that what is meant to be wrong stays wrong.
"""

from __future__ import annotations

import itertools
import os
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import schemathesis
from schemathesis.generation import GenerationMode

from worker.bundle import canonical
from worker.bundle.dsse import generate_key
from worker.bundle.registration import prove
from worker.suites import load

OWNER, NAME, NUMBER = "octo", "kernels", 7
HEAD = os.environ["BYOGPU_CONTRACT_HEAD"]
"""Of the pull request."""
ACCOUNT = os.environ.get("BYOGPU_CONTRACT_ACCOUNT")
"""Whose session is sent along; unset: nobody's."""
_WORDS = re.compile(r"^[A-Za-z0-9_.-]{1,100}$")
_HEX = re.compile(r"^[0-9a-f]{64}$")
_counter = itertools.count(1)
_files: dict[str, bytes] = {}
"""Contents of the files that manifests list, by digest."""


@schemathesis.hook
def map_path_parameters(context: schemathesis.HookContext, parameters: dict[str, Any] | None) -> Any:
    """Name the pull request that there is."""
    found = dict(parameters or {})
    if {"owner", "name"} <= found.keys() and all(_is(found[part], _WORDS) for part in ("owner", "name")):
        found |= {"owner": OWNER, "name": NAME}
        if isinstance(found.get("number"), int) and found["number"] > 0:
            found["number"] = NUMBER
    return found or parameters


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: Any) -> Any:
    """Say something that can be true."""
    if not isinstance(body, dict) or context.operation is None:
        return body
    match context.operation.label:
        case "POST /api/v1/challenges" if isinstance(body.get("suite_digest"), str) and _HEX.match(
            body["suite_digest"]
        ):
            known = {"repository": f"{OWNER}/{NAME}", "pull_number": NUMBER, "suite_digest": load("smoke").digest}
            usual = {name: value for name, value in known.items() if name in body and type(body[name]) is type(value)}
            return {**body, **usual, "node_key_id": None} if body.get("node_key_id") is None else {**body, **usual}
        case "POST /api/v1/bundles" if isinstance(body.get("manifest"), str) and len(body["manifest"]) > 1:
            return {**body, "manifest": _manifest(next(_counter))}
        case "POST /api/v1/nodes" if _is(body.get("public_key"), _HEX):
            return {**body, **_node()}
        case _:
            return body


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: Any, kwargs: dict[str, Any]) -> None:
    """Send the bytes of a file that a manifest lists, with their digest."""
    meant_well = case.meta is None or case.meta.generation.mode == GenerationMode.POSITIVE
    content = _files.get((case.path_parameters or {}).get("sha256", ""))
    if case.operation.label == "PUT /api/v1/blobs/{sha256}/parts/{number}" and meant_well and content is not None:
        case.body = content
        case.headers["Content-Digest"] = f"sha-256=:{b64encode(sha256(content).digest()).decode()}:"


def _node() -> dict[str, Any]:
    """A key and its owner; for an account the proof that it is held instead."""
    key = generate_key(Path(f"node-{os.getpid()}-{next(_counter)}.pem"))  # beside the report; gone with it
    if ACCOUNT is None:
        return {"public_key": key.public_key, "owner": "lender", "project": False, "proof": None}
    proof = prove(key, account_id=int(ACCOUNT)).decode()
    return {"public_key": key.public_key, "owner": None, "project": False, "proof": proof}


def _is(value: object, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and pattern.match(value) is not None


def _manifest(number: int) -> str:
    """A manifest of which no two are alike; every other one lists a file that nobody has sent yet."""
    content = f"what happened in run {number} of {os.getpid()}\n".encode()
    digest = sha256(content).hexdigest()
    _files[digest] = content
    file = {
        "name": "run.log", "role": "log", "media_type": "text/plain", "size_bytes": len(content), "sha256": digest,
        "eval_id": None, "arm": None,
    }  # fmt: skip
    plain = {
        "format": "byogpu.bundle/1",
        "origin": {"kind": "measured"},
        "subject": {
            "repository_id": "unknown", "repository": f"{OWNER}/{NAME}", "pull_number": NUMBER, "head_sha": HEAD,
            "base_sha": "b" * 40, "suite": None, "claim_ids": [],
        },
        "challenge": None,
        "producer": {
            "worker_version": "0.1.0", "image_digest": "unknown", "node_key_id": "unknown", "started_at": "unknown",
            "ended_at": "unknown", "duration_s": float(number),
        },
        "environment": "unknown", "arms": [], "evals": [], "files": [file] if number % 2 else [],
        "redaction": {"rules_version": 1, "masked": []}, "attempts": [],
    }  # fmt: skip
    return canonical(plain).decode()
