"""``python -m k3_decode.lint``: check the machine code of built kernels."""

import argparse
import pathlib
import sys
from collections.abc import Sequence

from k3_decode.build.manifest import read_manifest
from k3_decode.build.sets import SETS
from k3_decode.errors import K3Error
from k3_decode.kernels.operator import Operator
from k3_decode.lint.rules import Finding, check
from k3_decode.lint.sass import disassemble, read_code


def lint(operator: Operator, architecture: str, folder: pathlib.Path) -> list[Finding]:
    """Check one built kernel.

    Args:
        operator: Which.
        architecture: What it was built for.
        folder: Where its cubin is.
    """
    text = disassemble(folder / f"{operator.name}.cubin")
    return check(read_code(text, architecture, pointers=len(operator.arguments)), operator.arguments, operator.contract)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check folders of built kernels; return the exit status: 0 clean, 1 findings, 2 usage, 3 refused."""
    parser = argparse.ArgumentParser(prog="python -m k3_decode.lint", description=__doc__)
    parser.add_argument("folders", type=pathlib.Path, nargs="+", help="folders of one architecture each")
    options = parser.parse_args(arguments)
    known = {operator.name: operator for operators in SETS.values() for operator in operators()}
    findings = kernels = 0
    try:
        for folder in options.folders:
            manifest = read_manifest(folder)
            for name in manifest["kernels"]:
                if name not in known:
                    raise K3Error(f"{folder}: expected kernels of the catalog, got {name}")
                kernels += 1
                for finding in lint(known[name], manifest["architecture"], folder):
                    findings += 1
                    print(f"{manifest['architecture']} {name}: {finding.rule}: {finding.detail}")
    except K3Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    print(f"{kernels} kernels, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
