import { existsSync } from "node:fs";
import path from "node:path";

const { compileAnew } = require("../npm/compile-service.cjs") as { compileAnew: (out: string) => void };
const { buildWeb } = require("../npm/build-web.cjs") as { buildWeb: (out: string) => Promise<void> };

export const ROOT = path.join(__dirname, "../..");

/** The service as `npm run build` makes it, but in a folder of its own. Returns the folder. */
export async function buildService({ keep }: { keep: boolean }): Promise<string> {
  const out = path.join(ROOT, ".bench/dist");
  if (keep && existsSync(out)) return out;
  compileAnew(out);
  await buildWeb(path.join(out, "web"));
  return out;
}
