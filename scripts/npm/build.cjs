// npm run build: compiles everything to dist/, and builds the pages that changed. For the demo and `npm run dev`: only
// what is missing or older than its source.

const path = require("node:path");
const { buildWeb } = require("./build-web.cjs");
const { compileAnew, compileService, staleSources } = require("./compile-service.cjs");
const { ROOT, refuse } = require("./setup.cjs");

const DIST = path.join(ROOT, "dist");

async function build({ anew = false } = {}) {
  (anew ? compileAnew : compileService)(DIST);
  await buildWeb();
}

/** For a command that cannot continue otherwise: a failure ends the process. */
async function ensureBuilt() {
  if (staleSources(DIST).length > 0) process.stdout.write("Building …\n");
  await buildOrEnd();
}

async function buildOrEnd(options) {
  try {
    await build(options);
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes(error.code))
      refuse(`${DIST} has to be built, but cannot be written to (${error.code}). Check who owns it.`);
    refuse(`The build failed.\n${error.message}`);
  }
}

module.exports = { build, ensureBuilt };

if (require.main === module) void buildOrEnd({ anew: true });
