// npm leaves packages for other platforms out of package-lock.json when it could not read them (npm/cli#4828), and then
// `npm ci` refuses the lock file everywhere. This adds them again: version as the parent pins it, platform by the name,
// and hash from the registry, since npm checks nothing of an entry without one. Run it after `npm install` when
// test/house/lock-file.test.ts asks for it.

const { spawnSync } = require("node:child_process");
const { readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");

const LOCK = path.join(__dirname, "..", "..", "package-lock.json");
const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = [
  "arm",
  "arm64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

/** The folder of a package that `parent` requires: beside it, or above. */
function isLocked(packages, parent, name) {
  const chain = parent.split("/node_modules/");
  return [...chain.keys(), chain.length].some((depth) => {
    const folder = chain.slice(0, depth).join("/node_modules/");
    return packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`] !== undefined;
  });
}

/** The optional packages that the lock file requires and does not name, with the required version. */
function missingOptional({ packages }) {
  const missing = new Map();
  for (const [parent, entry] of Object.entries(packages))
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {}))
      if (!isLocked(packages, parent, name)) missing.set(name, { version, dev: entry.dev === true });
  return missing;
}

function entryOf(name, { version, dev }) {
  if (!/^\d+\.\d+\.\d+[^ ]*$/.test(version))
    throw new Error(`${name}@${version} is not one version: add it by hand`);
  const words = name.replace("windows", "win32").split(/[^a-z0-9]+/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  if (os.length !== 1 || cpu.length !== 1)
    throw new Error(`${name} does not name its platform: add it by hand`);
  const libc = words.includes("musl") ? ["musl"] : words.includes("gnu") ? ["glibc"] : undefined;
  return {
    version,
    cpu,
    ...(dev ? { dev } : {}),
    ...(libc && os[0] === "linux" ? { libc } : {}),
    optional: true,
    os,
  };
}

/** The entries whose packages npm would take unchecked. */
function missingIntegrity({ packages }) {
  return Object.entries(packages).filter(
    ([folder, entry]) => folder !== "" && entry.link !== true && entry.integrity === undefined,
  );
}

/** As npm's own client gets it; null when the registry does not have this version (yet). */
function integrityOf(folder, { version }) {
  const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  const { status, stdout } = spawnSync("npm", ["view", `${name}@${version}`, "dist.integrity"], {
    encoding: "utf8",
    shell: process.platform === "win32",
    timeout: 60_000,
  });
  const integrity = stdout.trim();
  return status === 0 && /^sha512-[\w+/]+=*$/.test(integrity) ? integrity : null;
}

function fillIntegrity(lock) {
  for (const [folder, entry] of missingIntegrity(lock)) {
    const integrity = integrityOf(folder, entry);
    if (integrity !== null) entry.integrity = integrity;
    process.stdout.write(`${integrity === null ? "the registry does not have" : "hashed"} ${folder}\n`);
  }
}

function main() {
  const lock = JSON.parse(readFileSync(LOCK, "utf8"));
  for (const [name, wanted] of missingOptional(lock)) {
    lock.packages[`node_modules/${name}`] = entryOf(name, wanted);
    process.stdout.write(`named ${name}\n`);
  }
  fillIntegrity(lock);
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
  writeFileSync(LOCK, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
}

if (require.main === module) main();

module.exports = { missingIntegrity, missingOptional };
