"""Fuzz every target, guided by coverage: ``python tests/fuzz/campaign.py --minutes 30``, or one: ``--target claims``.

What is found is left in the working folder; an input worth keeping goes to ``tests/fuzz/corpus/TARGET`` in
hexadecimal and is replayed by every test run from then on.
"""

import argparse
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import atheris

HERE = Path(__file__).parent
NAMES = ("manifest", "blobs", "claims", "export", "parts")
LIMIT_S = 20
"""One input may take no longer, also on a machine that does much else."""
LIMIT_MB = 1024
ROUNDS = {"manifest": 8_000, "blobs": 2_000}
"""Inputs after which a target is fuzzed on in a new process.

The bookkeeping of coverage takes a quarter of a megabyte for each blob and nothing gives it back: without rounds a fast
machine meets `LIMIT_MB` by it, whatever the inputs need.
"""
GROWTH_MB = 20
"""How much more memory the second reading of everything that was found may need than the first.

It is measured afterwards and without the bookkeeping of coverage.
"""
INSTRUMENTED = ["judge", "zipfile", "worker.bundle", "worker.suites", "yaml", "server.storage", "server.intake.parts"]


def main() -> None:
    """Read the arguments and fuzz."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="for all targets together")
    parser.add_argument("--target", choices=NAMES, help="only this one")
    parser.add_argument("--folder", type=Path, default=Path("var/fuzz"), help="what is found goes here")
    parser.add_argument("--inside", choices=("fuzz", "replay"), help=argparse.SUPPRESS)
    arguments, passed_on = parser.parse_known_args()
    if arguments.inside == "fuzz":
        _fuzz(arguments.target, passed_on)
        return
    if arguments.inside == "replay":
        print(_replay(arguments.target, arguments.folder / arguments.target))
        return
    names = [arguments.target] if arguments.target else list(NAMES)
    failed = [one for one in names if not _run(one, arguments.folder, 60 * arguments.minutes / len(names))]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def _run(name: str, folder: Path, seconds: float) -> bool:
    """Fuzz one target in a process of its own; False: it crashed, hung or grew."""
    corpus, found = folder / name, folder / f"{name}-found"
    for one in (corpus, found):
        one.mkdir(parents=True, exist_ok=True)
    for kept in (HERE / "corpus" / name).glob("*.hex"):
        (corpus / kept.stem).write_bytes(bytes.fromhex(kept.read_text(encoding="ascii")))
    again = [sys.executable, __file__, "--target", name, "--folder", folder, "--inside"]
    began_s, code = time.monotonic(), 0
    log = folder / f"{name}.log"
    with log.open("wb") as stream:
        while not code and (left_s := int(began_s + seconds - time.monotonic())) > 0:
            command = [*again, "fuzz", *_options(name, found, left_s), corpus]
            code = subprocess.run(command, stdout=stream, stderr=stream, check=False).returncode
    text = log.read_text(errors="replace")
    runs = sum(map(int, re.findall(r"executed_units: (\d+)", text)))
    coverage = next(iter(re.findall(r"cov: (\d+)", text)[-1:]), "?")
    minutes = (time.monotonic() - began_s) / 60
    left = sorted(path.name for path in found.iterdir())
    grown = int(subprocess.run([*again, "replay"], stdout=subprocess.PIPE, check=True).stdout)
    count = len(list(corpus.iterdir()))
    print(f"{name}: {runs} inputs in {minutes:.1f} min, {count} kept, coverage {coverage}, memory grown by {grown} MB")
    if code or left:
        print(f"  ended with {code}; {', '.join(left) or 'no input'} in {found}; see {log}")
    return not code and not left and grown <= GROWTH_MB


def _options(name: str, found: Path, seconds: int) -> Iterator[str]:
    """What libFuzzer is told for one round."""
    yield from (f"-max_total_time={seconds}", f"-timeout={LIMIT_S}", f"-report_slow_units={LIMIT_S}")
    yield from (f"-rss_limit_mb={LIMIT_MB}", "-max_len=4096", f"-artifact_prefix={found}/", "-print_final_stats=1")
    yield "-len_control=10"
    if name in ROUNDS:
        yield f"-runs={ROUNDS[name]}"


def _replay(name: str, corpus: Path) -> int:
    """Read a corpus twice: by how many MB the second reading needed more than the first."""
    function = _targets()[name]
    needed = []
    for _ in range(2):
        for path in sorted(corpus.iterdir()):
            function(path.read_bytes())
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        needed.append(pages * resource.getpagesize() >> 20)
    return needed[1] - needed[0]


def _fuzz(name: str, options: list[str]) -> None:
    with atheris.instrument_imports(include=INSTRUMENTED):
        function = _targets()[name]
    function(b"")
    atheris.Setup([__file__, *options], function)
    atheris.Fuzz()


def _targets() -> dict[str, Callable[[bytes], None]]:
    sys.path.insert(0, str(HERE))
    import targets

    return targets.TARGETS


if __name__ == "__main__":
    main()
