import { runCli } from "../../scripts/cli/run";

export const APP_SECRET = "a secret of the tests with more than 32 characters";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** The one JSON object on stdout. */
  json<T = Record<string, unknown>>(): T;
  /** The refusal on stderr. */
  error(): { code: string; message: string };
}

export type Run = (...args: string[]) => Promise<Ran>;

/** The command line in this process, on an environment of its own. */
export function cliOn(env: Record<string, string | undefined>): Run {
  return async (...args) => {
    let stdout = "";
    let stderr = "";
    const code = await runCli(args, {
      env,
      out: (text) => void (stdout += text),
      err: (text) => void (stderr += text),
    });
    return {
      code,
      stdout,
      stderr,
      json: <T>() => {
        if (code !== 0 && stdout === "") throw new Error(`exit code ${code}: ${stderr}`);
        return JSON.parse(stdout) as T;
      },
      error: () => {
        const last = stderr.trim().split("\n").at(-1) ?? "";
        return (JSON.parse(last) as { error: { code: string; message: string } }).error;
      },
    };
  };
}
