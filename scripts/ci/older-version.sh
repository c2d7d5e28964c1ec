#!/bin/bash
# Prints the folder of the version that comes before this one, with its packages and compiled: that of the last tag, and
# up to the first release the commit before this version's first migration. Exit code 3: the history does not have it.
# With --commit: its commit, and nothing is compiled.
set -euo pipefail
cd "$(dirname "$0")/../.."

# What comes into the first release; the database of whoever ran a clone before it has the migrations that are older.
first_migration=database/migrations/1766400000000-key-permissions.ts

absent() {
  echo "older-version: $1. A whole clone has it: git fetch --unshallow --tags" >&2
  exit 3
}

git rev-parse --git-dir >/dev/null # says what is wrong with the repository
commit="$(git describe --tags --abbrev=0 --match 'v*' 'HEAD^' 2>/dev/null || true)"
if [ -z "$commit" ]; then
  # The one that this commit is to become has no tag yet.
  own="$(node -p 'require("./package.json").version')"
  ! awk -v own="## [$own]" '/^## \[[0-9]/ && index($0, own) != 1 { other = 1 } END { exit !other }' CHANGELOG.md ||
    absent "the changelog has releases, and this clone has no tag of one"
  added="$(git log --diff-filter=A --format=%H -1 -- "$first_migration")"
  [ -n "$added" ] || absent "no commit of this history adds $first_migration"
  commit="$added^"
fi
commit="$(git rev-parse --verify --quiet "$commit^{commit}")" || absent "this history ends before the older version"
[ "${1:-}" != --commit ] || { echo "$commit"; exit; }

folder=".test/older/$commit"
if [ ! -f "$folder/dist/scripts/cli.js" ]; then
  rm -rf "$folder" "$folder.new"
  mkdir -p "$folder.new"
  git archive "$commit" | tar -x -C "$folder.new"
  (cd "$folder.new" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline) >&2
  # TypeScript is this version's: the folder is below it.
  node -e 'require(process.argv[1]).compileService(process.argv[2])' \
    "$PWD/$folder.new/scripts/npm/compile-service.cjs" "$PWD/$folder.new/dist"
  mv "$folder.new" "$folder"
fi
echo "$PWD/$folder"
