"""The service's own API does what its description says: a short run of `make contract`, the same cases every time."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_api_keeps_to_its_description() -> None:
    command = [
        sys.executable, "scripts/check_contract.py", "--caller", "operator", "--examples", "1",
        "--phases", "examples,fuzzing,stateful",
    ]  # fmt: skip
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=280)
    assert ended.returncode == 0, ended.stdout[-8000:] + ended.stderr[-4000:]
    summary = json.loads(ended.stdout.strip().splitlines()[-1])
    assert summary["cases"] > 80
    assert "PUT /api/v1/blobs/{sha256}/parts/{number}" in summary["operator"]["followed"], "a file is really sent"
    assert len(summary["operator"]["followed"]) >= 5
