// What a fresh clone needs before anything else can run. Plain JavaScript of the oldest Node that can report to its
// user that it is too old; it uses no package.

const { spawnSync } = require("node:child_process");
const { accessSync, constants, existsSync, readFileSync } = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..", "..");

const readJson = (...names) => JSON.parse(readFileSync(path.join(ROOT, ...names), "utf8"));

/** Ends the process with a sentence for the person who started it. */
function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** Of newer majors: the minor from which the packages run on it; on some they do not at all. */
const MINOR_OF = { 21: Infinity, 22: 13, 23: Infinity, 24: 11 };

function requireNode() {
  const floor = readJson("package.json").engines.node.replace(">=", "");
  const [major, minor = 0] = floor.split(".").map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
  if (ownMajor === major ? ownMinor >= minor : ownMajor > major && ownMinor >= (MINOR_OF[ownMajor] ?? 0))
    return;
  refuse(
    `Quittance needs Node ${floor} or newer (of 22: 22.13, of 24: 24.11; not 21 or 23); this is Node ${process.versions.node} (https://nodejs.org).`,
  );
}

/**
 * Why the installed packages are not those of package-lock.json, or null when they are. npm leaves a list of what it
 * installed; it writes that list last, so an installation that was broken off has none.
 */
function staleReason() {
  if (!existsSync(path.join(ROOT, "node_modules", ".package-lock.json"))) return "Nothing is installed yet";
  const installed = readJson("node_modules", ".package-lock.json").packages;
  for (const [name, wanted] of Object.entries(readJson("package-lock.json").packages)) {
    if (name === "" || wanted.link) continue;
    const has = installed[name];
    const mayBeAbsent = wanted.optional || wanted.devOptional || wanted.peer;
    if (has ? has.version !== wanted.version : !mayBeAbsent) return "package-lock.json has changed";
  }
  return null;
}

function requireWritable() {
  try {
    accessSync(ROOT, constants.W_OK);
  } catch {
    refuse(
      `The folder ${ROOT} cannot be written to: packages are installed in it. Clone it to where you may write.`,
    );
  }
}

/**
 * Installs the packages that package-lock.json names, where they are not there yet: one process at a time, since two
 * would remove each other's files. Where there is no flock (macOS, Windows) nothing keeps them apart.
 */
function ensureInstalled() {
  requireNode();
  if (staleReason() === null) return;
  requireWritable();
  const locked = (...args) => spawnSync("flock", args, { cwd: ROOT, stdio: "inherit" });
  const probe = locked("-n", ".", "true");
  if (probe.error || probe.status > 1) return install();
  if (probe.status === 1)
    process.stdout.write("Another process is installing packages here: waiting for it …\n");
  const { status } = locked(".", process.execPath, __filename);
  if (status !== 0) process.exit(status ?? 1);
}

/** Under the lock, where there is one. */
function install() {
  const reason = staleReason();
  if (reason === null) return;
  process.stdout.write(`${reason}: installing packages (npm ci), which takes a minute or more …\n`);
  const { status, error } = npmCi();
  if (error) refuse(`npm could not be started: ${error.message}`);
  if (status !== 0) refuse("npm ci failed; what it says is above. Is the package registry reachable?");
}

/** By npm's own script when npm started us: no shell, and the same npm. */
function npmCi() {
  const npm = process.env.npm_execpath;
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--progress"];
  return npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: ROOT, stdio: "inherit" })
    : spawnSync("npm", args, { cwd: ROOT, stdio: "inherit", shell: process.platform === "win32" });
}

module.exports = { ROOT, ensureInstalled, refuse };

// As ensureInstalled runs it under the lock.
if (require.main === module) install();
