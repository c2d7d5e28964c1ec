// Brings LND's descriptions of its gRPC into adapters/lnd/protos/, byte for byte as its tag has them. For another version
// of LND change the tag and the hashes, which come from a checkout of that tag whose signature you have verified.
//   node scripts/npm/fetch-protos.cjs

const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");

const TAG = "v0.20.0-beta";
const SOURCE = `https://raw.githubusercontent.com/lightningnetwork/lnd/${TAG}`;
const TARGET = path.join(__dirname, "..", "..", "adapters", "lnd", "protos");
const DEADLINE_MS = 30_000;
/** The file in LND's repository, its name here, and its SHA-256. */
const FILES = [
  ["LICENSE", "LICENSE", "7ebd67c52a36357cb0c6c5e903ece047b195a6b8b04c6e7a8c820e01c884581c"],
  [
    "lnrpc/lightning.proto",
    "lightning.proto",
    "8de51253eaa478175ab21be522862cfa33c07d9dc390d7aa4544bf4220ac4f3a",
  ],
  [
    "lnrpc/stateservice.proto",
    "stateservice.proto",
    "e7c9e1083804c5510874a4e549e3a26864e91892c830921e82d555e469f97242",
  ],
  [
    "lnrpc/invoicesrpc/invoices.proto",
    "invoicesrpc/invoices.proto",
    "1724f72aa2ed070c8978f5e8a40bc828a2859bbf5a56274ffa1577a65f3f05e7",
  ],
];

function checked(name, content, wanted) {
  const found = createHash("sha256").update(content).digest("hex");
  if (found !== wanted) throw new Error(`${name} of ${TAG} has the SHA-256 ${found} and not ${wanted}`);
  return content;
}

/** Nothing is written unless all of it is what it should be. */
async function fetchProtos() {
  const files = [];
  for (const [from, name, hash] of FILES) {
    const answer = await fetch(`${SOURCE}/${from}`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    if (!answer.ok) throw new Error(`${SOURCE}/${from} answered ${answer.status}`);
    files.push([name, checked(name, Buffer.from(await answer.arrayBuffer()), hash)]);
  }
  for (const [name, content] of files) {
    mkdirSync(path.dirname(path.join(TARGET, name)), { recursive: true });
    writeFileSync(path.join(TARGET, name), content);
  }
}

/** @throws when a file here is not LND's */
function checkProtos() {
  for (const [, name, hash] of FILES) checked(name, readFileSync(path.join(TARGET, name)), hash);
  return FILES.map(([, name]) => name);
}

module.exports = { checkProtos };

if (require.main === module)
  void fetchProtos().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
