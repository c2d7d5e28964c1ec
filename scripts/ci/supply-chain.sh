#!/bin/bash
# What the service is made of: the parts list of its production packages (CycloneDX), made from the lock file, and
# whether each installed package is signed by the registry. Where that cannot be asked (no way out, no answer) it is
# said aloud and fails nothing; a wrong or missing signature fails.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
out="${1:-dist/sbom.cdx.json}"

mkdir -p "$(dirname "$out")"
npm sbom --package-lock-only --omit dev --sbom-format cyclonedx >"$out" || exit 1
node - "$out" <<'N' || exit 1
const { components } = JSON.parse(require("node:fs").readFileSync(process.argv[2], "utf8"));
const unhashed = components.filter(({ hashes = [] }) => hashes.length === 0).map(({ name }) => name);
console.log(`${components.length} packages run in production: ${process.argv[2]}`);
if (components.length === 0 || unhashed.length > 0) throw new Error(`without a hash: ${unhashed.join(", ")}`);
N

answer="$(timeout 120 npm audit signatures --json --fetch-retries=1)"
node - "$answer" <<'N'
const AWAY = `
!!! THE SIGNATURES OF THE PACKAGES WERE NOT CHECKED: the registry, or what vouches for its keys, gave no answer. !!!
!!! Run scripts/ci/supply-chain.sh where both can be reached before you release.                               !!!`;
let found;
try {
  found = JSON.parse(process.argv[2]);
} catch {
  found = {};
}
const { invalid, missing } = found;
if (!Array.isArray(invalid) || !Array.isArray(missing)) console.log(AWAY);
else if (invalid.length + missing.length === 0) console.log("The registry has signed every package.");
else {
  const named = (list) => list.map(({ name, version }) => `${name}@${version}`).join(", ") || "none";
  console.log(`Signatures that are wrong: ${named(invalid)}; missing: ${named(missing)}`);
  process.exitCode = 1;
}
N
