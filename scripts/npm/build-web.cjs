// Builds the dashboard, the checkout, modal.js and btcpay.js (web/) into dist/web/, when they are missing or older than
// their source: files whose names contain a hash of their content, each also compressed.

const {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");
const { ROOT } = require("./setup.cjs");

/** For shops, which load it by a name that stays: a classic script that leaves no names behind. */
const classic = (entryFileNames) => ({ format: "iife", entryFileNames });
/** Each with its folder in web/ and its entry point: a page, or a script for pages that the server or a shop makes. */
const PARTS = {
  dashboard: { folder: "dashboard", entry: "index.html", output: {} },
  checkout: { folder: "checkout", entry: "main.ts", output: {} },
  modal: { folder: "modal", entry: "main.ts", output: classic("modal.js") },
  "btcpay-modal": { folder: "modal", entry: "btcpay.ts", output: classic("btcpay.js") },
};
const COMPRESSED = /\.(js|css|svg)$/;

function changedAt(file) {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

/** Folders count too: a file that was removed changes nothing else. */
function newestSource(source) {
  const inside = readdirSync(source, { recursive: true }).map((name) => path.join(source, name));
  const files = [...inside, __filename, path.join(ROOT, "package-lock.json")];
  return Math.max(...files.map(changedAt));
}

function compress(file) {
  const content = readFileSync(file);
  const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 } };
  writeFileSync(`${file}.br`, zlib.brotliCompressSync(content, brotli));
  writeFileSync(`${file}.gz`, zlib.gzipSync(content, { level: 9 }));
}

async function bundle({ folder, entry, output }, outDir) {
  process.env.NODE_ENV = "production"; // another one would take React's build for development
  const { build } = await import("vite");
  const { default: react } = await import("@vitejs/plugin-react");
  await build({
    configFile: false,
    root: path.join(ROOT, "web", folder),
    base: "./", // the page has the service's base path
    logLevel: "warn",
    plugins: [react()],
    build: {
      rolldownOptions: { input: path.join(ROOT, "web", folder, entry), output },
      outDir,
      emptyOutDir: true,
      manifest: "manifest.json",
      assetsInlineLimit: 0, // the policy allows no data: but for images
      chunkSizeWarningLimit: 1024, // test/tools/size.test.ts measures what a page loads
    },
  });
}

/** Completely or not at all: built beside, then renamed. */
async function buildPart(name, out) {
  const readAt = new Date();
  if (changedAt(path.join(out, "manifest.json")) > newestSource(path.join(ROOT, "web", PARTS[name].folder)))
    return;
  process.stdout.write(`Building the ${name} …\n`);
  const beside = `${out}.${process.pid}`;
  try {
    await bundle(PARTS[name], beside);
    for (const file of filesIn(beside)) if (COMPRESSED.test(file)) compress(file);
    // A source that was saved meanwhile is newer.
    utimesSync(path.join(beside, "manifest.json"), readAt, readAt);
    rmSync(out, { recursive: true, force: true });
    renameSync(beside, out);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

/** Each into a folder of its own name. */
async function buildWeb(out = path.join(ROOT, "dist", "web")) {
  for (const name of Object.keys(PARTS)) await buildPart(name, path.join(out, name));
}

module.exports = { PARTS, buildPart, buildWeb };
