// npm test [-- files and mocha options]: the tests that need nothing but Node. A suite that needs more is a folder of
// test/ with a command of its own in package.json (test:regtest → --suite=regtest → test/regtest).

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const path = require("node:path");
const { ROOT, ensureInstalled, refuse } = require("./setup.cjs");

const SUITES = Object.keys(require("../../package.json").scripts)
  .filter((name) => name.startsWith("test:"))
  .map((name) => name.slice("test:".length));

/** mocha's arguments for ours. */
function mochaArguments(given) {
  const suite = given.find((argument) => argument.startsWith("--suite="))?.slice("--suite=".length);
  if (suite !== undefined && !SUITES.includes(suite))
    refuse(`There is no suite ${suite}; there are: ${SUITES.join(", ")}.`);
  const rest = given.filter((argument) => !argument.startsWith("--suite="));
  // A test run that runs nothing has not passed.
  const options = ["--fail-zero"];
  // In CI nothing may be skipped, and nothing may be the only one.
  if (process.env.CI) options.push("--forbid-pending", "--forbid-only");
  // Nor may one race throw away an hour's work of everybody else: a second try, told loudly.
  if (process.env.CI) options.push("--retries", "1", "--reporter", "test/support/second-tries.cjs");
  if (rest.some((argument) => /\.ts$/.test(argument))) return [...options, ...rest];
  if (suite !== undefined) return [...options, ...rest, `test/${suite}/**/*.test.ts`];
  const others = SUITES.flatMap((name) => ["--ignore", `test/${name}/**`]);
  return [...options, ...others, ...rest, "test/**/*.test.ts"];
}

ensureInstalled();
const mocha = path.join(ROOT, "node_modules", "mocha", "bin", "mocha.js");
if (!existsSync(mocha)) refuse("mocha is not installed: run `npm ci` without --omit=dev.");
const child = spawn(process.execPath, [mocha, ...mochaArguments(process.argv.slice(2))], {
  cwd: ROOT,
  stdio: "inherit",
});
// Ctrl-C reaches mocha too, which stops its database; wait for it.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
