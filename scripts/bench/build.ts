import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

const { removeBuilt } = require("../npm/clean-dist.cjs") as { removeBuilt: (dist: string) => void };

export const ROOT = path.join(__dirname, "../..");

/**
 * The service as built by `npm run build`, but in a folder of its own and without type checks. Returns the folder.
 */
export function buildService({ keep }: { keep: boolean }): string {
  const out = path.join(ROOT, ".bench/dist");
  if (keep && existsSync(out)) return out;
  const run = (file: string, ...args: string[]): void => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [path.join(ROOT, file), ...args], {
      cwd: ROOT,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`The service could not be built: ${stdout}${stderr}`);
  };
  removeBuilt(out);
  run("scripts/npm/copy-files.cjs", "--out", out);
  run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--noCheck", "--outDir", out);
  run("scripts/npm/build-web.cjs", "--out", path.join(out, "web"));
  return out;
}
