// The parts of one test run outside its own process: a folder for everything temporary, and the processes that use it.
// Both are gone after the run, however it ended.

const { execFileSync } = require("node:child_process");
const {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
} = require("node:fs");
const { readFileSync, readlinkSync, rmSync, statfsSync, statSync, writeFileSync } = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const PREFIX = "quittance-test-";
const MEMORY = "/dev/shm";
const MEMORY_NEEDED_BYTES = 4 * 2 ** 30;
const OWNER = "owner.pid";
/** How long a server has to shut down in order before it is killed. */
const PATIENCE_MS = 10_000;
const POLL_MS = 50;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether the signal could be sent: to a process, or to a group (negative). 0 only asks. */
function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * In memory where there is room: a run makes a thousand databases, whose files a disk is slow to take. Otherwise the
 * system's temporary folder, unless other users do not reach it: root starts Postgres as one.
 */
function temporaryFolder() {
  if (process.env.TMPDIR === undefined && hasRoom(MEMORY)) return MEMORY;
  const folder = path.resolve(os.tmpdir());
  return process.getuid?.() === 0 && !isReached(folder) ? "/var/tmp" : folder;
}

/** By every user: all folders on the way are open. */
function isReached(folder) {
  if (folder === path.dirname(folder)) return true;
  return (statSync(folder).mode & 0o001) !== 0 && isReached(path.dirname(folder));
}

function hasRoom(folder) {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MEMORY_NEEDED_BYTES;
  } catch {
    return false; // there is none
  }
}

/** Ids of the processes whose command line or working directory names `folder`. */
function processesIn(folder) {
  if (!existsSync("/proc/self/cmdline")) {
    const lines = execFileSync("ps", ["-axww", "-o", "pid=,args="], { encoding: "utf8" }).split("\n");
    return lines.filter((line) => line.includes(folder)).map((line) => Number.parseInt(line, 10));
  }
  const uses = (pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false; // it has ended, or is another user's
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && uses(name))
    .map(Number);
}

/** Waits until there are none; false after `PATIENCE_MS`. */
async function gone(find) {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(POLL_MS))
    if (find().length === 0) return true;
  return false;
}

/** Ends what uses the folder, and removes it. Postgres frees its shared memory only when it is asked to stop. */
async function removeRunFolder(folder) {
  const mine = () => processesIn(folder).filter((pid) => pid !== process.pid);
  for (const pid of mine()) signal(pid, "SIGINT");
  if (!(await gone(mine))) for (const pid of mine()) signal(pid, "SIGKILL");
  await gone(mine);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes what runs of this user left that were killed themselves. What cannot be removed disturbs no other run. */
async function sweep(parent) {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(PREFIX))) {
    const folder = path.join(parent, name);
    try {
      if (lstatSync(folder).uid !== (process.getuid?.() ?? 0)) continue;
      const pid = Number.parseInt(readFileSync(path.join(folder, OWNER), "utf8"), 10);
      if (pid > 1 && !signal(pid, 0)) await removeRunFolder(folder);
    } catch (error) {
      // Another run was faster, or is about to name its owner.
      if (error.code !== "ENOENT")
        process.stderr.write(`The folder of an earlier run stays. Remove it: ${error.message}\n`);
    }
  }
}

/** A folder for all that the run writes outside the clone (its TMPDIR). */
async function makeRunFolder() {
  const parent = temporaryFolder();
  await sweep(parent);
  const folder = mkdtempSync(path.join(parent, PREFIX));
  chmodSync(folder, 0o755);
  writeFileSync(path.join(folder, OWNER), String(process.pid));
  return folder;
}

const killGroup = (group) => signal(-group, "SIGKILL");

/** Ends the rest of the run: the processes that use its folder, and the folder. */
async function endRun(folder) {
  try {
    await removeRunFolder(folder);
  } catch (error) {
    process.stderr.write(`The folder of this run stays. Remove it: ${error.message}\n`);
  }
}

module.exports = { makeRunFolder, endRun, killGroup };
