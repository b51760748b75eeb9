#!/usr/bin/env bash
# Installs the Debian packages that the tests need. Does nothing where all of them are there already.
#
# Installs as root or through sudo without a password. Where neither works it lists what is missing and fails: a test that
# cannot run is an error, not a skip.
set -euo pipefail

packages=(
  postgresql redis-server                                    # services
  chromium fonts-dejavu-core                                 # browser tests
  buildah podman runc netavark iptables uidmap mmdebstrap    # container images
  git make
)

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=(env)
elif command -v sudo > /dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo -n env)
else
  printf 'The tests need these packages, and there is neither root nor sudo to install them:\n  %s\n' "${missing[*]}" >&2
  exit 3
fi
if ! command -v apt-get > /dev/null; then
  printf 'The tests need these Debian packages, or what your system calls them:\n  %s\n' "${missing[*]}" >&2
  exit 3
fi

echo "Installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{
  "${as_root[@]}" apt-get update &&
    "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
} > "$log" 2>&1 || { tail -n 30 "$log" >&2; exit 3; }
