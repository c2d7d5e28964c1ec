import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The file of a program that PM2 brings: `pm2`, `pm2-runtime`. */
export const pm2Program = (name: string): string => createRequire(__filename).resolve(`pm2/bin/${name}`);

/** The command line of a process; null when there is none of this id. */
export function commandOf(pid: number): string | null {
  try {
    const command =
      process.platform === "linux"
        ? readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
        : execFileSync("ps", ["-ww", "-o", "args=", "-p", String(pid)], { encoding: "utf8" });
    return command.trim() || null; // a process that ended and was not waited for has none
  } catch {
    return null;
  }
}

/** The process id in a file; null without one. */
export function pidIn(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone already
  }
}

/**
 * Ends a process whose command line `isWanted` (ids are reused, so an id alone is not enough): by SIGINT, and after
 * `patienceMs` by SIGKILL.
 */
export async function endProcess(
  pid: number,
  isWanted: (command: string) => boolean,
  patienceMs: number,
): Promise<void> {
  const isThere = (): boolean => {
    const command = commandOf(pid);
    return command !== null && isWanted(command);
  };
  if (isThere()) signal(pid, "SIGINT");
  const deadline = performance.now() + patienceMs;
  while (isThere()) {
    if (performance.now() > deadline) signal(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** PM2 calls its daemon "PM2 v7.0.4: God Daemon (HOME)", cut off at the length of its first command line. */
export function isDaemonOf(title: string, home: string): boolean {
  const named = /God Daemon \((.+?)\)?\s*$/.exec(title)?.[1];
  return named !== undefined && home.startsWith(named);
}
