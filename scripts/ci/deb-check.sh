#!/bin/bash
# Proves the Debian package: builds it, asks lintian, and installs it in a Debian 13 made on the spot, whose systemd is
# booted in namespaces of its own, with Debian's own Node and Postgres. There every unit is judged by systemd-analyze,
# settings and secrets are given as docs/operations/systemd.md says, an invoice is sold, and the package is upgraded
# while it runs, removed and purged. The node is the simulated one, outside of that Debian. It leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Without namespaces nothing can be booted: nothing is proven there, and it says so.
if ! why="$(unshare --mount --pid --net --cgroup --uts --ipc --fork --mount-proc true 2>&1)"; then
  printf '\n*** deb-check: SKIPPED, this machine allows no namespaces (%s). Run it as root where containers can run. ***\n\n' "$why" >&2
  exit 0
fi
work="$(mktemp -d "${TMPDIR:-/tmp}/quittance-deb-XXXXXX")"
# The kernel takes the mounts of a namespace away a moment after its last process.
trap 'for _ in 1 2 3 4 5; do rm -rf --one-file-system "$work" && break; sleep 2; done' EXIT

bash scripts/ci/deb/build.sh "$work"
echo "deb-check: built after $SECONDS s"
# Ends with its first process, and nothing of it outlives it.
unshare --mount --pid --net --fork --mount-proc --kill-child bash scripts/ci/deb/run.sh "$work"
echo "deb-check: all of it held, after $SECONDS s"
