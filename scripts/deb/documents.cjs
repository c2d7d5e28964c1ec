// What the Debian package says about itself: copyright, change logs, manual, the example of its settings, and why lintian
// need not complain.

const { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { gzipSync } = require("node:zlib");
const { MAINTAINER } = require("./control.cjs");

const FILES = path.join(__dirname, "files");
/** Set by every installation, and secret: better a credential. */
const SECRET = /^(DATABASE_URL|APP_SECRET)=/gm;
const HEAD = `# Copy this to /etc/quittance/quittance.env and fill it in. Empty means not set. Secrets, such as DATABASE_URL with its
# password and APP_SECRET, are better kept in a file each, named as the setting, in /etc/quittance/credentials.`;

const writeZipped = (file, text) => writeFileSync(file, gzipSync(text, { level: 9 }));

/** Every package in a folder's node_modules, however deep: name, version, license and where it is. */
function packagesBelow(lib) {
  return readdirSync(lib, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === "package.json")
    .map((entry) => path.relative(lib, entry.parentPath))
    .filter((folder) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/.test(folder))
    .map((folder) => ({
      folder,
      ...JSON.parse(readFileSync(path.join(lib, folder, "package.json"), "utf8")),
    }))
    .filter(({ version }) => version !== undefined)
    .sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Older packages have a list of objects. */
function licenseOf({ folder, license, licenses = [] }) {
  const names = [license, ...licenses].flatMap((one) => one?.type ?? one ?? []);
  if (names.length === 0) throw new Error(`${folder} names no license`);
  return names.join(" or ");
}

function copyrightText(lib) {
  const bundled = packagesBelow(lib).map((one) => `  ${one.folder} ${one.version}: ${licenseOf(one)}\n`);
  return `Quittance is

${readFileSync(path.join(lib, "LICENSE"), "utf8")}
It comes with these packages of the npm registry, unchanged except that type
declarations, source maps and binaries for other systems are left out. Their
copyright notices and license texts are in /usr/lib/quittance, in the folder of
each. On Debian systems the text of the license Apache-2.0 is also in
/usr/share/common-licenses/Apache-2.0.

${bundled.join("")}`;
}

/** As `date -R` writes it. */
const mailDate = (epoch) => new Date(epoch * 1000).toUTCString().replace("GMT", "+0000");

function changelogText({ version, epoch }) {
  return `quittance (${version}) stable; urgency=medium

  * The changes of this version are in changelog.gz.

 -- ${MAINTAINER}  ${mailDate(epoch)}
`;
}

function exampleText(text) {
  const [first, ...rest] = text.split("\n");
  if (!first.startsWith("# Copy this to .env")) throw new Error(".env.example has another first line");
  return [HEAD, ...rest].join("\n").replace(SECRET, "# $1=");
}

/** `lib`: the unpacked tarball. `manual`: the text of its man page. */
function writeDocuments({ tree, lib, version, epoch, manual }) {
  const [doc, man] = [path.join(tree, "usr/share/doc/quittance"), path.join(tree, "usr/share/man/man1")];
  const [share, lintian] = [
    path.join(tree, "usr/share/quittance"),
    path.join(tree, "usr/share/lintian/overrides"),
  ];
  for (const folder of [doc, man, share, lintian]) mkdirSync(folder, { recursive: true });
  const read = (name) => readFileSync(path.join(lib, name), "utf8");
  writeFileSync(path.join(doc, "copyright"), copyrightText(lib));
  writeZipped(path.join(doc, "changelog.Debian.gz"), changelogText({ version, epoch }));
  writeZipped(path.join(doc, "changelog.gz"), read("CHANGELOG.md"));
  writeZipped(path.join(man, "quittance.1.gz"), manual);
  writeFileSync(path.join(share, "quittance.env"), exampleText(read(".env.example")));
  cpSync(path.join(FILES, "lintian-overrides"), path.join(lintian, "quittance"));
}

module.exports = { writeDocuments };
