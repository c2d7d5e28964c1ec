// Removes from dist/ what was compiled before: migrations are found by their names, and a removed one would be run.

const { existsSync, readdirSync, rmSync } = require("node:fs");
const path = require("node:path");

const DIST = path.join(__dirname, "..", "..", "dist");

/** The pages stay: they are built by themselves, where they changed. */
function removeBuilt(dist = DIST) {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist))
    if (name !== "web") rmSync(path.join(dist, name), { recursive: true, force: true });
}

module.exports = { removeBuilt };

if (require.main === module) removeBuilt();
