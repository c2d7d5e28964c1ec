import { spawnSync } from "node:child_process";

const isMissing = (command: string) => spawnSync(command, ["--version"]).error !== undefined;

/** Skips on a machine without the program; there must be one where the tests are a gate. */
export function needs(context: Mocha.Context, ...commands: string[]): void {
  const missing = commands.filter(isMissing);
  if (missing.length === 0) return;
  if (process.env["CI"] !== undefined) throw new Error(`missing: ${missing.join(", ")}`);
  context.skip();
}
