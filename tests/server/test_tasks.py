"""What a Celery worker lets a task use."""

import subprocess
import sys

import pytest

from server.broker import create_celery
from server.settings import Settings

GREEDY = """
import sys
from server.tasks import limit_memory
limit_memory(int(sys.argv[1]))
try:
    bytearray(400 << 20)
except MemoryError:
    print("refused")
"""


@pytest.mark.parametrize(("mib", "said"), [("300", "refused"), ("0", ""), ("2048", "")])
def test_a_task_that_wants_too_much_memory_fails_and_its_process_lives(mib: str, said: str) -> None:
    done = subprocess.run([sys.executable, "-c", GREEDY, mib], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said


def test_a_task_is_told_to_stop_before_it_is_killed_and_killed_when_its_lease_ends() -> None:
    settings = Settings(redis_url="redis://127.0.0.1:1/0", task_lease_s=100)  # type: ignore[arg-type]
    conf = create_celery(settings).conf
    assert (conf.task_soft_time_limit, conf.task_time_limit) == (90, settings.task_lease_s)
    assert conf.broker_transport_options["visibility_timeout"] >= settings.task_lease_s
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
