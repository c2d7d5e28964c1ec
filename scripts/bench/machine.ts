import { spawnSync } from "node:child_process";
import os from "node:os";
import { ROOT } from "./build";
import type { Servers } from "./servers";

/** What the figures were measured with. */
export interface Machine {
  commit: string;
  date: string;
  machine: { cpu: string; cores: number; memoryGb: number; system: string };
  versions: { node: string; postgres: string; redis: string | null };
}

function git(...args: string[]): string {
  return spawnSync("git", args, { cwd: ROOT, encoding: "utf8" }).stdout.trim();
}

/** The page that the figures are written to changes nothing that is measured. */
const MEASURED = [".", ":(exclude)docs"];

export function machineOf(servers: Servers): Machine {
  const changed = git("status", "--porcelain", "--", ...MEASURED) === "" ? "" : " with changes";
  return {
    commit: `${git("rev-parse", "--short", "HEAD")}${changed}`,
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: os.cpus()[0]?.model ?? "?",
      cores: os.availableParallelism(),
      memoryGb: Math.round(os.totalmem() / 1e9),
      system: `${os.type()} ${os.release()}`,
    },
    versions: { node: process.versions.node, ...servers.versions },
  };
}
