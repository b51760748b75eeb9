"""The images build from the project's Dockerfiles and hold inside a hardened container.

One file, because both images share a container store and a build cache.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

pytestmark = [pytest.mark.containers, pytest.mark.timeout(1800)]

HARDENED = (
    "--rm",
    "--network=host",
    "--read-only",
    "--tmpfs=/tmp",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--user=10001",
    "--pids-limit=512",
    "--memory=4g",
)
CONFINEMENT = """
import json, os, pathlib
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
def writable(folder):
    try:
        pathlib.Path(folder, "probe").write_text("x")
    except OSError:
        return False
    return True
print(json.dumps({
    "user": os.getuid(),
    "capabilities": int(status["CapEff"], 16),
    "no_new_privileges": int(status["NoNewPrivs"]),
    "seccomp": int(status["Seccomp"]),
    "writable": [folder for folder in ("/", "/venv", "/usr", "/var/tmp", "/tmp", "/out") if writable(folder)],
}))
"""
