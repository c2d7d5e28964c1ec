import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

// The folders of the embedded Postgres, which root starts as another user, and of what else may need one outside of the
// folder that was asked for.

export interface RunAs {
  uid?: number;
  gid?: number;
}

const REMEMBERED = "server-folder";
/** Its owner writes, others may only pass through. */
const FOLDER_MODE = 0o711;
const WRITABLE_BY_OTHERS = 0o022;

/** Postgres refuses to run as root, so root hands it to a user that every system has. */
export function runAs(): RunAs {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    const line = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((entry) => entry.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(":") ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    "Postgres cannot run as root, and this system has neither a user `postgres` nor `nobody` to run it as. Start this as an ordinary user.",
  );
}

/** Whether a user may pass through every folder down to `target` (which may not exist yet). */
export function reachable(target: string, { uid, gid }: RunAs): boolean {
  if (uid === undefined) return true;
  for (let dir = path.resolve(target); dir !== path.dirname(dir); dir = path.dirname(dir)) {
    if (!existsSync(dir)) continue;
    const { mode, uid: owner, gid: group } = statSync(dir);
    const mask = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & mask) === 0) return false;
  }
  return true;
}

/**
 * The folder for the server's files, created when missing: `dir`, or where root's Postgres cannot reach that one, or
 * others may have prepared it, a folder with a random name that `dir` remembers.
 */
export function serverFolder(
  dir: string,
  { elsewhere = "/var/tmp/quittance-", as = runAs() }: { elsewhere?: string; as?: RunAs } = {},
): string {
  mkdirSync(dir, { recursive: true });
  if (as.uid === undefined) return dir;
  const isHere = reachable(path.dirname(dir), as) && isOwnFolder(dir);
  const found = isHere ? dir : folderElsewhere(path.join(dir, REMEMBERED), elsewhere);
  chmodSync(found, FOLDER_MODE);
  return found;
}

/** A folder whose name is random after its first part, and remembered in `file`; only its maker could write there. */
export function folderElsewhere(file: string, elsewhere: string): string {
  const remembered = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (isOwnFolder(remembered)) return remembered;
  const made = mkdtempSync(elsewhere);
  rmSync(file, { force: true });
  writeFileSync(file, `${made}\n`, { mode: 0o600, flag: "wx" });
  return made;
}

/** Created by the user of this process, writable by nobody else, and no link. */
function isOwnFolder(dir: string): boolean {
  const entry = lstatSync(dir, { throwIfNoEntry: false });
  const own = process.getuid?.(); // undefined on Windows, whose modes say nothing
  if (entry?.isDirectory() !== true) return false;
  return own === undefined || (entry.uid === own && (entry.mode & WRITABLE_BY_OTHERS) === 0);
}

export function giveTo({ uid, gid = uid }: RunAs, file: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
}
