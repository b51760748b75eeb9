"""``python -m k3_decode.build``: compile kernels ahead of time."""

import argparse
import pathlib
import sys
import time
from collections.abc import Sequence

from k3_decode.build.compiler import ARCHITECTURES, build
from k3_decode.build.sets import SETS
from k3_decode.errors import K3Error


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a set of operators; return the exit status: 0 built, 2 usage, 3 refused."""
    parser = argparse.ArgumentParser(prog="python -m k3_decode.build", description=__doc__)
    parser.add_argument("--set", choices=sorted(SETS), default="sample", help="which operators")
    parser.add_argument("--arch", choices=ARCHITECTURES, action="append", help="what for; may be repeated; all if not")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="gets one folder an architecture")
    parser.add_argument("--workers", type=int, default=2, help="compilers at the same time")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    try:
        manifests = build(
            SETS[options.set](), options.arch or ARCHITECTURES, options.out, workers=options.workers
        )  # fmt: skip
    except K3Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    counts = ", ".join(f"{architecture} {len(found['kernels'])}" for architecture, found in manifests.items())
    print(f"kernels: {counts}, in {time.monotonic() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
