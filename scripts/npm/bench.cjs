// npm run bench: installs what is missing, then runs scripts/bench/main.ts.

const { spawn } = require("node:child_process");
const path = require("node:path");
const { ROOT, ensureInstalled } = require("./setup.cjs");

ensureInstalled();
const args = ["--import", "tsx", path.join("scripts", "bench", "main.ts"), ...process.argv.slice(2)];
const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
// Ctrl-C reaches the benches too, which stop their servers; wait for them.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
