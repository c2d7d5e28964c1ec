// npm run demo: installs and builds what is missing, then runs scripts/demo.ts.
// npm run dev: the same with --watch; sources that change are built again, and their processes restarted.

// Before anything else is read, which can take seconds.
process.stdout.write(
  "Quittance's demo: it checks what is installed and built, then starts the whole service …\n",
);

const path = require("node:path");
const { ROOT, ensureInstalled } = require("./setup.cjs");

process.chdir(ROOT);
ensureInstalled();
const { ensureBuilt } = require("./build.cjs");
const { watchSources } = require("./watch.cjs");
const watch = process.argv.includes("--watch") ? watchSources : null;
void ensureBuilt().then(() => require(path.join(ROOT, "dist", "scripts", "demo.js")).startDemo(watch));
