#!/bin/bash
# Proves the image and the Compose file where there is no Docker engine: builds the Dockerfile, checks what is in the
# image, starts every service of docker-compose.regtest.yml by that file, sells by it on-chain, by Lightning and by the
# checkout's button, and stops the service while a webhook is under way. docs/operations/docker.md says what stands in for what.
# It leaves nothing behind: images and data are in a folder of this run, and all processes in a namespace of its own,
# with a network of its own, so that no port of the machine is taken.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Without namespaces nothing can be started: nothing is proven then, and it says so. In CI that is a failure.
if ! why="$(unshare --mount --pid --net --fork --mount-proc true 2>&1)"; then
  printf '\n*** image-check: SKIPPED, this machine allows no namespaces (%s). Run it as root where containers can run. ***\n\n' "$why" >&2
  [ -z "${CI:-}" ] || exit 1
  exit 0
fi
work="$(mktemp -d "${TMPDIR:-/tmp}/quittance-image-XXXXXX")"
# The kernel takes the mounts of a namespace away a moment after its last process.
trap 'for _ in 1 2 3 4 5; do rm -rf --one-file-system "$work" && break; sleep 2; done' EXIT

# Limits that a root without CAP_SYS_RESOURCE may set; runc, since crun refuses machines with both kinds of cgroups.
cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=$(ulimit -Hu):$(ulimit -Hu)"]
[engine]
runtime = "runc"
[network]
network_config_dir = "$work/networks"
CONF
cat >"$work/storage.conf" <<CONF
[storage]
driver = "overlay"
graphroot = "$work/storage"
runroot = "$work/run"
CONF
export CONTAINERS_CONF="$work/containers.conf" CONTAINERS_STORAGE_CONF="$work/storage.conf"
# There may be no systemd: the checks of health are run by run.sh.
export DISABLE_HC_SYSTEMD=true IMAGE=docker.io/library/quittance:regtest

# Ends with its first process, and nothing of it outlives it.
apart() { # options of unshare --, command...
  unshare --mount --pid --fork --mount-proc --kill-child "$@"
}

apart bash scripts/ci/image/build.sh "$work"
echo "image-check: built after $SECONDS s"
apart bash scripts/ci/image/content.sh "$work"
apart --net bash scripts/ci/image/run.sh "$work"
echo "image-check: all of it held, after $SECONDS s"
