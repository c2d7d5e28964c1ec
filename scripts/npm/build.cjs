// Builds dist/ where it is missing or older than the source.

const { spawnSync } = require("node:child_process");
const { existsSync, readdirSync, rmSync, statSync } = require("node:fs");
const path = require("node:path");
const { buildWeb } = require("./build-web.cjs");
const { ROOT, refuse } = require("./setup.cjs");

const { include } = require("../../tsconfig.build.json");
const DIST = path.join(ROOT, "dist");
/** The compiler writes the folders in the order in which tsconfig names them; this file is of the last one. */
const BUILT = path.join(DIST, "scripts", "demo.js");

function changedAt(file) {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function newestSource() {
  const names = include.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => path.join(folder, name)),
  );
  const files = [...names, "tsconfig.json", "tsconfig.build.json", "package-lock.json"];
  return Math.max(...files.map((name) => changedAt(path.join(ROOT, name))));
}

/** The pages are built by themselves. */
function removeBuilt() {
  if (!existsSync(DIST)) return;
  for (const name of readdirSync(DIST))
    if (name !== "web") rmSync(path.join(DIST, name), { recursive: true, force: true });
}

function buildService() {
  if (changedAt(BUILT) > newestSource()) return;
  process.stdout.write("Building …\n");
  try {
    removeBuilt(); // what was removed from the source must not stay
  } catch (error) {
    refuse(`${DIST} has to be built anew, but cannot be written to (${error.code}). Whose folder is it?`);
  }
  const tsc = path.join(ROOT, "node_modules", "typescript", "bin", "tsc");
  // Types are checked by `npm run build` and `npm run check`; a newcomer need not wait for that.
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--noCheck"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  if (status === 0) return;
  removeBuilt();
  refuse("The build failed; what the compiler says is above.");
}

async function ensureBuilt() {
  buildService();
  await buildWeb();
}

module.exports = { ensureBuilt };
