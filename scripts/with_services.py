#!/usr/bin/env python3
"""Run a command with a PostgreSQL, a Redis and an S3 store (SeaweedFS) of its own, and stop them whatever happens.

    scripts/with_services.py COMMAND [ARG...]

The command finds them at BYOGPU_TEST_POSTGRES_URL, BYOGPU_TEST_REDIS_URL and BYOGPU_TEST_S3_URL (its one key is
BYOGPU_TEST_S3_ACCESS_KEY with BYOGPU_TEST_S3_SECRET_KEY). All listen on free ports of the loopback address and keep
their files in a temporary folder. Durability is off: for tests only.

Standard library only, so that it runs before anything is installed.
"""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ENVIRONMENT = Path(__file__).resolve().parents[1] / ".venv" / "bin"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0
POSTGRES_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
}


S3_ACCESS_KEY, S3_SECRET_KEY = "byogpu-tests", "secret-of-the-tests"
GRPC_OFFSET = 10000
"""SeaweedFS listens on each port plus this as well."""


class ServiceError(Exception):
    """A service did not start: the message says which, and what it said."""


def free_port() -> int:
    """Return a TCP port that nothing on the loopback address listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def free_port_pair() -> int:
    """Return a free port whose neighbour `GRPC_OFFSET` further on is free as well."""
    while True:
        port = free_port()
        if port + GRPC_OFFSET > 65535:
            continue
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port + GRPC_OFFSET)):
            return port


def program(name: str) -> str:
    """Return the path of a program; PostgreSQL's live outside PATH in Debian, SeaweedFS's in the environment.

    Raises:
        ServiceError: It is not installed.
    """
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    beside = os.pathsep.join([*map(str, folders), str(Path(sys.executable).parent), str(ENVIRONMENT)])
    found = shutil.which(name) or shutil.which(name, path=beside)
    if found is None:
        raise ServiceError(f"{name} is not installed: run `make test`, or scripts/install_system_packages.sh")
    return found


@contextlib.contextmanager
def running(
    command: list[str],
    *,
    log: Path,
    ready: Callable[[], bool],
    stop_signal: signal.Signals,
    user: str | None = None,
) -> Iterator[None]:
    """Start a server, wait until it is ready, and stop it at the end.

    Raises:
        ServiceError: It ended or stayed silent; carries the end of its log.
    """
    with log.open("wb") as output:
        # A process group of its own: Ctrl-C stops the command first, and the services after it.
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, user=user, start_new_session=True
        )
    try:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not ready():
            if server.poll() is not None or time.monotonic() > deadline:
                raise ServiceError(f"{command[0]} did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.05)
        yield
    finally:
        server.send_signal(stop_signal)
        try:
            server.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def accepts(port: int) -> bool:
    """Tell whether something on the loopback address accepts connections on `port`."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Run a fresh PostgreSQL in `folder` and yield its SQLAlchemy URL."""
    user = "postgres" if os.geteuid() == 0 else None  # It refuses to run as root.
    if user:
        shutil.chown(folder, user)
    data = folder / "data"
    made = subprocess.run(
        [program("initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
        user=user, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode:
        raise ServiceError(f"initdb failed:\n{made.stdout}{made.stderr}")
    port = free_port()
    settings = POSTGRES_SETTINGS | {"unix_socket_directories": str(folder)}
    flags = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    command = [program("postgres"), "-D", str(data), "-p", str(port), *flags]
    with running(
        command, log=folder.parent / "postgres.log", ready=lambda: accepts(port), stop_signal=signal.SIGINT, user=user
    ):
        yield f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"


@contextlib.contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Run a fresh Redis in `folder` and yield its URL."""
    port = free_port()
    command = [program("redis-server"), "--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder)]
    command += ["--save", "", "--appendonly", "no"]
    with running(command, log=folder.parent / "redis.log", ready=lambda: accepts(port), stop_signal=signal.SIGTERM):
        yield f"redis://127.0.0.1:{port}/0"


@contextlib.contextmanager
def s3(folder: Path) -> Iterator[str]:
    """Run a fresh SeaweedFS in `folder` and yield the URL of its S3 API.

    It takes long to stop politely, and its data are not kept: it is killed.
    """
    identity = {
        "name": "tests",
        "credentials": [{"accessKey": S3_ACCESS_KEY, "secretKey": S3_SECRET_KEY}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [identity]}))
    master, volume, filer, port = (free_port_pair() for _ in range(4))
    command = [
        program("weed"), f"-logdir={folder}", "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
        "-master.telemetry=false", f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}",
        "-master.volumeSizeLimitMB=256", "-volume.max=100", "-s3", f"-s3.port={port}", f"-s3.config={config}",
        "-s3.port.iceberg=0", "-s3.port.lance=0",
    ]  # fmt: skip
    log = folder.parent / "s3.log"
    with running(command, log=log, ready=lambda: answers(port, "/status"), stop_signal=signal.SIGKILL):
        yield f"http://127.0.0.1:{port}"


def answers(port: int, path: str) -> bool:
    """Tell whether an HTTP server on the loopback address answers with success."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def run(command: list[str], environment: dict[str, str]) -> int:
    """Run the command, hand it the signals that reach us, and return its exit status as a shell would."""
    with subprocess.Popen(command, env=environment) as child:
        # A terminal sends SIGINT to the command itself; we only wait for it to finish.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda received, _frame: child.send_signal(received))
        status = child.wait()
    return status if status >= 0 else 128 - status


def main() -> int:
    """Start the services, run the command, stop the services, and return the command's exit status."""
    command = sys.argv[1:]
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    # SIGTERM while the services start must unwind the stack like any error.
    signal.signal(signal.SIGTERM, lambda received, _frame: sys.exit(128 + received))
    try:
        with contextlib.ExitStack() as stack:
            top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="byogpu-services-")))
            top.chmod(0o755)
            folders = {name: top / name for name in ("postgres", "redis", "s3")}
            for folder in folders.values():
                folder.mkdir()
            urls = {
                "BYOGPU_TEST_POSTGRES_URL": stack.enter_context(postgres(folders["postgres"])),
                "BYOGPU_TEST_REDIS_URL": stack.enter_context(redis(folders["redis"])),
                "BYOGPU_TEST_S3_URL": stack.enter_context(s3(folders["s3"])),
                "BYOGPU_TEST_S3_ACCESS_KEY": S3_ACCESS_KEY,
                "BYOGPU_TEST_S3_SECRET_KEY": S3_SECRET_KEY,
            }
            return run(command, os.environ | urls)
    except ServiceError as error:
        print(f"with_services: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
