// For the image alone, after the build: leaves of node_modules what runs. `npm prune --omit=dev` would keep 50 MB of
// development packages that some other package could use, but does not need. Then source maps, type declarations and
// the addons for other systems go, which nothing loads.
// node scripts/npm/keep-production.cjs

const { existsSync, readFileSync, readdirSync, rmSync } = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..", "..");
const MODULES = path.join(ROOT, "node_modules");
const NOT_LOADED = /\.(map|d\.[cm]?ts)$/;

const { packages } = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8"));

/** Where `from` finds a package: inside of itself, beside itself, or above. */
function placeOf(name, from) {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf("node_modules")).replace(/\/$/, "")) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === "") return null;
  }
}

/** What the service needs, directly or not. Optional ones are not there on every system. */
function needed() {
  const found = new Set();
  const waiting = [""];
  while (waiting.length > 0) {
    const from = waiting.pop();
    const {
      dependencies,
      optionalDependencies,
      peerDependencies,
      peerDependenciesMeta = {},
    } = packages[from];
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const place = placeOf(name, from);
      if (place === null && !optionalDependencies?.[name])
        throw new Error(`${from} needs ${name}: not locked`);
      if (place === null || found.has(place)) continue;
      found.add(place);
      waiting.push(place);
    }
  }
  return found;
}

function removeDevelopmentPackages() {
  const wanted = needed();
  for (const place of Object.keys(packages)) {
    const kept = place === "" || [...wanted].some((one) => one === place || one.startsWith(`${place}/`));
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
