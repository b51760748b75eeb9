"""``python -m k3_decode.timeline``: when each launch of a layer starts, asks for weights, goes on and ends."""

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence

from k3_decode.bench.measure import MODELS
from k3_decode.build.compiler import ARCHITECTURES
from k3_decode.build.compiler import build as compile_operators
from k3_decode.config import CONFIGS
from k3_decode.errors import K3Error
from k3_decode.kernels.catalog import distinct
from k3_decode.kernels.operator import Operator
from k3_decode.kernels.tactics import BUCKETS
from k3_decode.specialized.operators import step_operators
from k3_decode.specialized.sharded import sharded_operators
from k3_decode.timeline import instrument, table

SHAPE = "shape.json"
"""What a build was made for, in its folder."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status: 0 fine, 2 usage, 3 refused."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "build":
            _build(options)
        elif options.command == "compile":
            compile_operators(
                operators(options.tp, options.rows), [options.arch], options.out, workers=options.workers
            )  # fmt: skip
        elif options.command == "show":
            return _show(options)
        else:
            _replay(options)
    except (K3Error, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


def operators(tp: int, rows: int) -> list[Operator]:
    """List the operators of the layers of one rank, whole and sharded."""
    config = CONFIGS[MODELS[tp]]
    return distinct([*step_operators(config, buckets=(rows,)), *sharded_operators(config, tp, buckets=(rows,))])


def _build(options: argparse.Namespace) -> None:
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    shape = {"tp": options.tp, "rows": options.rows, "arch": options.arch}
    given = [text for name in ("tp", "rows", "arch", "workers") for text in (f"--{name}", str(getattr(options, name)))]
    command = ["-m", "k3_decode.timeline", "compile", *given, "--out", str(out / instrument.KERNELS)]
    instrument.build(operators(options.tp, options.rows), command, out)
    (out / SHAPE).write_text(json.dumps(shape), encoding="utf-8")
    print(f"instrumented kernels of layers of {options.rows} rows at {options.tp} ranks: {options.out}")


def _show(options: argparse.Namespace) -> int:
    """Replay in a process that imports the instrumented package: kernels run only with the sources they came from."""
    if not (options.folder / SHAPE).exists():
        raise K3Error(f"{options.folder}: expected what `build` left there, got no {SHAPE}")
    json_lines = ["--json"] if options.json else []
    again = ["-m", "k3_decode.timeline", "replay", str(options.folder.resolve()), "--commit", options.commit]
    return instrument.run([*again, *json_lines], options.folder / instrument.SOURCE)


def _replay(options: argparse.Namespace) -> None:
    from k3_decode.timeline.replay import replay  # not at the top: compiling needs nothing of it

    shape = json.loads((options.folder / SHAPE).read_text(encoding="utf-8"))
    kernels = options.folder / instrument.KERNELS / shape["arch"]
    for each in replay(kernels, tp=shape["tp"], rows=shape["rows"], commit=options.commit):
        if options.json:
            print(json.dumps(each, allow_nan=False), flush=True)
        else:
            print(f"\n{each['name']}, {each['tp']} ranks, {each['rows']} rows: {each['layer_us']} us a layer")
            print(table.text(each["launches"]), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m k3_decode.timeline", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (
        ("build", "instrument a copy of the kernels and compile it, on any machine"),
        ("compile", "what build calls with the instrumented copy"),
    ):
        made = commands.add_parser(name, help=what, description=what)
        made.add_argument("--tp", type=int, choices=sorted(MODELS), default=16, help="ranks that share a model")
        made.add_argument("--rows", type=int, choices=BUCKETS, default=1, help="token rows")
        made.add_argument("--arch", choices=ARCHITECTURES, default="sm_90a", help="what for")
        made.add_argument("--workers", type=int, default=2, help="compilers at the same time")
        made.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR", help="gets sources and kernels")
    for name, what in (
        ("show", "replay layers on a GPU and print their timelines"),
        ("replay", "what show calls with the instrumented copy"),
    ):
        shown = commands.add_parser(name, help=what, description=what)
        shown.add_argument("folder", type=pathlib.Path, metavar="DIR", help="what build left")
        shown.add_argument("--commit", required=True, help="commit the kernels were built from")
        shown.add_argument("--json", action="store_true", help="print a JSON line a layer instead of tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
