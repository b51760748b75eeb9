"""A few schedules of the campaign, as `make faults` runs a hundred."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.postgres, pytest.mark.redis, pytest.mark.s3]


def test_a_few_schedules_lose_and_double_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(ROOT)])}
    found = tmp_path / "found.json"
    command = [sys.executable, "-m", "faults", "--schedules", "3", "--lanes", "3", "--seed", "7", "--json", str(found)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    summary = json.loads(found.read_text())
    assert (summary["schedules"], summary["faults"]) == (3, [])
    assert summary["kills"] >= 3
