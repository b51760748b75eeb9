"""A systemd unit for an agent, as a user's own service: rootless containers need the user's namespace."""

import shlex
import sys
from pathlib import Path

_UNIT = """\
# ~/.config/systemd/user/byogpu-agent.service; then: systemctl --user enable --now byogpu-agent; loginctl enable-linger
[Unit]
Description=Lends this machine's GPUs to byogpu
Wants=network-online.target
After=network-online.target

[Service]
ExecStart={command}
EnvironmentFile=-%h/.config/byogpu/agent.env
Restart=on-failure
RestartSec=30
# SIGTERM drains: the policy's drain_minutes and a minute to clean up. Print this unit again after changing them.
KillMode=mixed
TimeoutStopSec={stop_minutes}min
Delegate=yes
UMask=0077
Nice=5
OOMPolicy=continue
LimitCORE=0
# Nothing that a user's systemd can do with NoNewPrivileges only, and turns on by itself with it: system call filters,
# Protect..., Restrict..., LockPersonality. Rootless podman needs newuidmap, which it would end. Containers have it.

[Install]
WantedBy=default.target
"""


def unit_file(drain_minutes: int, policy: Path | None = None) -> str:
    """The unit, with this installation's command.

    Args:
        drain_minutes: What a job gets to end by itself, as the policy says.
        policy: The policy's file, if it is not in its usual place.
    """
    program = Path(sys.executable).with_name("byogpu")
    options = [] if policy is None else [f"--policy={policy.resolve()}"]
    command = shlex.join([str(program), "agent", *options]).replace("%", "%%").replace("$", "$$")
    return _UNIT.format(command=command, stop_minutes=drain_minutes + 1)
