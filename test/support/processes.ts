import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

export interface TestProcess {
  pid: number;
  /** What it wrote so far, both streams. */
  output(): string;
  /** As a power cut would, and awaited. */
  kill(): Promise<void>;
  /** It stands still until it is resumed; one that has ended stays so. */
  pause(): void;
  resume(): void;
}

const ROOT = path.join(__dirname, "../..");

/** Runs a file of the project, compiled or not, as a process of its own, with this environment and nothing else of ours. */
export function startProcess(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
): TestProcess {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const loader = file.endsWith(".ts") ? ["--import", "tsx"] : [];
  const child: ChildProcess = spawn(process.execPath, [...loader, file, ...args], {
    cwd: ROOT,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => void (output += text));
  const killNow = (): void => void child.kill("SIGKILL");
  process.once("exit", killNow);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async kill() {
      process.removeListener("exit", killNow);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
  };
}

/** The command lines of all processes that run in a folder, or were started there. */
export function processesOf(folder: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const [command = "", environment = ""] = ["cmdline", "environ"].map((name) =>
        readFileSync(`/proc/${pid}/${name}`, "utf8").replaceAll("\0", " "),
      );
      const isOurs = [command, environment, readlinkSync(`/proc/${pid}/cwd`)].some((text) =>
        text.includes(folder),
      );
      return isOurs ? [`${pid} ${command}`] : [];
    } catch {
      return []; // ended meanwhile
    }
  });
}
