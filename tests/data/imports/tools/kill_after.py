"""Kill a vLLM server in the middle of its work: ``kill_after.py REQUESTS PROCESS_GROUP``.

Waits until the server has finished that many requests, then 0.1 s, so that it dies while it streams.
"""

import os
import re
import signal
import sys
import time
import urllib.request

SUCCESS = re.compile(r"^vllm:request_success_total\{.*\} (\S+)$", re.MULTILINE)


def finished() -> float:
    """Requests the server has finished since it started."""
    with urllib.request.urlopen("http://127.0.0.1:8017/metrics") as answer:
        return sum(float(match[1]) for match in SUCCESS.finditer(answer.read().decode()))


before = finished()
while finished() < before + int(sys.argv[1]):
    time.sleep(0.01)
time.sleep(0.1)
os.killpg(int(sys.argv[2]), signal.SIGKILL)
