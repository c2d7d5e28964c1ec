#!/bin/bash
# The tests and the demo with every Node that we support, the oldest first: node-versions.sh [versions...]. CI runs the
# tests with the oldest, the suites of the whole service with the newest, and one demo with both.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
[ "$#" -gt 0 ] || set -- 20.19.0 22 24 26
failed=()
for version; do
  bash scripts/ci/with-node.sh "$version" npm test --silent || failed+=("tests with Node $version")
  bash scripts/ci/with-node.sh "$version" bash scripts/ci/demo-check.sh || failed+=("demo with Node $version")
done
[ "${#failed[@]}" -eq 0 ] || { printf 'node-versions: failed: %s\n' "${failed[@]}" >&2; exit 1; }
