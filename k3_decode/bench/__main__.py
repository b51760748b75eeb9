"""``python -m k3_decode.bench``: time decode steps or kernels, check the reference's numbers, report measurements."""

import argparse
import json
import os
import pathlib
import sys
from collections.abc import Sequence
from typing import TextIO, cast, get_args

import torch

from k3_decode.bench import report
from k3_decode.bench.gpu_timing import Kind
from k3_decode.bench.numerics import CONFIG_NAMES, run_cases, table
from k3_decode.config import CONFIGS
from k3_decode.decoder import DecodeMode
from k3_decode.engine.identity import describe
from k3_decode.engine.loading import add_decode_options, add_model_options, load_model, specialize
from k3_decode.errors import K3Error

KINDS: tuple[Kind, ...] = get_args(Kind)

WHAT: dict[str, str] = {
    **{kind: f"each {kind}" for kind in KINDS},
    "rank": "steps of more layers, and of all layers of one rank of 16 (110 GB)",
    "all": "every kernel, layer and step",
}
"""What the measuring commands time. ``all`` leaves out ``rank``, which needs a whole GPU's memory."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status: 0 fine, 1 a case failed, 2 usage, 3 the model cannot be loaded."""
    options = _parser().parse_args(arguments)
    if options.command == "numerics":
        return _numerics(options)
    if options.command == "report":
        return report.main(options.files)
    try:
        if options.command == "session":
            _session(options, _claim_stdout())
        else:
            _measure(options)
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
    from k3_decode.bench.session import Session  # not at the top: kernels are measured where pydantic is not installed

    loaded = load_model(options)
    mode = cast(DecodeMode, options.decode)
    specialization = specialize(loaded.model, mode, options.kernels)
    identity = describe(
        loaded.model,
        weights=loaded.weights,
        dequantized_experts=loaded.dequantized_experts,
        mode=mode,
        specialization=specialization,
    )
    for answer in Session(loaded.model, mode, identity, specialization).run(sys.stdin):
        print(json.dumps(answer, allow_nan=False), file=answers, flush=True)


def _measure(options: argparse.Namespace) -> None:
    from k3_decode.bench.measure import measure  # not at the top: it imports the compiler, for seconds
    from k3_decode.kernels.library import KernelLibrary

    library = KernelLibrary(options.kernels, torch.device("cuda"))
    every: tuple[Kind, ...] = ("kernel", "layer", "step")
    kinds = every if options.command == "all" else (cast(Kind, options.command),)
    rows = measure(
        kinds, library, ranks=options.tp, rows=options.rows, commit=options.commit, stock=options.stock
    )  # fmt: skip
    lines = [json.dumps(each, allow_nan=False) for each in rows]
    if options.out is not None:
        options.out.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    print("\n".join(lines) if options.json else report.table(lines))


def _numerics(options: argparse.Namespace) -> int:
    cases = run_cases(CONFIGS[options.config], seed=options.seed, threads=options.threads)
    print(json.dumps({"cases": cases}, allow_nan=False) if options.json else table(cases))
    return 0 if all(case["passed"] for case in cases) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m k3_decode.bench",
        description="Measure the K3 decoder. 'session' times decode steps for a caller that drives it; 'kernel', "
        "'layer' and 'step' time built kernels on a GPU; 'numerics' checks the reference on this machine; 'report' "
        "prints committed measurements.",
    )
    commands = parser.add_subparsers(dest="command", required=True)

    timing = commands.add_parser(
        "session",
        help="time decode steps, driven by JSON lines on standard input",
        description="Answer each JSON line of standard input with one on standard output. The operations are identity, "
        "block and quit; k3_decode.bench.session says what they take and give.",
    )
    add_model_options(timing)
    add_decode_options(timing)

    for kind in (*KINDS, "all"):
        what = f"time {WHAT[kind]} on a GPU, against stock where it is given"
        _add_measure_options(commands.add_parser(kind, help=what))

    committed = commands.add_parser("report", help="print measured rows, and which targets they reach")
    committed.add_argument("files", type=pathlib.Path, nargs="*", help="JSON lines; all committed measurements if none")

    numbers = commands.add_parser("numerics", help="check operators and identities against float64")
    numbers.add_argument(
        "--config", choices=CONFIG_NAMES, default="k3-tiny", help="configuration that gives the shapes"
    )
    numbers.add_argument("--seed", type=int, default=0, help="seed of the inputs")
    numbers.add_argument("--threads", type=int, default=1, help="CPU threads of one operator")
    numbers.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    return parser


def _add_measure_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kernels", type=pathlib.Path, required=True, metavar="DIR", help="folder of built kernels")
    parser.add_argument("--commit", required=True, help="commit the kernels were built from")
    parser.add_argument("--tp", type=int, nargs="+", default=[16, 8], choices=[16, 8], help="ranks that share a model")
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 8, 64], help="row counts")
    parser.add_argument(
        "--stock", type=pathlib.Path, metavar="DIR", help="what stock vLLM's harness left on this GPU beside this run"
    )
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="receives the rows as JSON lines")
    parser.add_argument("--json", action="store_true", help="print JSON lines instead of a table")


if __name__ == "__main__":
    sys.exit(main())
