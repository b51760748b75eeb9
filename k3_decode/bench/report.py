"""``python -m k3_decode.bench.report``: print the measured rows, newest session last."""

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence

RESULTS = pathlib.Path(__file__).resolve().parent / "results"


def table(lines: Sequence[str]) -> str:
    """Lay JSON lines out for people, one measured row a line.

    Args:
        lines: What `k3_decode.bench.gpu_session` wrote.
    """
    rows = [json.loads(line) for line in lines if line.strip()]
    head = f"{'kind':6} {'tp':>3} {'rows':>4} {'name':28} {'median us':>10} {'p10':>9} {'p90':>9} {'MB':>9} of limit"
    body = [
        f"{row['kind']:6} {row['tp']:3} {row['rows']:4} {row['name']:28} "
        f"{row['median_us']:10.2f} {row['p10_us']:9.2f} {row['p90_us']:9.2f} "
        f"{row['bytes'] / 1e6:9.2f} {row['fraction_of_limit']:8.2f}"
        for row in rows
    ]
    notes = sorted({f"{row['gpu']}, driver {row['driver']}, {row['date']}, commit {row['commit']}" for row in rows})
    return "\n".join([head, *body, *notes])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print sessions; return 0, or 1 if there is none."""
    parser = argparse.ArgumentParser(prog="python -m k3_decode.bench.report", description=__doc__)
    parser.add_argument("files", type=pathlib.Path, nargs="*", help="JSON lines; all committed sessions if none")
    options = parser.parse_args(arguments)
    files = options.files or sorted(RESULTS.glob("*.jsonl"))
    for file in files:
        print(f"{file.name}\n{table(file.read_text('utf-8').splitlines())}\n")
    return 0 if files else 1


if __name__ == "__main__":
    sys.exit(main())
