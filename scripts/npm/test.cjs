// npm test [-- files, folders of test/, mocha options]: the tests that need nothing but Node, in two processes more
// than there are cores. A suite that is slow or needs more is a folder of test/ with a command of its own in
// package.json (test:regtest → --suite=regtest → test/regtest). npm run test:all runs every suite, one after the other.

const { spawn } = require("node:child_process");
const { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { ROOT, ensureInstalled, refuse } = require("./setup.cjs");
const { endRun, killGroup, makeRunFolder } = require("./test-run.cjs");

const BUILD_FIRST = ["--require", "tsx", "--require", "test/support/build-first.ts"];
const ALL = "all";
const MAIN = "main";
/** What V8 made of the sources, for the hundreds of processes that a run starts (Node 22 and newer; others ignore it). */
const COMPILE_CACHE = path.join(ROOT, ".test", "compile-cache");
/** What tsx made of the sources. It keeps that in the temporary folder, which is each run's own, below a name of its own. */
const TSX_CACHE = path.join(ROOT, ".test", "tsx");
const TSX_FOLDER = `tsx-${process.geteuid?.() ?? os.userInfo().username}`;
/** Suites whose tests measure time or memory: one process, nothing in parallel. */
const MEASUREMENTS = ["bench", "load"];

/** Options of the simulation (test/simulation/options.ts), which its processes find in their environment. */
const SIMULATION_OPTION = /^--(seed|acts|shrink|rounds|hours|every|share|part)$/;
/** Those that ask for rounds alone: no process then begins with a file that has no test. */
const ROUNDS_ALONE = ["SIMULATION_SEED", "SIMULATION_ROUNDS", "SIMULATION_HOURS"];
const CRASH_POINTS = path.join("test", "simulation", "crash-points", path.sep);

const SUITES = Object.keys(require("../../package.json").scripts)
  .filter((name) => name.startsWith("test:"))
  .map((name) => name.slice("test:".length))
  .filter((name) => name !== ALL);

const FROM_SUPPORT = /from "([./]+\/support\/[^"]+)"/g;

/** A test file's bytes and those of what it imports from test/support: many a story is kept there for several suites. */
function sizeOf(file) {
  const source = readFileSync(path.join(ROOT, file), "utf8");
  const support = [...source.matchAll(FROM_SUPPORT)].map(([, name]) =>
    path.join(ROOT, path.dirname(file), `${name}.ts`),
  );
  return support.reduce(
    (sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0),
    source.length,
  );
}

/** Test files below a folder of test/, the largest first: a long file that began last would keep one core idle. */
function filesIn(folder, isWanted = () => true) {
  const all = existsSync(path.join(ROOT, folder))
    ? readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    : [];
  return all
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith(".test.ts") && isWanted(file))
    .map((file) => ({ file, size: sizeOf(file) }))
    .sort((a, b) => b.size - a.size || a.file.localeCompare(b.file))
    .map(({ file }) => file);
}

const filesOf = (suite) =>
  suite === MAIN
    ? filesIn("test", (file) => !SUITES.includes(file.split(path.sep)[1]))
    : filesIn(path.join("test", suite), (file) => !file.startsWith(CRASH_POINTS) || !roundsAlone());

const roundsAlone = () => ROUNDS_ALONE.some((name) => process.env[name] !== undefined);

/** These wait for Postgres, timers and deadlines: with so many more processes than cores they use them all. */
const MORE_JOBS = { [MAIN]: 2, simulation: 2 };

function jobsOf(suite) {
  if (MEASUREMENTS.includes(suite)) return 1;
  return os.availableParallelism() + (MORE_JOBS[suite] ?? 0);
}

/** The suites requested by name; null for files. */
function suitesIn(given) {
  const name = given.find((argument) => argument.startsWith("--suite="))?.slice("--suite=".length) ?? MAIN;
  if (name === ALL) return [MAIN, ...SUITES];
  if (name !== MAIN && !SUITES.includes(name))
    refuse(`There is no suite ${name}. Suites: ${[...SUITES, ALL].join(", ")}.`);
  return [name];
}

/** Named as a path below test/: a word of `--grep` may be the name of a folder too. */
const isTestFolder = (argument) =>
  /^test[\\/]/.test(argument) &&
  statSync(path.join(ROOT, argument), { throwIfNoEntry: false })?.isDirectory() === true;

/** The mochas to run, one after the other: a title and its arguments. */
function plan(given) {
  const rest = given.filter((argument) => !argument.startsWith("--suite="));
  const isSelection = (argument) => argument.endsWith(".ts") || isTestFolder(argument);
  const files = rest.filter(isSelection).flatMap((each) => (isTestFolder(each) ? filesIn(each) : [each]));
  const options = rest.filter((argument) => !isSelection(argument));
  if (files.length === 0 && rest.some(isSelection))
    refuse(`No file ending in .test.ts is in ${rest.find(isSelection)}.`);
  const runs =
    files.length > 0
      ? [{ title: files.join(" "), files, jobs: os.availableParallelism() }]
      : suitesIn(given).map((suite) => ({
          title: suite === MAIN ? "npm test" : `npm run test:${suite}`,
          files: filesOf(suite),
          jobs: jobsOf(suite),
        }));
  return runs.map((run) => ({ title: run.title, arguments: mochaArguments(run, options) }));
}

function mochaArguments({ files, jobs }, options) {
  const processes = Math.min(jobs, files.length);
  return [
    ...(processes > 1 ? ["--parallel", "--jobs", String(processes), ...BUILD_FIRST] : []),
    // In CI nothing may be skipped, and nothing may be the only one.
    ...(process.env.CI ? ["--forbid-pending", "--forbid-only"] : []),
    ...["--reporter", "test/support/reporter.cjs"],
    ...options,
    ...files,
  ];
}

const OF_LIBPQ = /^PG[A-Z]+$/;
const OWN_HOSTS = "127.0.0.1,localhost,::1";

/** The developer's, without settings of libpq, which pg reads too, and without a proxy for servers of the tests. */
function environment(folder) {
  const own = Object.entries(process.env).filter(([name]) => !OF_LIBPQ.test(name));
  const direct = ["no_proxy", "NO_PROXY"].map((name) => {
    const given = process.env[name];
    return [name, given ? `${given},${OWN_HOSTS}` : OWN_HOSTS];
  });
  return { ...Object.fromEntries([...own, ...direct]), TMPDIR: folder, NODE_COMPILE_CACHE: COMPILE_CACHE };
}

/** Runs mocha as a process group of its own; resolves to its exit code. */
function runMocha(mocha, folder, mochaArgs, onStart) {
  const child = spawn(process.execPath, [mocha, ...mochaArgs], {
    cwd: ROOT,
    detached: true,
    // It ends itself when this channel closes: when this process was killed.
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: environment(folder),
  });
  onStart(child.pid);
  return new Promise((resolve) =>
    child.once("exit", (code) => {
      killGroup(child.pid); // what a process of it left that died
      resolve(code ?? 1);
    }),
  );
}

/** Takes the simulation's options out of what was given, and puts them where all of its processes see them. */
function simulationOptions(given) {
  const rest = [];
  for (let at = 0; at < given.length; at += 1) {
    const name = SIMULATION_OPTION.exec(given[at])?.[1];
    if (name === undefined) rest.push(given[at]);
    else process.env[`SIMULATION_${name.toUpperCase()}`] = name === "every" ? "yes" : given[++at];
  }
  return rest;
}

async function main() {
  ensureInstalled();
  const mocha = path.join(ROOT, "node_modules", "mocha", "bin", "mocha.js");
  if (!existsSync(mocha)) refuse("mocha is not installed. Run `npm ci` without --omit=dev.");
  const runs = plan(simulationOptions(process.argv.slice(2)));
  const folder = await makeRunFolder();
  mkdirSync(TSX_CACHE, { recursive: true });
  symlinkSync(TSX_CACHE, path.join(folder, TSX_FOLDER), "junction");
  let group = null;
  let stoppedBy = null;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      stoppedBy ??= signal;
      if (group !== null) killGroup(group);
    });
  const results = [];
  for (const run of runs) {
    if (stoppedBy !== null) break;
    const start = performance.now();
    const code = await runMocha(mocha, folder, run.arguments, (pid) => (group = pid));
    results.push({ ...run, code, seconds: Math.round((performance.now() - start) / 1000) });
  }
  await endRun(folder);
  if (results.length > 1)
    for (const { title, code, seconds } of results)
      process.stdout.write(`${code === 0 ? "passed" : "FAILED"}  ${title} (${seconds} s)\n`);
  if (stoppedBy !== null) process.exit(128 + os.constants.signals[stoppedBy]);
  process.exitCode = results.find(({ code }) => code !== 0)?.code ?? 0;
}

void main();
