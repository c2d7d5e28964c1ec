#!/bin/bash
# Runs a command, the tests of upgrades, where the history has an older version to upgrade from.
# bash scripts/ci/upgrade-check.sh npm run -s test:upgrade
set -euo pipefail
cd "$(dirname "$0")/../.."

code=0
bash scripts/ci/older-version.sh >&2 || code=$?
if [ "$code" -eq 3 ]; then
  printf '\n*** upgrade-check: SKIPPED, this clone has no older version to upgrade from. ***\n\n' >&2
  exit 0
fi
[ "$code" -eq 0 ] || exit "$code"
exec "$@"
