"""``python -m k3_decode.bench``: time decode steps, or check the reference's numbers."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TextIO, cast, get_args

from k3_decode.bench import session
from k3_decode.bench.numerics import CONFIG_NAMES, run_cases, table
from k3_decode.bench.session import Session
from k3_decode.config import CONFIGS
from k3_decode.decoder import DecodeMode
from k3_decode.engine.identity import describe
from k3_decode.engine.loading import add_model_options, load_model
from k3_decode.errors import K3Error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status: 0 fine, 1 a case failed, 2 usage, 3 the model cannot be loaded."""
    options = _parser().parse_args(arguments)
    if options.command == "numerics":
        return _numerics(options)
    try:
        _session(options, _claim_stdout())
    except (K3Error, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


def _claim_stdout() -> TextIO:
    """Keep standard output for answers: whatever a library prints there goes to standard error instead."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _session(options: argparse.Namespace, answers: TextIO) -> None:
    loaded = load_model(options)
    mode = cast(DecodeMode, options.decode)
    identity = describe(loaded.model, weights=loaded.weights, dequantized_experts=loaded.dequantized_experts, mode=mode)
    for answer in Session(loaded.model, mode, identity).run(sys.stdin):
        print(json.dumps(answer, allow_nan=False), file=answers, flush=True)


def _numerics(options: argparse.Namespace) -> int:
    cases = run_cases(CONFIGS[options.config], seed=options.seed, threads=options.threads)
    print(json.dumps({"cases": cases}, allow_nan=False) if options.json else table(cases))
    return 0 if all(case["passed"] for case in cases) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m k3_decode.bench",
        description="Measure the K3 decoder. 'session' times decode steps for a caller that drives it; "
        "'numerics' checks the reference's operators and identities on this machine.",
    )
    commands = parser.add_subparsers(dest="command", required=True)

    timing = commands.add_parser(
        "session",
        help="time decode steps, driven by JSON lines on standard input",
        description=session.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_options(timing)
    timing.add_argument("--decode", choices=get_args(DecodeMode), default="stock", help="decode path to use")

    numbers = commands.add_parser("numerics", help="check operators and identities against float64")
    numbers.add_argument(
        "--config", choices=CONFIG_NAMES, default="k3-tiny", help="configuration that gives the shapes"
    )
    numbers.add_argument("--seed", type=int, default=0, help="seed of the inputs")
    numbers.add_argument("--threads", type=int, default=1, help="CPU threads of one operator")
    numbers.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
