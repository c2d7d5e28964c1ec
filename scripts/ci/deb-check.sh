#!/bin/bash
# Proves the Debian package: builds it, asks lintian, and installs it in a Debian 13 made on the spot, whose systemd is
# booted in namespaces of its own, with Debian's own Node and Postgres. There every unit is judged by systemd-analyze,
# settings and secrets are given as docs/operations/systemd.md says, an invoice is sold, and the package is upgraded
# while it runs, removed and purged. The node is the simulated one, outside of that Debian. It leaves nothing behind.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/ci/namespaces.sh
need_namespaces --cgroup --uts --ipc
make_work_folder deb

bash scripts/ci/deb/build.sh "$work"
echo "deb-check: built after $SECONDS s"
# Ends with its first process, and nothing of it outlives it.
unshare --mount --pid --net --fork --mount-proc --kill-child bash scripts/ci/deb/run.sh "$work"
echo "deb-check: all of it held, after $SECONDS s"
