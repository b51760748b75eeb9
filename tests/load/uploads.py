"""Uploaders: `python -m load.uploads`, settings as JSON on standard input, what became of it on standard output."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

from worker.bundle import Bundle, Manifest, canonical
from worker.bundle.blobs import FolderBlobs
from worker.service import Service
from worker.settings import Settings
from worker.upload import upload

UNKNOWN = "unknown"


def prepare(folder: Path, number: int, *, size_bytes: int) -> Bundle:
    """Write a bundle whose one file is a log of that size."""
    (folder / "blobs").mkdir(parents=True)
    line = f"{number:08d} nothing to see here, and nothing to compress either: "
    dice, data = random.Random(number), bytearray()
    while len(data) < size_bytes:
        data += f"{line}{dice.randbytes(24_000).hex(' ')}\n".encode()
    data = data[:size_bytes]
    digest = sha256(data).hexdigest()
    (folder / "blobs" / digest).write_bytes(data)
    file = {
        "name": "run.log", "role": "log", "media_type": "text/plain", "size_bytes": size_bytes, "sha256": digest,
        "eval_id": None, "arm": None,
    }  # fmt: skip
    manifest_bytes = manifest(file)
    return Bundle(Manifest.model_validate_json(manifest_bytes), manifest_bytes, None, FolderBlobs(folder))


def manifest(file: dict[str, Any]) -> bytes:
    """A manifest that lists one file and says nothing else."""
    plain: dict[str, Any] = {
        "format": "byogpu.bundle/1",
        "origin": {"kind": "measured"},
        "subject": {
            "repository_id": UNKNOWN, "repository": UNKNOWN, "pull_number": None, "head_sha": UNKNOWN,
            "base_sha": UNKNOWN, "suite": None, "claim_ids": [],
        },
        "challenge": None,
        "producer": {
            "worker_version": "0.1.0", "image_digest": UNKNOWN, "node_key_id": UNKNOWN, "started_at": UNKNOWN,
            "ended_at": UNKNOWN, "duration_s": 1.0,
        },
        "environment": UNKNOWN,
        "arms": [],
        "evals": [],
        "files": [file],
        "redaction": {"rules_version": 1, "masked": []},
        "attempts": [],
    }  # fmt: skip
    return canonical(plain)


def main() -> None:
    """Prepare, say so, wait for a line, upload all at once."""
    wanted = json.loads(sys.stdin.readline())
    folder = Path(wanted["folder"])
    bundles = [
        prepare(folder / str(number), number, size_bytes=wanted["size_bytes"]) for number in range(wanted["uploads"])
    ]
    os.sync()  # what the contributors' disks do is not to be measured
    print("ready", flush=True)
    sys.stdin.readline()
    settings = Settings(request_timeout_s=120)

    def bring(bundle: Bundle) -> tuple[str, float]:
        began = time.monotonic()
        with Service(settings, url=wanted["url"]) as service:
            receipt = upload(bundle, service)
        assert receipt.upload_state == "complete"
        return receipt.bundle_id, time.monotonic() - began

    began = time.monotonic()
    with ThreadPoolExecutor(max_workers=wanted["uploads"]) as beside:
        done = list(beside.map(bring, bundles))
    print(
        json.dumps(
            {
                "duration_s": time.monotonic() - began,
                "bundles": [bundle_id for bundle_id, _ in done],
                "longest_s": max(seconds for _, seconds in done),
            }
        )
    )


if __name__ == "__main__":
    main()
