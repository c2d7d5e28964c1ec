import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Environment } from "../../config/environment";
import { BackupFileError } from "./backup-file";

const LAST_LINES = 3;

export interface ToolRun {
  databaseUrl: string;
  applicationName: string;
  env: Environment;
}

/** Everybody on this host can read arguments: the password is in none. A vanished host is noticed. */
function connection({ databaseUrl, applicationName, env }: ToolRun): {
  url: string;
  env: Environment;
} {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = "";
  url.searchParams.set("application_name", applicationName);
  url.searchParams.set("connect_timeout", "15");
  url.searchParams.set("keepalives_idle", "10");
  url.searchParams.set("tcp_user_timeout", "35000");
  return { url: url.href, env: { ...env, ...(password === "" ? {} : { PGPASSWORD: password }) } };
}

async function run(name: string, args: readonly string[], env: Environment): Promise<string> {
  const child = spawn(name, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    const [out, err] = await said;
    if (code === 0) return out;
    throw new BackupFileError(
      `${name} failed: ${err.trim().split("\n").slice(-LAST_LINES).join(" ") || `it ended with ${code}`}`,
    );
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new BackupFileError(
        `${name} is not installed here, or not on the PATH. Install the client programs of Postgres (on Debian: apt install postgresql-client), of the server's version or a newer one.`,
        { cause: error },
      );
    throw error;
  }
}

/** @throws BackupFileError when missing, or older than the server, which it refuses to read. */
export async function checkTool(name: string, serverMajor: number, env: Environment): Promise<void> {
  const version = await run(name, ["--version"], env);
  const major = Number(/\) (\d+)/.exec(version)?.[1]);
  if (!(major >= serverMajor))
    throw new BackupFileError(
      `${name} is of Postgres ${major}, and older than the server (Postgres ${serverMajor}). Install the client programs of Postgres ${serverMajor} or newer, and put them first on the PATH.`,
    );
}

/** In the custom format, into a file that exists. @throws BackupFileError */
export async function dump(to: ToolRun & { file: string; schema: string; snapshot: string }): Promise<void> {
  const { url, env } = connection(to);
  await run(
    "pg_dump",
    [
      ...["--format=custom", `--file=${to.file}`, `--schema=${to.schema}`, `--snapshot=${to.snapshot}`],
      ...["--lock-wait-timeout=10s", "--no-password", `--dbname=${url}`],
    ],
    env,
  );
}

/** A line each, as `loadDump` takes it. @throws BackupFileError */
export async function listDump(file: string, env: Environment): Promise<string[]> {
  return (await run("pg_restore", ["--list", file], env)).split("\n");
}

/** In one transaction: all, or nothing. @throws BackupFileError */
export async function loadDump(
  from: ToolRun & { file: string; schema: string; sections: readonly string[]; listFile?: string },
): Promise<void> {
  const { url, env } = connection(from);
  await run(
    "pg_restore",
    [
      ...["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-password"],
      ...from.sections.map((section) => `--section=${section}`),
      ...(from.listFile === undefined ? [] : [`--use-list=${from.listFile}`]),
      ...[`--schema=${from.schema}`, `--dbname=${url}`, from.file],
    ],
    env,
  );
}
