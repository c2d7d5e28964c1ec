#!/bin/bash
# Starts the services of docker-compose.regtest.yml by Compose itself, which talks to podman as to Docker, and sells.
set -euo pipefail
work="$1"
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/private.sh"
cd "$here/../../.."
export DOCKER_HOST="unix://$work/podman.sock" COMPOSE_PROJECT_NAME=check COMPOSE_HTTP_TIMEOUT=200
export COMPOSE_FILE="docker-compose.regtest.yml:$work/override.yml"
# The one thing that the check changes: host-gateway, which Podman knows since 4.7, is written out.
cat >"$work/override.yml" <<'YML'
services:
  quittance:
    extra_hosts: ["host.docker.internal:10.89.7.1"]
networks:
  default:
    ipam:
      config: [{ subnet: 10.89.7.0/24 }]
YML
ip link set lo up

logs() {
  podman ps --all --format '{{.Names}}: {{.Status}}' >&2
  timeout 60 docker-compose logs --no-color --tail 40 >&2
}

podman system service --time=0 "$DOCKER_HOST" >"$work/podman.log" 2>&1 &
for ((i = 0; i < 300; i++)); do [ ! -S "$work/podman.sock" ] || break; sleep 0.2; done
[ -S "$work/podman.sock" ] || { cat "$work/podman.log" >&2; fail "podman does not listen"; }

# What Docker's engine does by itself: each container's own check, with its own time limit and retries.
(
  while sleep 1; do
    for container in $(podman ps --quiet); do podman healthcheck run "$container" || true; done
  done
) >/dev/null 2>&1 &

timeout 480 docker-compose up --no-build --detach || { logs; fail "the services did not start"; }
node "$here/sale.mjs" || { logs; fail "the sale failed"; }
