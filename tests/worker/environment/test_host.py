from pathlib import Path

import pytest

from worker.environment.host import Host


def tree(root: Path, files: dict[str, str]) -> Host:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Host(root)


def test_the_processor_and_memory_are_read(tmp_path: Path) -> None:
    host = tree(
        tmp_path,
        {
            "proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD EPYC 9654\n\nprocessor\t: 1\nmodel name\t: other\n",
            "proc/meminfo": "MemTotal:       24684092 kB\nMemFree:        1 kB\n",
            "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12"\n',
        },
    )
    assert (host.cpu_model(), host.memory_bytes(), host.system()) == (
        "AMD EPYC 9654",
        24_684_092 * 1024,
        "Debian GNU/Linux 12",
    )


def test_what_the_kernel_does_not_say_is_unknown(tmp_path: Path) -> None:
    host = Host(tmp_path)
    assert (host.cpu_model(), host.memory_bytes()) == ("unknown", "unknown")
    container = host.container()
    assert (container.containerized, container.cpu_limit, container.memory_limit_bytes) == ("unknown",) * 3


def test_version_2_limits_are_the_tightest_on_the_way_up(tmp_path: Path) -> None:
    host = tree(
        tmp_path,
        {
            "proc/self/cgroup": "0::/outer/inner\n",
            "sys/fs/cgroup/outer/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/outer/memory.max": "1000000000\n",
            "sys/fs/cgroup/outer/inner/cpu.max": "max 100000\n",
            "sys/fs/cgroup/outer/inner/memory.max": "2000000000\n",
        },
    )
    container = host.container()
    assert (container.cpu_limit, container.memory_limit_bytes) == (1.5, 1_000_000_000)
    assert container.containerized is False


def test_version_1_limits_are_read_at_the_mount_when_the_path_is_the_hosts(tmp_path: Path) -> None:
    host = tree(
        tmp_path,
        {
            "proc/self/cgroup": "4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n",
            "proc/1/cgroup": "4:memory:/docker/abc\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
        },
    )
    container = host.container()
    assert (container.cpu_limit, container.memory_limit_bytes) == (0.5, 536_870_912)
    assert container.containerized is True


def test_no_limit_is_none_and_not_a_huge_number(tmp_path: Path) -> None:
    host = tree(
        tmp_path,
        {
            "proc/self/cgroup": "4:memory:/\n1:cpu,cpuacct:/\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
    )
    container = host.container()
    assert (container.cpu_limit, container.memory_limit_bytes) == (None, None)


@pytest.mark.parametrize(
    "mark",
    [
        {".dockerenv": ""},
        {"run/.containerenv": ""},
        {"proc/1/cgroup": "0::/kubepods/pod1\n"},
        {"proc/self/mounts": "overlay / overlay rw 0 0\n"},
    ],
)
def test_each_mark_of_a_container_is_seen(tmp_path: Path, mark: dict[str, str]) -> None:
    host = tree(tmp_path, {"proc/self/cgroup": "0::/\n", **mark})
    assert host.container().containerized is True
