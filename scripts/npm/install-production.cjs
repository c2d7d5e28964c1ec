// node scripts/npm/install-production.cjs [amd64|arm64]: makes node_modules anew with what runs on Linux on that processor,
// as Docker names it, for the image alone, and after the build; the Node that runs it in scripts/image. npm would keep 50 MB of development packages that some
// other package could use, but does not need: they go, and source maps, type declarations and addons for other systems.

const { spawnSync } = require("node:child_process");
const { existsSync, readFileSync, readdirSync, rmSync } = require("node:fs");
const path = require("node:path");
const { prunedLock } = require("./pruned-lock.cjs");

const ROOT = path.join(__dirname, "..", "..");
const [, , named] = process.argv;
const PROCESSOR = { amd64: "x64" }[named] ?? named ?? process.arch;
const NOT_LOADED = /\.(map|d\.[cm]?ts)$/;

/** Removes what a package with this manifest does not need of the packages of a lock file. */
function removeUnneededPackages(root, lock, manifest) {
  const wanted = Object.keys(prunedLock(lock, manifest).packages).filter((place) => place !== "");
  for (const place of Object.keys(lock.packages)) {
    const kept = place === "" || wanted.some((one) => one === place || one.startsWith(`${place}/`));
    if (!kept) rmSync(path.join(root, place), { recursive: true, force: true });
  }
  // npm's own list of what is there, and links to commands that are gone.
  const modules = path.join(root, "node_modules");
  rmSync(path.join(modules, ".package-lock.json"));
  const commands = path.join(modules, ".bin");
  for (const name of readdirSync(commands))
    if (!existsSync(path.join(commands, name))) rmSync(path.join(commands, name));
}

/** zeromq comes with its addon for every system. */
function removeOtherSystems(modules) {
  const builds = path.join(modules, "zeromq", "build");
  for (const system of readdirSync(builds, { withFileTypes: true })) {
    if (!system.isDirectory()) continue;
    const folder = path.join(builds, system.name);
    for (const processor of readdirSync(folder))
      if (system.name !== "linux" || processor !== PROCESSOR)
        rmSync(path.join(folder, processor), { recursive: true });
  }
}

function removeWhatIsNotLoaded(modules) {
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && NOT_LOADED.test(entry.name)) rmSync(path.join(entry.parentPath, entry.name));
}

const OPTIONS = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
const SYSTEM = ["--os=linux", "--libc=glibc", `--cpu=${PROCESSOR}`];
for (const cwd of [ROOT, path.join(ROOT, "scripts", "image")]) {
  const { status } = spawnSync("npm", ["ci", ...OPTIONS, ...SYSTEM], { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
const lock = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8"));
const modules = path.join(ROOT, "node_modules");
removeUnneededPackages(ROOT, lock, lock.packages[""]);
removeOtherSystems(modules);
removeWhatIsNotLoaded(modules);
