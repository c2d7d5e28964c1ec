import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

// The folders of the embedded Postgres, and of what else needs one in a folder that others may be able to write to. Root
// starts Postgres as another user: so root takes nothing there for its own that it has not made, and changes no owner or
// mode through a link.

export interface RunAs {
  uid?: number;
  gid?: number;
}

export interface ServerFolders {
  /** When the server's user cannot reach the requested folder, the first part of another's name. */
  elsewhere?: string;
  as?: RunAs;
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
 * The folder for the server's files, created when missing: `dir` when its user reaches it, else one with a random
 * name in a folder that everybody reaches. `dir` remembers that name, so that the next start finds the data again.
 * @throws Error when the folder is a link, belongs to another user, or holds files of another user.
 */
export function serverFolder(
  dir: string,
  { elsewhere = "/var/tmp/quittance-", as = runAs() }: ServerFolders = {},
): string {
  if (as.uid === undefined) {
    mkdirSync(dir, { recursive: true });
    return dir;
  }
  mkdirSync(dir, { recursive: true });
  if (reachable(path.dirname(dir), as)) {
    takeOver(dir, as);
    return dir;
  }
  const found = folderElsewhere(path.join(dir, REMEMBERED), elsewhere);
  takeOver(found, as);
  return found;
}

/** A folder whose name is random after its first part, and remembered in `file`; only its maker could write there. */
export function folderElsewhere(file: string, elsewhere: string): string {
  const remembered = existsSync(file) ? readFileSync(file, "utf8").trim() : null;
  if (remembered !== null && existsSync(remembered)) return remembered;
  const made = mkdtempSync(elsewhere);
  writeWhole(file, `${made}\n`);
  return made;
}

/** Owned by root from now on: its content cannot be exchanged while root works there. */
function takeOver(dir: string, as: RunAs): void {
  const refuse = (what: string): Error =>
    new Error(`${dir} ${what}: Postgres is not started there. Delete it, or look into who made it.`);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let fd: number;
  try {
    fd = openSync(dir, flags);
  } catch (cause) {
    throw Object.assign(refuse("is a link, or no folder"), { cause });
  }
  try {
    const { uid, mode } = fstatSync(fd);
    if (!isOurs(uid, as)) throw refuse("belongs to another user");
    if ((mode & WRITABLE_BY_OTHERS) !== 0) throw refuse("can be written by others");
    fchownSync(fd, 0, 0);
    fchmodSync(fd, FOLDER_MODE);
  } finally {
    closeSync(fd);
  }
  for (const name of readdirSync(dir)) {
    const entry = lstatSync(path.join(dir, name));
    if (entry.isSymbolicLink() || !isOurs(entry.uid, as)) throw refuse(`holds ${name}, which is not ours`);
  }
}

const isOurs = (uid: number, as: RunAs): boolean => uid === 0 || uid === as.uid;

/** Makes it readable and runnable for the server's user. @throws Error when it is a link. */
export function makeRunnable(file: string): void {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if ((fstatSync(fd).mode & 0o555) !== 0o555) fchmodSync(fd, 0o755);
  } finally {
    closeSync(fd);
  }
}

/** Whether a folder there can be trusted to run programs from: created by the user who starts them, and no link. */
export function isOwnFolder(dir: string): boolean {
  if (!existsSync(dir)) return false;
  const entry = lstatSync(dir);
  const own = process.getuid?.(); // undefined on Windows, whose modes say nothing
  return (
    entry.isDirectory() &&
    (own === undefined || (entry.uid === own && (entry.mode & WRITABLE_BY_OTHERS) === 0))
  );
}

/** A new empty folder of the server's user. */
export function makeServerOwned(dir: string, { uid, gid = uid }: RunAs): void {
  mkdirSync(dir, { mode: 0o700 });
  if (uid === undefined || gid === undefined) return;
  const fd = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fchownSync(fd, uid, gid);
  } finally {
    closeSync(fd);
  }
}

/** A new file that the server's user may read. @throws Error when there is something of that name. */
export function writeServerOwned(file: string, text: string, { uid, gid = uid }: RunAs): void {
  const fd = openSync(file, "wx", 0o600);
  try {
    writeFileSync(fd, text);
    if (uid !== undefined && gid !== undefined) fchownSync(fd, uid, gid);
  } finally {
    closeSync(fd);
  }
}

/** Whole or not at all. */
function writeWhole(file: string, text: string): void {
  const fresh = `${file}.${randomUUID()}`;
  writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
  renameSync(fresh, file);
}
