// For the image alone, after the build: leaves of node_modules what runs. `npm prune --omit=dev` would keep 50 MB of
// development packages that some other package could use, but does not need. Then source maps, type declarations and
// the addons for other systems go, which nothing loads.
// node scripts/npm/keep-production.cjs

const { existsSync, readFileSync, readdirSync, rmSync } = require("node:fs");
const path = require("node:path");
const { prunedLock } = require("./pruned-lock.cjs");

const ROOT = path.join(__dirname, "..", "..");
const MODULES = path.join(ROOT, "node_modules");
const NOT_LOADED = /\.(map|d\.[cm]?ts)$/;

function removeDevelopmentPackages() {
  const lock = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8"));
  const wanted = Object.keys(prunedLock(lock, lock.packages[""]).packages).filter((place) => place !== "");
  for (const place of Object.keys(lock.packages)) {
    const kept = place === "" || wanted.some((one) => one === place || one.startsWith(`${place}/`));
    if (!kept) rmSync(path.join(ROOT, place), { recursive: true, force: true });
  }
  // npm's own list of what is there, and links to commands that are gone.
  rmSync(path.join(MODULES, ".package-lock.json"));
  const commands = path.join(MODULES, ".bin");
  for (const name of readdirSync(commands))
    if (!existsSync(path.join(commands, name))) rmSync(path.join(commands, name));
}

/** zeromq comes with its addon for every system. */
function removeOtherSystems() {
  const builds = path.join(MODULES, "zeromq", "build");
  for (const system of readdirSync(builds, { withFileTypes: true })) {
    if (!system.isDirectory()) continue;
    const folder = path.join(builds, system.name);
    for (const processor of readdirSync(folder))
      if (system.name !== process.platform || processor !== process.arch)
        rmSync(path.join(folder, processor), { recursive: true });
  }
}

function removeWhatIsNotLoaded() {
  for (const entry of readdirSync(MODULES, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && NOT_LOADED.test(entry.name)) rmSync(path.join(entry.parentPath, entry.name));
}

removeDevelopmentPackages();
removeOtherSystems();
removeWhatIsNotLoaded();
