import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";

// npx tsx test/simulation/mutants/run.ts [names] [--grep title]: each patch of this folder puts a defect into a copy of
// the sources, and the simulation must find it there: most are found by the stories without a fault, which are played
// first. One that survives is a hole in the world or in the oracle. --grep plays only the tests of that title.

const ROOT = path.join(__dirname, "../../..");
const COPIED = [
  "adapters",
  "api",
  "commands",
  "config",
  "database",
  "domain",
  "entities",
  "scripts",
  "test",
  "workers",
];
const ALONE = [".mocharc.json", "package.json", "tsconfig.json"];

/** Resolves to the title of the first test that failed; null where none did. */
function simulate(folder: string, grep: string | null): Promise<string | null> {
  const suite = path.join(folder, "test/simulation");
  const files = readdirSync(suite, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".test.ts"),
  );
  const mocha = path.join(ROOT, "node_modules/mocha/bin/mocha.js");
  const paths = files.map((name) => path.join("test/simulation", name));
  const only = grep === null ? [] : ["--grep", grep];
  const child = spawn(process.execPath, [mocha, "--bail", "--reporter", "json-stream", ...only, ...paths], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder, SIMULATION_SHRINK: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve) => {
    child.once("close", () => {
      const failed = output.split("\n").find((line) => line.startsWith('["fail"'));
      if (failed === undefined) return resolve(null);
      const [, { fullTitle, err }] = JSON.parse(failed) as [string, { fullTitle: string; err: string }];
      const words = err.split("\n").filter((line) => !/^\s*(at .*)?$/.test(line));
      resolve(`${fullTitle}: ${words.at(-1)?.trim() ?? ""}`);
    });
  });
}

async function tryMutant(patch: string, grep: string | null): Promise<boolean> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "quittance-mutant-"));
  try {
    for (const name of [...COPIED, ...ALONE])
      cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
    symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    // Within a repository git skips, without a word, what is not in it.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(folder) };
    execFileSync("git", ["apply", path.join(__dirname, patch)], { cwd: folder, env });
    const start = performance.now();
    let found: string | null = null;
    for (const titles of grep === null ? ["without a fault", null] : [grep])
      found ??= await simulate(folder, titles);
    const seconds = Math.round((performance.now() - start) / 1_000);
    const name = path.basename(patch, ".patch");
    process.stdout.write(`${found === null ? "SURVIVED" : "found"}  ${name} (${seconds} s)\n`);
    if (found !== null) process.stdout.write(`         ${found}\n`);
    return found !== null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(given: readonly string[]): Promise<void> {
  const at = given.indexOf("--grep");
  const grep = at === -1 ? null : (given[at + 1] ?? null);
  const names = at === -1 ? given : given.toSpliced(at, 2);
  const patches = readdirSync(__dirname).filter((name) => name.endsWith(".patch"));
  let survived = 0;
  for (const patch of patches.filter(
    (each) => names.length === 0 || names.includes(path.basename(each, ".patch")),
  ))
    if (!(await tryMutant(patch, grep))) survived += 1;
  process.exit(survived === 0 ? 0 : 1);
}

void main(process.argv.slice(2));
