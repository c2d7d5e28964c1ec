// npm run -s cli: the built command line, or a sentence about what is missing.

const { existsSync } = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..", "..");
const BUILT = path.join(ROOT, "dist", "scripts", "cli.js");

const missing = !existsSync(path.join(ROOT, "node_modules"))
  ? "Nothing is installed yet: run `npm ci && npm run build` first."
  : !existsSync(BUILT)
    ? "Nothing is built yet: run `npm run build` first."
    : null;
if (missing === null) {
  require(BUILT);
} else {
  const error = { code: "not-built", message: missing };
  process.stderr.write(process.argv.includes("--json") ? `${JSON.stringify({ error })}\n` : `${missing}\n`);
  process.exitCode = 1;
}
