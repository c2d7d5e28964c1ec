// npm run check [-- NAME …]: everything that can be said about the code without running the service, or the gates of
// these names. All run, also after one failed.

const { spawn } = require("node:child_process");
const path = require("node:path");
const { ROOT, ensureInstalled, refuse } = require("./setup.cjs");

const FOLDERS = [
  ...["api", "workers", "scripts", "commands", "adapters", "config", "database", "entities", "domain"],
  "clients",
  "web",
  "test",
];

/** What it is called, and the node program with its arguments. The slowest first. */
const GATES = [
  ["lint", "node_modules/eslint/bin/eslint.js", "."],
  ["types", "node_modules/typescript/bin/tsc", "-p", "tsconfig.json"],
  ["types of the pages", "node_modules/typescript/bin/tsc", "-p", "web/tsconfig.json"],
  ["format", "node_modules/prettier/bin/prettier.cjs", "--check", "--log-level=warn", "."],
  ["walls and cycles", "node_modules/dependency-cruiser/bin/dependency-cruise.mjs", ...FOLDERS],
  ["dead code", "node_modules/knip/bin/knip.js", "--no-config-hints"],
  ["code that tests alone use", "node_modules/knip/bin/knip.js", "--no-config-hints", "--production"],
  ["settings documented", "node_modules/tsx/dist/cli.mjs", "scripts/env-example.ts", "--check"],
  ["data model documented", "node_modules/tsx/dist/cli.mjs", "scripts/data-model.ts", "--check"],
  ["API description", "scripts/npm/lint-openapi.cjs"],
  ["client's types", "scripts/npm/client-types.cjs", "--check"],
  ["house rules", "scripts/npm/test.cjs", "--suite=house"],
];
const AT_ONCE = 2;
/** Compilers make garbage faster than V8 expects: with its default the collector takes a sixth of their time. */
const MORE_YOUNG_SPACE = "--max-semi-space-size=128";

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Runs one gate; resolves to whether it is content. */
function run([name, program, ...args]) {
  const start = performance.now();
  const child = spawn(process.execPath, [MORE_YOUNG_SPACE, path.join(ROOT, program), ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" },
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      process.stdout.write(`${code === 0 ? "ok    " : "FAILED"}  ${name} (${seconds(start)})\n`);
      if (code !== 0) process.stdout.write(`${output.trimEnd()}\n\n`);
      resolve(code === 0);
    });
  });
}

function gatesOf(names) {
  const unknown = names.find((name) => !GATES.some(([known]) => known === name));
  if (unknown !== undefined)
    refuse(`There is no gate "${unknown}". Gates: ${GATES.map(([name]) => name).join(", ")}.`);
  return names.length === 0 ? GATES : GATES.filter(([name]) => names.includes(name));
}

async function main() {
  const gates = gatesOf(process.argv.slice(2));
  ensureInstalled();
  const start = performance.now();
  process.stdout.write(
    `${gates.length === 1 ? "1 gate" : `${gates.length} gates`}: ${gates.map(([name]) => name).join(", ")}\n`,
  );
  const waiting = [...gates];
  let failed = 0;
  const lane = async () => {
    for (let gate = waiting.shift(); gate; gate = waiting.shift()) if (!(await run(gate))) failed += 1;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  process.stdout.write(failed === 0 ? `All gates are content (${seconds(start)})\n` : `${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

void main();
