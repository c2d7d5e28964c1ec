import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const PATIENCE_MS = 60_000;
const COMMAND_MS = 120_000;
const ENVIRONMENT = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8"];

export function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** Until it returns something, and throws no more. */
export async function eventually<T>(what: string, attempt: () => Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    let last: unknown;
    try {
      const found = await attempt();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline)
      throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} s`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Root of the Debian whose systemd has this process id here. */
export class Inside {
  constructor(private readonly systemd: string) {}

  async run(...command: string[]): Promise<string> {
    const enter = ["--target", this.systemd, "--all", "--root", "--wd", "--", "env", "-i", ...ENVIRONMENT];
    const { stdout } = await run("nsenter", [...enter, ...command], {
      timeout: COMMAND_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  }

  shell(script: string): Promise<string> {
    return this.run("sh", "-ec", script);
  }

  /** What a command that has to fail wrote. */
  async refusal(...command: string[]): Promise<string> {
    try {
      await this.run(...command);
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      return `${stdout}${stderr}`;
    }
    throw new Error(`${command.join(" ")} did not fail`);
  }

  /** `quittance cli … --json`. */
  async cli<T = Record<string, string>>(...args: string[]): Promise<T> {
    return JSON.parse(await this.run("quittance", "cli", ...args, "--json")) as T;
  }
}
