// Makes clients/typescript/src/generated.ts from the API's description; --check only says whether it is up to date.

const { execFileSync } = require("node:child_process");
const { readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..", "..");
const FILE = path.join(ROOT, "clients/typescript/src/generated.ts");
const HEAD =
  "// Made from the API's description by `node scripts/npm/client-types.cjs`; changes here are lost.\n\n";

function describeApi() {
  const print = ["--import", "tsx", "api/print-openapi.ts"];
  return JSON.parse(
    execFileSync(process.execPath, print, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 }),
  );
}

async function main() {
  const { default: openapiTs, astToString } = await import("openapi-typescript");
  const text =
    HEAD +
    astToString(
      await openapiTs(describeApi(), { alphabetize: true, defaultNonNullable: false, silent: true }),
    );
  if (!process.argv.includes("--check")) writeFileSync(FILE, text);
  else if (readFileSync(FILE, "utf8") !== text) {
    process.stderr.write(
      "The client's types are not those of the API: run `node scripts/npm/client-types.cjs`.\n",
    );
    process.exitCode = 1;
  }
}

void main();
