// npm run build: compiles to dist/ what is missing there or older than its source, and builds the pages that changed.

const path = require("node:path");
const { buildWeb } = require("./build-web.cjs");
const { compileService, staleSources } = require("./compile-service.cjs");
const { ROOT, refuse } = require("./setup.cjs");

const DIST = path.join(ROOT, "dist");

async function build() {
  compileService(DIST);
  await buildWeb();
}

/** For a command that cannot continue otherwise: a failure ends the process. */
async function ensureBuilt() {
  if (staleSources(DIST).length > 0) process.stdout.write("Building …\n");
  await buildOrEnd();
}

async function buildOrEnd() {
  try {
    await build();
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes(error.code))
      refuse(`${DIST} has to be built, but cannot be written to (${error.code}). Check who owns it.`);
    refuse(`The build failed.\n${error.message}`);
  }
}

module.exports = { build, ensureBuilt };

if (require.main === module) void buildOrEnd();
