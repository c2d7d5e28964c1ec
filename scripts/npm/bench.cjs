// npm run bench | bench:gate: installs what is missing, then runs scripts/bench/main.ts or gate.ts.

const { spawn } = require("node:child_process");
const path = require("node:path");
const { ROOT, ensureInstalled } = require("./setup.cjs");

const [name, ...rest] = process.argv.slice(2);
ensureInstalled();
const file = path.join("scripts", "bench", `${name}.ts`);
const child = spawn(process.execPath, ["--import", "tsx", file, ...rest], { cwd: ROOT, stdio: "inherit" });
// Ctrl-C reaches the benches too, which stop their servers; wait for them.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
