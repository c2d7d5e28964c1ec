// Copies files beside the compiled code: LND's descriptions (adapters/lnd/protos.ts), and the samples of the API
// reference (api/openapi/reference-samples.ts).

const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const path = require("node:path");

const ROOT = path.join(__dirname, "..", "..");
const FOLDERS = [
  path.join("adapters", "lnd", "protos"),
  path.join("docs", "receivers"),
  path.join("docs", "samples"),
];

/** The files to copy, from the repository's root. */
function filesToCopy() {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name))),
  );
}

/** Whole files appear, and those that are there stay: others may read them. */
function copyFiles(out) {
  for (const name of filesToCopy()) {
    const to = path.join(out, name);
    const content = readFileSync(path.join(ROOT, name));
    if (existsSync(to) && readFileSync(to).equals(content)) continue;
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(`${to}.${process.pid}`, content);
    renameSync(`${to}.${process.pid}`, to);
  }
}

module.exports = { copyFiles, filesToCopy };
