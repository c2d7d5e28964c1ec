// npm run demo: installs and builds what is missing, then runs scripts/demo.ts.

const path = require("node:path");
const { ROOT, ensureInstalled } = require("./setup.cjs");
const { ensureBuilt } = require("./build.cjs");

process.chdir(ROOT);
ensureInstalled();
void ensureBuilt().then(() => require(path.join(ROOT, "dist", "scripts", "demo.js")));
