import { spawnSync } from "node:child_process";

/** A process in the background would be stopped as it changes its terminal's mode. */
function isInForeground(): boolean {
  const { status, stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(process.pid)], {
    encoding: "utf8",
  });
  return status !== 0 || stdout.includes("+"); // without such a `ps` there are no such jobs
}

const CTRL_C = "\u0003";

/**
 * Hands each key on that is pressed at a terminal, without Enter. Ctrl-C stays what it was, to us alone. False where
 * nobody can press one.
 */
export function onKeys(pressed: (key: string) => void): boolean {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || !isInForeground()) return false;
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("error", () => undefined); // a terminal that was closed: its signal follows
  stdin.on("data", (text: string) => {
    for (const key of text)
      if (key === CTRL_C) process.kill(process.pid, "SIGINT");
      else if (key === "\r") stdout.write("\n");
      else pressed(key);
  });
  return true;
}
