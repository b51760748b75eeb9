import json
import os
import time
from pathlib import Path

import pytest

from worker.deadline import Deadline
from worker.errors import EvalError, TimeLimitError, WorkerError
from worker.processes import LOG_TAIL_BYTES, MAX_LINE_BYTES, Child, run
from worker.variables import clean_environment

SECRETS = {
    "BYOGPU_TOKEN": "token-that-must-not-leak",
    "BYOGPU_NODE_KEY": "/keys/node.pem",
    "HF_TOKEN": "hub-token-that-must-not-leak",
    "AWS_SECRET_ACCESS_KEY": "store-key-that-must-not-leak",
    "SSH_AUTH_SOCK": "/run/agent",
}


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def wait_until_gone(pid: int) -> bool:
    for _ in range(200):
        if not alive(pid):
            return True
        time.sleep(0.02)
    return False


def child(python: str, script: str, folder: Path) -> Child:
    return Child([python, "-c", script], environment=clean_environment(folder), folder=folder)


def test_an_arm_sees_no_secret_of_the_worker(
    python: str, tmp_path: Path, soon: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    script = "import os, json; print(json.dumps([dict(os.environ), os.path.expanduser('~')]))"
    finished = run([python, "-c", script], environment=clean_environment(tmp_path), folder=tmp_path, deadline=soon)
    seen, home = json.loads(finished.output)
    assert not SECRETS.keys() & seen.keys()
    assert not set(SECRETS.values()) & set(seen.values())
    assert home == str(tmp_path)
    assert seen["OMP_NUM_THREADS"] == "1"


def test_a_command_line_holds_no_secret(python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYOGPU_TOKEN", SECRETS["BYOGPU_TOKEN"])
    with child(python, "import time; time.sleep(60)", tmp_path) as program:
        started = Path(f"/proc/{program.pid}/cmdline").read_bytes() + Path(f"/proc/{program.pid}/environ").read_bytes()
    assert SECRETS["BYOGPU_TOKEN"].encode() not in started


def test_lines_go_both_ways(python: str, tmp_path: Path, soon: Deadline) -> None:
    script = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"
    with child(python, script, tmp_path) as program:
        program.write_line(b"one")
        assert program.read_line(soon) == b"ONE"
        program.write_line(b"two")
        assert program.read_line(soon) == b"TWO"


def test_output_without_a_last_newline_is_kept_whole(python: str, tmp_path: Path, soon: Deadline) -> None:
    finished = run(
        [python, "-c", "import sys; sys.stdout.write('a\\nb'); sys.stderr.write('log')"],
        environment=clean_environment(tmp_path),
        folder=tmp_path,
        deadline=soon,
    )
    assert (finished.output, finished.log) == (b"a\nb", "log")


def test_a_program_that_is_not_there_is_said_to_be_missing(tmp_path: Path, soon: Deadline) -> None:
    with pytest.raises(WorkerError, match="process_not_started: no-such-program"):
        run(["/no-such-program"], environment={}, folder=tmp_path, deadline=soon)


@pytest.mark.parametrize(
    ("script", "how"),
    [
        ("import sys; sys.exit(3)", "status 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
        ("print('half a line', end='', flush=True); raise SystemExit(4)", "status 4"),
    ],
)
def test_a_crash_says_how_the_program_ended(python: str, tmp_path: Path, soon: Deadline, script: str, how: str) -> None:
    with child(python, script, tmp_path) as program, pytest.raises(EvalError, match=f"process_ended: .*{how}"):
        program.read_line(soon)
    with child(python, script, tmp_path) as program, pytest.raises(EvalError, match=f"process_ended: .*{how}"):
        program.read_all(soon)


def test_writing_to_a_dead_program_says_how_it_ended(python: str, tmp_path: Path, soon: Deadline) -> None:
    with child(python, "raise SystemExit(5)", tmp_path) as program:
        with pytest.raises(EvalError, match="status 5"):
            program.read_line(soon)
        with pytest.raises(EvalError, match="status 5"):
            program.write_line(b"x" * 100_000)


def test_silence_ends_at_the_deadline(python: str, tmp_path: Path) -> None:
    with child(python, "import time; time.sleep(60)", tmp_path) as program, pytest.raises(TimeLimitError):
        program.read_line(Deadline.after(0.3))
    assert wait_until_gone(program.pid)


def test_a_line_without_end_is_cut_off(python: str, tmp_path: Path, soon: Deadline) -> None:
    script = (
        f"import sys\nsys.stdout.write('x' * {MAX_LINE_BYTES + 10})\nsys.stdout.flush()\nimport time; time.sleep(60)"
    )
    with child(python, script, tmp_path) as program, pytest.raises(EvalError, match="answer_too_large"):
        program.read_line(soon)


def test_a_talkative_log_keeps_its_end_only(python: str, tmp_path: Path, soon: Deadline) -> None:
    script = "import sys; sys.stderr.write('x' * 5_000_000 + 'the end'); sys.stderr.flush(); print('done')"
    finished = run([python, "-c", script], environment=clean_environment(tmp_path), folder=tmp_path, deadline=soon)
    assert len(finished.log) <= LOG_TAIL_BYTES
    assert finished.log.endswith("the end")


def test_a_log_that_a_daemon_holds_open_is_not_waited_for_for_ever(python: str, tmp_path: Path, soon: Deadline) -> None:
    script = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], stdout=subprocess.DEVNULL)\n"
        "sys.stderr.write('said before')"
    )
    finished = run([python, "-c", script], environment=clean_environment(tmp_path), folder=tmp_path, deadline=soon)
    assert finished.log == "said before"


def test_children_of_a_program_end_with_it(python: str, tmp_path: Path, soon: Deadline) -> None:
    script = (
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(p.pid, flush=True)\nimport time; time.sleep(60)"
    )
    with child(python, script, tmp_path) as program:
        grandchild = int(program.read_line(soon))
        assert alive(grandchild)
    assert wait_until_gone(program.pid)
    assert wait_until_gone(grandchild)


def test_a_program_that_ignores_sigterm_and_a_daemon_it_left_are_killed(
    python: str, tmp_path: Path, soon: Deadline
) -> None:
    script = (
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        print(os.getpid(), flush=True)\n"
        "        time.sleep(60)\n"
        "    os._exit(0)\n"
        "time.sleep(60)"
    )
    program = child(python, script, tmp_path)
    daemon = int(program.read_line(soon))
    assert os.getpgid(daemon) != os.getpgid(program.pid)
    program.stop(grace_s=0.3)
    assert wait_until_gone(program.pid)
    assert wait_until_gone(daemon)
    program.stop()


def test_an_exception_in_the_eval_ends_the_program(python: str, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), child(python, "import time; time.sleep(60)", tmp_path) as program:
        raise KeyboardInterrupt
    assert wait_until_gone(program.pid)
