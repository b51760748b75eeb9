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
# SIGTERM drains: the policy's drain_minutes and a minute to clean up.
KillMode=mixed
TimeoutStopSec=6min
Delegate=yes
UMask=0077
Nice=5
OOMPolicy=continue
LimitCORE=0
# What the agent itself needs no more. Containers need user namespaces and newuidmap, so NoNewPrivileges stays off.
LockPersonality=yes
ProtectClock=yes
ProtectKernelLogs=yes
RestrictRealtime=yes
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"""


def unit_file() -> str:
    """The unit, with this installation's command."""
    program = Path(sys.executable).with_name("byogpu")
    return _UNIT.format(command=shlex.join([str(program), "agent"]))
