#!/bin/bash
# Runs a command, the tests of upgrades. Where the history has no older version to run beside this one: those alone that
# upgrade the kept databases.
# bash scripts/ci/upgrade-check.sh npm run -s test:upgrade
set -euo pipefail
cd "$(dirname "$0")/../.."

code=0
bash scripts/ci/older-version.sh >&2 || code=$?
if [ "$code" -eq 3 ]; then
  printf '\n*** upgrade-check: SKIPPED are the tests beside an older version, since this clone has none. ***\n\n' >&2
  set -- npm test --silent -- test/upgrade/kept-databases.test.ts
  code=0
fi
[ "$code" -eq 0 ] || exit "$code"
exec "$@"
