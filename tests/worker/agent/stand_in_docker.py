"""A docker for tests: takes only what docker 27's command line takes, and lets a plain process stand for a container.

Its state is the folder ``STAND_IN_DOCKER``: ``images`` lists what was pulled, ``containers`` has a file for each that
runs. The "container" writes its order to the folder that is mounted at ``/out``; the rest is in the image's name.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import signal
import sys
from pathlib import Path

STATE = Path(os.environ["STAND_IN_DOCKER"])
IMAGES, CONTAINERS = STATE / "images", STATE / "containers"
MOUNT = {"type", "source", "target", "readonly"}
"""Keys of ``--mount`` that docker knows and we use; podman's ``relabel`` is none."""
TMPFS = re.compile(r"/tmp:(rw|exec|nosuid|nodev|size=\d+g|mode=\d+)(,(rw|exec|nosuid|nodev|size=\d+g|mode=\d+))*")


def one_of(*allowed: str):
    return lambda value: value if value in allowed else fail(f"invalid argument {value!r}")


def like(pattern: str):
    return lambda value: value if re.fullmatch(pattern, value) else fail(f"invalid argument {value!r}")


def fail(words: str, status: int = 125) -> str:
    print(f"docker: {words}", file=sys.stderr)
    sys.exit(status)


def mount(value: str) -> dict[str, str]:
    fields = dict(field.partition("=")[::2] for field in value.split(","))
    if fields.keys() - MOUNT or fields["type"] != "bind" or not Path(fields["source"]).is_dir():
        fail(f"invalid argument {value!r} for --mount")
    return fields


def gpus(value: str) -> str:
    (field,) = next(csv.reader([value]))  # docker reads the option as a line of CSV: a list of devices needs quotes
    return field if re.fullmatch(r"all|device=\d+(,\d+)*", field) else fail(f"invalid argument {value!r} for --gpus")


def run_options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="docker run", allow_abbrev=False)
    for flag in ("--rm", "--interactive", "--read-only"):
        parser.add_argument(flag, action="store_true")
    for option, kind in {
        "--pull": one_of("always", "missing", "never"),
        "--name": like("[a-zA-Z0-9][a-zA-Z0-9_.-]+"),
        "--network": one_of("none"),
        "--hostname": str,
        "--cap-drop": one_of("ALL"),
        "--security-opt": one_of("no-new-privileges"),
        "--log-driver": one_of("none"),
        "--ipc": one_of("private"),
        "--stop-timeout": int,
        "--user": like(r"[1-9]\d*:\d+"),
        "--memory": like(r"\d+g"),
        "--memory-swap": like(r"\d+g"),
        "--pids-limit": int,
        "--cpus": float,
        "--tmpfs": lambda value: value if TMPFS.fullmatch(value) else fail(f"invalid argument {value!r}"),
        "--gpus": gpus,
    }.items():
        parser.add_argument(option, type=kind)
    parser.add_argument("--label", type=like(r"[\w.]+=.+"))
    parser.add_argument("--ulimit", action="append", type=like(r"[a-z]+=\d+:\d+"))
    parser.add_argument("--mount", action="append", type=mount)
    parser.add_argument("--env", action="append", type=like(r"\w+=.*"))
    parser.add_argument("image")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser


def run(words: list[str]) -> int:
    options = run_options().parse_args(words)
    if options.image not in IMAGES.read_text().split():
        fail(f"Error response from daemon: No such image: {options.image}")
    container = CONTAINERS / options.name
    container.write_text(json.dumps({"pid": os.getpid(), "label": options.label}))
    (out,) = (Path(one["source"]) for one in options.mount if one["target"] == "/out")
    (out / "ran.json").write_text(
        json.dumps({"command": options.command, "order": sys.stdin.read(), "gpus": options.gpus, "user": options.user})
    )
    print("the job says something", flush=True)
    if "endless" in options.image:
        signal.pause()
    container.unlink()
    return 3 if "failing" in options.image else 0


def remove(names: list[str]) -> None:
    for name in names:
        container = CONTAINERS / name
        if container.exists():
            os.kill(json.loads(container.read_text())["pid"], signal.SIGKILL)
            container.unlink()


def main(words: list[str]) -> int:
    match words:
        case ["version", "--format", "{{.Client.Version}}"]:
            if (STATE / "no-daemon").exists():
                fail("Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", 1)
            print("27.5.1")
        case ["image", "inspect", image]:
            return 0 if image in IMAGES.read_text().split() else 1
        case ["pull", "--quiet", image]:
            if "missing" in image:
                fail(f"Error response from daemon: manifest for {image} not found: manifest unknown", 1)
            with IMAGES.open("a") as images:
                print(image, file=images)
        case ["run", *options]:
            return run(options)
        case ["rm", "--force", *names]:
            remove(names)
        case ["ps", "--all", "--quiet", filtered] if filtered.startswith("--filter=label="):
            for container in CONTAINERS.iterdir():
                if f"--filter=label={json.loads(container.read_text())['label']}" == filtered:
                    print(container.name)
        case _:
            fail(f"unknown command or flag: {words}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
