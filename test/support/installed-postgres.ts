import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

const PROGRAMS = ["initdb", "postgres", "pg_dump", "pg_restore"];
/** Debian's, and those of Postgres's own packages for it. */
const DEBIAN = "/usr/lib/postgresql";

/** The folder of a Postgres with all its programs: that of `pg_config`, or Debian's newest. Skips where there is none. */
export function installedPostgres(context: Mocha.Context): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    spawnSync("pg_config", ["--bindir"], { encoding: "utf8" }).stdout?.trim() ?? "",
    ...versions.map((version) => path.join(DEBIAN, version, "bin")),
  ];
  const found = folders.find((folder) => PROGRAMS.every((name) => existsSync(path.join(folder, name))));
  if (found !== undefined) return found;
  if (process.env["CI"] !== undefined)
    throw new Error(`No Postgres with ${PROGRAMS.join(", ")} is installed here (apt install postgresql)`);
  return context.skip();
}
