// node scripts/npm/built.cjs NAME …: runs dist/scripts/NAME.js, or says what has to be done first.

const { existsSync } = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..", "..");
const [name] = process.argv.splice(2, 1);
const built = path.join(ROOT, "dist", "scripts", `${name}.js`);

const missing = !existsSync(path.join(ROOT, "node_modules"))
  ? "Nothing is installed yet: run `npm ci && npm run build` first."
  : !existsSync(built)
    ? "Nothing is built yet: run `npm run build` first."
    : null;
if (missing === null) {
  require(built);
} else {
  const error = { code: "not-built", message: missing };
  process.stderr.write(process.argv.includes("--json") ? `${JSON.stringify({ error })}\n` : `${missing}\n`);
  process.exitCode = 1;
}
