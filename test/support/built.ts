import { execFile, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const { compileService } = require("../../scripts/npm/compile-service.cjs") as {
  compileService: (out: string) => void;
};
const OUT = path.join(__dirname, "../../.test/dist");

/** What the apps import. */
const LOAD_ALL = `
  const { readdirSync } = require("node:fs");
  const [, out] = process.argv;
  for (const name of ["adapters/context.js", "api/app.js"]) require(out + "/" + name);
  for (const name of readdirSync(out + "/workers"))
    if (name.endsWith(".js") && name !== "main.js") require(out + "/workers/" + name);`;

let built = false;

/**
 * The service as `npm run demo` builds it: processes start twice as fast from it as from TypeScript. Once a test run,
 * and only the changed files are compiled. Returns the folder.
 */
export function buildService(): string {
  if (!built) {
    compileService(OUT);
    fillCompileCache();
  }
  built = true;
  return OUT;
}

/** The same in a process of its own, beside other work of this one. */
export async function buildServiceBeside(): Promise<void> {
  const build = `require(${JSON.stringify(__filename)}).buildService()`;
  await promisify(execFile)(process.execPath, ["--require", "tsx", "-e", build]);
}

/**
 * In a fresh clone the first processes would each write V8's code of all modules when they end. With a whole service
 * that took half a minute on two busy cores, in which it was not stopped yet.
 */
function fillCompileCache(): void {
  const folder = process.env["NODE_COMPILE_CACHE"];
  if (folder === undefined || !existsSync(folder)) return; // Node 20 knows none
  const filled = path.join(folder, `filled-by-${process.version}`);
  if (existsSync(filled)) return;
  const { status, stderr } = spawnSync(process.execPath, ["-e", LOAD_ALL, OUT], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the compiled service cannot be loaded: ${stderr}`);
  writeFileSync(filled, "");
}
