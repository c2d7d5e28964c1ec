// Compiles the service's sources, a file at a time and without checking types, which `npm run typecheck` does.

const {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} = require("node:fs");
const path = require("node:path");
const { copyFiles } = require("./copy-files.cjs");
const { ROOT } = require("./setup.cjs");

/** The folders of its sources. */
const FOLDERS = [
  "api",
  "workers",
  "commands",
  "domain",
  "database",
  "entities",
  "adapters",
  "config",
  "scripts",
];
/** Of those: what runs from its sources alone. */
const NOT_COMPILED = path.join("scripts", "bench", path.sep);
/** A change of one of these may change every source's output. */
const SETTINGS = ["tsconfig.json", "package-lock.json", path.relative(ROOT, __filename)];

/** 0 without such a file. */
function changedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Paths below the root. */
function sources() {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true })
      .map((name) => path.join(folder, name))
      .filter((name) => name.endsWith(".ts") && !name.startsWith(NOT_COMPILED)),
  );
}

function staleSources(out) {
  const settingsAt = Math.max(...SETTINGS.map((file) => changedAt(path.join(ROOT, file))));
  return sources().filter((source) => {
    const madeAt = changedAt(path.join(out, source.replace(/\.ts$/, ".js")));
    return madeAt <= Math.max(changedAt(path.join(ROOT, source)), settingsAt);
  });
}

/**
 * Their compiled texts. Each is compiled by itself, as `ts.transpileModule` does, whose output is the same; but that makes
 * a compiler for each.
 */
function transpile(files) {
  const ts = require("typescript");
  const read = (name) => ts.readConfigFile(path.join(ROOT, name), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(read("tsconfig.json"), ts.sys, ROOT);
  const alone = { isolatedModules: true, noCheck: true, noLib: true, noResolve: true, types: [] };
  const compilerOptions = { ...options, ...alone, noEmit: false, rootDir: ROOT, outDir: ROOT };
  const texts = new Map();
  const host = {
    ...ts.createCompilerHost(compilerOptions),
    getCurrentDirectory: () => ROOT,
    resolveModuleNameLiterals: (literals) => literals.map(() => ({ resolvedModule: undefined })),
    writeFile: (file, text) => texts.set(path.relative(ROOT, file), text),
  };
  const names = files.map((file) => path.join(ROOT, file));
  const program = ts.createProgram(names, compilerOptions, host);
  const diagnostics = program.getSyntacticDiagnostics();
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host).trimEnd());
  program.emit();
  return texts;
}

/**
 * Whole files appear: several processes may compile into one folder. They are as old as the reading of the sources: one
 * that was saved meanwhile is newer.
 */
function writeWhole(file, text, readAt) {
  mkdirSync(path.dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, text);
  utimesSync(fresh, readAt, readAt);
  renameSync(fresh, file);
}

/** Migrations are found by their names: a compiled one whose source is gone would be run. */
function removeOrphans(out) {
  for (const file of readdirSync(out, { recursive: true }))
    if (/\.js(\.map)?$/.test(file) && !file.startsWith(`web${path.sep}`)) {
      const source = file.replace(/\.js(\.map)?$/, ".ts");
      if (!existsSync(path.join(ROOT, source))) rmSync(path.join(out, file), { force: true });
    }
}

/**
 * Brings `out` in line with the sources: only what has changed since it was compiled, going by the files' times.
 * @throws Error for a source that is no TypeScript, with its file and line.
 */
function compileService(out) {
  copyFiles(out);
  const readAt = new Date();
  const stale = staleSources(out);
  if (stale.length > 0)
    for (const [file, text] of transpile(stale)) writeWhole(path.join(out, file), text, readAt);
  removeOrphans(out);
}

/**
 * Compiles all sources, whatever is in `out`; the pages there stay.
 * @throws Error as `compileService` does
 */
function compileAnew(out) {
  if (existsSync(out))
    for (const name of readdirSync(out))
      if (name !== "web") rmSync(path.join(out, name), { recursive: true, force: true });
  compileService(out);
}

module.exports = { FOLDERS, compileAnew, compileService, staleSources };
