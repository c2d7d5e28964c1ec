#!/bin/bash
# Boots the Debian below the folder of the argument, and operates Quittance there. Within mount, PID and network
# namespaces of the check's own.
set -euo pipefail
work="$1"
here="$(cd "$(dirname "$0")" && pwd)"
ip link set lo up
mkdir -p "$work/temporary"
export TMPDIR="$work/temporary"

unshare --mount --pid --cgroup --uts --ipc --fork --kill-child bash "$here/boot.sh" "$work/debian" >"$work/boot.log" 2>&1 &
unshare=$!
for ((i = 0; i < 300; i++)); do
  systemd="$(pgrep --parent "$unshare" || true)"
  [ -n "$systemd" ] && [ -S "/proc/$systemd/root/run/systemd/private" ] && break
  kill -0 "$unshare" 2>/dev/null || break
  sleep 0.1
done
[ -S "/proc/${systemd:-none}/root/run/systemd/private" ] || { cat "$work/boot.log" >&2; echo "deb-check: systemd did not start" >&2; exit 1; }

failed=0
timeout 480 node_modules/.bin/tsx "$here/operate.ts" "$systemd" || failed=1
if [ "$failed" -ne 0 ]; then
  nsenter --target "$systemd" --all --root --wd journalctl --no-pager --lines 60 >&2 || true
  echo "deb-check: the package does not do what it should" >&2
fi
exit "$failed"
