// npm run demo: installs and builds what is missing, then runs scripts/demo.ts.
// npm run dev: the same with --watch; sources that change are built again, and their processes restarted.

const USAGE = `usage: npm run demo            the whole service, with a simulated Bitcoin node and LND
       npm run demo -- --few   all workers in one process
       npm run dev             the same, and restarts what is changed in the sources

It keeps its data in .demo/. Settings, such as PORT, come from the environment.
`;
const args = process.argv.slice(2);
const unknown = args.find((arg) => !["--few", "--help", "--watch"].includes(arg));
if (unknown !== undefined) {
  process.stderr.write(`unknown: ${unknown}\n${USAGE}`);
  process.exit(1);
}
if (args.includes("--help")) {
  process.stdout.write(USAGE);
  process.exit(0);
}

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
const watch = args.includes("--watch") ? watchSources : null;
void ensureBuilt().then(() => require(path.join(ROOT, "dist", "scripts", "demo.js")).startDemo(watch));
