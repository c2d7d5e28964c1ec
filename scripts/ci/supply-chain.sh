#!/bin/bash
# What the service is made of: the parts list of its production packages and of the image's Node (CycloneDX), made from
# the lock files, and whether each installed package is signed by the registry, and none is known to be vulnerable. Where that cannot be asked (no way out, no answer) it is
# said aloud and fails nothing; a wrong or missing signature fails.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
out="${1:-dist/sbom.cdx.json}"

mkdir -p "$(dirname "$out")"
npm sbom --package-lock-only --omit dev --sbom-format cyclonedx >"$out" || exit 1
(cd scripts/image && npm sbom --package-lock-only --sbom-format cyclonedx) >"$out.node" || exit 1
node - "$out" <<'N' || exit 1
const { readFileSync, rmSync, writeFileSync } = require("node:fs");
const [, , out] = process.argv;
const [list, ofNode] = [out, `${out}.node`].map((file) => JSON.parse(readFileSync(file, "utf8")));
rmSync(`${out}.node`);
const components = list.components.concat(ofNode.components);
const dependencies = list.dependencies.concat(ofNode.dependencies);
writeFileSync(out, JSON.stringify({ ...list, components, dependencies }, null, 2));
const unhashed = components.filter(({ hashes = [] }) => hashes.length === 0).map(({ name }) => name);
console.log(`${components.length} packages run in production: ${process.argv[2]}`);
if (components.length === 0 || unhashed.length > 0) throw new Error(`without a hash: ${unhashed.join(", ")}`);
N

# By the database of OSV, which has the advisories of npm, too.
node - "$out" <<'N' || exit 1
const ADVISORIES = process.env.OSV_URL ?? "https://api.osv.dev/v1/querybatch";
const { components } = JSON.parse(require("node:fs").readFileSync(process.argv[2], "utf8"));
// Advisories of Node itself are not among those of npm.
const queries = components.map(({ purl }) => ({
  package: { purl: purl.replace(/^pkg:npm\/node-linux-\w+@/, "pkg:bitnami/node@") },
}));
const ask = async () => {
  const body = JSON.stringify({ queries });
  const answer = await fetch(ADVISORIES, { method: "POST", body, signal: AbortSignal.timeout(60_000) });
  const { results } = await answer.json();
  if (!answer.ok || results?.length !== queries.length) throw new Error("no answer for each");
  return results;
};
ask().then(
  (results) => {
    const known = results.flatMap(({ vulns = [] }, at) => vulns.map(({ id }) => `${components[at].purl}: ${id}`));
    console.log(known.length === 0 ? "No package is known to be vulnerable." : `Known to be vulnerable:\n${known.join("\n")}`);
    process.exitCode = known.length === 0 ? 0 : 1;
  },
  () =>
    console.log(`
!!! WHETHER A PACKAGE IS KNOWN TO BE VULNERABLE WAS NOT CHECKED: the database of advisories gave no answer.   !!!
!!! Run scripts/ci/supply-chain.sh where it can be reached before you release.                               !!!`),
);
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
