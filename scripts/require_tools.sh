#!/usr/bin/env bash
# Fails with a clear word unless the given Python is 3.11 or newer, with venv, and Node.js is 20 or newer, with npm.
#
# Usage: scripts/require_tools.sh PYTHON
set -euo pipefail

python=${1:?usage: require_tools.sh PYTHON}
fail() { printf 'setup: %s\n' "$*" >&2; exit 3; }

command -v "$python" > /dev/null || fail "$python is not installed; name another one: make setup PYTHON=python3.12"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "Python 3.11 or newer is needed, $python is $("$python" --version 2>&1); name another one: make setup PYTHON=python3.12"
"$python" -c 'import ensurepip, venv' 2> /dev/null ||
  fail "$python lacks the venv module (Debian: apt-get install python3-venv)"

command -v node > /dev/null || fail "Node.js 20 or newer is needed for the dashboard; node is not installed"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
  fail "Node.js 20 or newer is needed for the dashboard, node is $(node --version)"
command -v npm > /dev/null || fail "npm is not installed; it comes with Node.js"
