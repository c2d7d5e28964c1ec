// npm run package:deb [-- --out FOLDER] [--from TARBALL] [--version VERSION]: makes the Debian package of this machine's
// architecture from the npm package's tarball, and prints its path (docs/adr/0067). Without --from it makes that first.

const { spawnSync } = require("node:child_process");
const {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} = require("node:fs");
const path = require("node:path");
const { parseArgs } = require("node:util");
const { keepProduction } = require("../npm/keep-production.cjs");
const { makePackages } = require("../npm/package.cjs");
const { ROOT, ensureInstalled, refuse } = require("../npm/setup.cjs");
const { writeDocuments } = require("./documents.cjs");
const { controlText, md5sums } = require("./control.cjs");
const { unitsOf } = require("./units.cjs");

const FILES = path.join(__dirname, "files");
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" };
const LIB = "usr/lib/quittance";
/** Of the tarball: some have a place of their own in Debian. */
const NOT_INSTALLED = ["CHANGELOG.md", "LICENSE", "README.md", ".env.example", "npm-shrinkwrap.json"];

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...options });
  if (error) refuse(`${command} could not be started: ${error.message}`);
  if (status !== 0) refuse(`${command} ${args[0]} failed.\n${stdout}${stderr}`);
  return stdout;
}

/** Unpacks the tarball and installs what its shrinkwrap names, less PM2: systemd takes its place. */
function install(tarball, lib) {
  mkdirSync(lib, { recursive: true });
  run("tar", ["-xzf", tarball, "-C", lib, "--strip-components=1"]);
  const npm = process.env.npm_execpath;
  const flags = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const args = ["ci", ...flags, "--loglevel=error"];
  run(npm ? process.execPath : "npm", npm ? [npm, ...args] : args, { cwd: lib });
  const lock = JSON.parse(readFileSync(path.join(lib, "npm-shrinkwrap.json"), "utf8"));
  const { pm2, ...dependencies } = lock.packages[""].dependencies;
  if (pm2 === undefined) refuse("The tarball has no pm2 any more: scripts/deb/build.cjs need not remove it.");
  keepProduction(lib, lock, { ...lock.packages[""], dependencies });
}

/** For another C library than Debian's. */
const isForeign = (file) =>
  file.endsWith(".node") &&
  (/[.-]musl/.test(path.basename(file)) || readFileSync(file).includes("libc.musl"));

/** What no program loads: links to commands of packages, settings of their authors' tools, addons for other systems. */
function removeUnused(modules) {
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!existsSync(file)) continue; // gone with its folder
    if (entry.name.startsWith(".") || isForeign(file)) rmSync(file, { recursive: true });
  }
}

/** A file of `files/` with its names filled in. */
function fill(name, values) {
  const text = readFileSync(path.join(FILES, name), "utf8");
  return text.replace(
    /@([A-Z]+)@/g,
    (_, key) => values[key] ?? refuse(`${name} has @${key}@, which is nothing`),
  );
}

function writeSystemd(tree, units) {
  const folder = path.join(tree, "usr/lib/systemd/system");
  mkdirSync(path.join(folder, "quittance-.service.d"), { recursive: true });
  for (const [name, text] of Object.entries(units)) writeFileSync(path.join(folder, name), text);
  cpSync(path.join(FILES, "settings.conf"), path.join(folder, "quittance-.service.d", "settings.conf"));
  mkdirSync(path.join(tree, "usr/lib/sysusers.d"), { recursive: true });
  cpSync(path.join(FILES, "sysusers.conf"), path.join(tree, "usr/lib/sysusers.d/quittance.conf"));
}

/** Root's, and nobody else can change them; the same time for all, so that the same sources give the same bytes. */
function settle(tree, epoch) {
  run("chmod", ["-R", "u=rwX,go=rX", tree]);
  run("find", [tree, "-type", "f", "-exec", "chmod", "a-x", "{}", "+"]);
  run("chmod", [
    "755",
    path.join(tree, "usr/bin/quittance"),
    path.join(tree, LIB, "dist/scripts/quittance.js"),
  ]);
  for (const name of ["postinst", "prerm", "postrm"]) run("chmod", ["755", path.join(tree, "DEBIAN", name)]);
  run("find", [tree, "-exec", "touch", "--no-dereference", `--date=@${epoch}`, "{}", "+"]);
}

function makeDeb({ tarball, out, version, epoch }) {
  const architecture = ARCHITECTURES[process.arch] ?? refuse(`Debian has no name for ${process.arch} here.`);
  const tree = path.join(out, "deb");
  const lib = path.join(tree, LIB);
  rmSync(tree, { recursive: true, force: true });
  install(tarball, lib);
  removeUnused(path.join(lib, "node_modules"));
  const units = unitsOf(ROOT);
  const names = { VERSION: version, UNITS: Object.keys(units).join(" ") };
  writeDocuments({ tree, lib, version, epoch, manual: fill("quittance.1", names) });
  for (const name of NOT_INSTALLED) rmSync(path.join(lib, name));
  mkdirSync(path.join(tree, "usr/bin"), { recursive: true });
  cpSync(path.join(FILES, "quittance.sh"), path.join(tree, "usr/bin/quittance"));
  writeSystemd(tree, units);
  const control = path.join(tree, "DEBIAN");
  const sums = md5sums(tree);
  mkdirSync(control);
  for (const name of ["postinst", "prerm", "postrm"])
    writeFileSync(path.join(control, name), fill(`${name}.sh`, names));
  writeFileSync(path.join(control, "md5sums"), sums);
  writeFileSync(path.join(control, "control"), controlText({ tree, version, architecture }));
  settle(tree, epoch);
  const deb = path.join(out, `quittance_${version}_${architecture}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
  run("dpkg-deb", ["--root-owner-group", "-Zxz", "--build", tree, deb], { env });
  rmSync(tree, { recursive: true });
  return deb;
}

/** A version of npm as Debian orders it: a pre-release comes before its release. */
const debianVersion = (version) => `${version.replace("-", "~")}-1`;

async function main() {
  const { values } = parseArgs({
    options: { out: { type: "string" }, from: { type: "string" }, version: { type: "string" } },
  });
  ensureInstalled();
  const out = path.resolve(values.out ?? path.join(ROOT, ".packages"));
  const tarball = values.from === undefined ? (await makePackages(out))[0] : path.resolve(values.from);
  if (!statSync(tarball, { throwIfNoEntry: false })) refuse(`There is no ${tarball}.`);
  mkdirSync(out, { recursive: true });
  const own = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")).version;
  const epoch = Number(
    process.env.SOURCE_DATE_EPOCH ?? run("git", ["log", "-1", "--format=%ct"], { cwd: ROOT }),
  );
  const version = values.version ?? debianVersion(own);
  process.stdout.write(`${makeDeb({ tarball, out, version, epoch })}\n`);
}

main().catch((error) => refuse(error.message));
