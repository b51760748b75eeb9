#!/usr/bin/env bash
# Pins requirements/*.txt from requirements/*.in: exact versions with hashes, for every platform, no index address.
#
# Usage: scripts/lock_requirements.sh UV [--upgrade | --upgrade-package NAME]
#
# Versions already pinned stay unless an upgrade is asked for. dev.in holds everything, so its versions bind the others.
set -euo pipefail

uv=${1:?usage: lock_requirements.sh UV [--upgrade]}
shift
command -v "$uv" > /dev/null || { echo "lock: $uv is not installed (pip install uv), or name it: make lock UV=PATH" >&2; exit 3; }
cd "$(dirname "$0")/../requirements"

compile() {
  UV_PYTHON_DOWNLOADS=never "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-header --no-emit-index-url --no-annotate "$@" > /dev/null
}

compile dev.in --output-file dev.txt "$@"
for name in build worker server eval gpu; do
  compile "$name.in" --constraints dev.txt --output-file "$name.txt" "$@"
done
