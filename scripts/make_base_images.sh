#!/usr/bin/env bash
# Makes local stand-ins for the two base images that containers/*/Dockerfile name, where no image registry is reachable.
#
# Usage: scripts/make_base_images.sh STORE
#
# STORE gets a container store of its own (graph, run, containers.conf, storage.conf). STORE/env holds the NAME=VALUE words
# that make podman use it: env $(cat STORE/env) podman ... STORE/volumes lists the folders that pip reads wheels from here;
# a build needs them as --volume FOLDER:FOLDER:ro.
# The images carry the upstream tags, so the project's Dockerfiles stay unchanged, and they trust this machine's CAs and
# pip settings: never push them. Needs root, podman, buildah, runc and mmdebstrap. Does nothing where they exist already.
set -euo pipefail

mkdir -p "${1:?usage: make_base_images.sh STORE}"
store=$(cd "$1" && pwd)
python_image=python:3.11-slim-bookworm
node_image=node:20-bookworm-slim

# podman cannot raise limits without CAP_SYS_RESOURCE, and crun refuses a hybrid cgroup layout: stay under the hard limit, use runc.
nofile=$(ulimit -Hn)
cat > "$store/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=$nofile:$nofile", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
CONF
cat > "$store/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$store/graph"
runroot = "$store/run"
CONF
export CONTAINERS_CONF="$store/containers.conf" CONTAINERS_STORAGE_CONF="$store/storage.conf"
printf '%q %q\n' "CONTAINERS_CONF=$CONTAINERS_CONF" "CONTAINERS_STORAGE_CONF=$CONTAINERS_STORAGE_CONF" > "$store/env"

# pip settings that hold inside a build as they do here: where wheels come from and which CA to trust.
pip_settings=$(python3 -m pip config list | python3 -c '
import ast, re, sys
kept = {}
for line in sys.stdin:
    match = re.match(r"(?:global|install|:env:)\.(index-url|extra-index-url|find-links|cert)=(.*)", line.strip())
    if match:
        kept[match[1]] = " ".join(part for part in ast.literal_eval(match[2]).split() if not part.startswith("file:"))
print("[global]", *(f"{key} = {value}" for key, value in kept.items() if value), sep="\n")
')
sed -n 's/^find-links = //p' <<< "$pip_settings" | tr ' ' '\n' | grep '^/' > "$store/volumes" || true

if podman image exists "localhost/$python_image" && podman image exists "localhost/$node_image"; then
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/hook"
cat > "$work/hook/pip.conf" <<CONF
$pip_settings
CONF
cat > "$work/hook/customize00" <<'HOOK'
#!/bin/sh
set -e
here=$(dirname "$0")
for ca in /usr/local/share/ca-certificates/*.crt; do
  [ ! -e "$ca" ] || cp "$ca" "$1/usr/local/share/ca-certificates/"
done
cp "$here/pip.conf" "$1/etc/pip.conf"
chroot "$1" update-ca-certificates >/dev/null 2>&1
HOOK
chmod +x "$work/hook/customize00"

mirror=$(awk '/^URIs:/ {print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
mmdebstrap --quiet --variant=minbase --hook-dir="$work/hook" \
  --include=ca-certificates,python3,python3-venv,python-is-python3 \
  bookworm "$work/root.tar" ${mirror:+"$mirror"}
podman import -q --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' --change 'CMD ["python3"]' \
  "$work/root.tar" "$python_image" > /dev/null

# Node.js and npm as they are on this machine.
mkdir "$work/node"
cp "$(node -p process.execPath)" "$work/node/node"
cp -r "$(npm root --global)/npm" "$work/node/npm"
cat > "$work/node/Dockerfile" <<DOCKERFILE
FROM $python_image
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt npm_config_registry=$(npm config get registry)
DOCKERFILE
buildah bud -q --network host -t "$node_image" "$work/node" > /dev/null
