// npm test [-- files, folders of test/, mocha's options]: installs what is missing, and runs mocha: the files that are
// named, or those of a suite. A suite that is slow, or needs more than Node, is a folder of test/ with a command of its
// own in package.json ("test:e2e": "… --suite=e2e"); npm test has all the others.
//
// With --parallel mocha begins a file in whatever process is free, calls root hooks once for each file, and global
// fixtures (test/support/build-first.ts) once for all: so each process has a Postgres of its own, and none depends on
// another file.

const { spawn } = require("node:child_process");
const { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } = require("node:fs");
const { statfsSync, statSync, symlinkSync } = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { ROOT, ensureInstalled, refuse } = require("./setup.cjs");

const SUITES = Object.keys(require("../../package.json").scripts)
  .filter((name) => name.startsWith("test:"))
  .map((name) => name.slice("test:".length));
/** These wait for Postgres, timers and deadlines: with more processes than cores they use them all. */
const WAITING = ["main", "simulation"];
/** Options of the simulation (test/simulation/options.ts), which its processes find in their environment. */
const SIMULATION_OPTION = /^--(seed|acts|shrink|rounds|hours|every|share|part)$/;
/** Those that ask for rounds alone. */
const ROUNDS_ALONE = ["SIMULATION_SEED", "SIMULATION_ROUNDS", "SIMULATION_HOURS"];
const CRASH_POINTS = path.join("test", "simulation", "crash-points", path.sep);
/** Required before what .mocharc.json names. */
const BUILD_FIRST = ["--require", "tsx", "--require", "test/support/build-first.ts"];
const PREFIX = "quittance-test-";
const MEMORY = "/dev/shm";
const MEMORY_NEEDED_BYTES = 4 * 2 ** 30;
/** How long the processes have to end in order before they are killed. */
const PATIENCE_MS = 10_000;

const sizeOf = (file) => statSync(path.join(ROOT, file)).size;

/** Test files below a folder of test/, the largest first: a long file that began last would keep one core idle. */
function filesIn(folder) {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(folder, name))
    .sort((a, b) => sizeOf(b) - sizeOf(a));
}

function filesOf(suite) {
  if (suite === "main") return filesIn("test").filter((file) => !SUITES.includes(file.split(path.sep)[1]));
  if (!SUITES.includes(suite)) refuse(`There is no suite ${suite}. Suites: ${SUITES.join(", ")}.`);
  const alone = ROUNDS_ALONE.some((name) => process.env[name] !== undefined);
  return filesIn(path.join("test", suite)).filter((file) => !alone || !file.startsWith(CRASH_POINTS));
}

/** What mocha is given for these arguments; the simulation's options go into the environment. */
function mochaArguments(given) {
  let suite = "main";
  const files = [];
  const options = [];
  for (let at = 0; at < given.length; at += 1) {
    const argument = given[at];
    const simulation = SIMULATION_OPTION.exec(argument)?.[1];
    if (simulation)
      process.env[`SIMULATION_${simulation.toUpperCase()}`] = simulation === "every" ? "yes" : given[++at];
    else if (argument.startsWith("--suite=")) suite = argument.slice("--suite=".length);
    else if (argument.endsWith(".ts")) files.push(argument);
    // A word of --grep may be the name of a folder too.
    else if (/^test[\\/]/.test(argument) && existsSync(path.join(ROOT, argument)))
      files.push(...filesIn(argument));
    else options.push(argument);
  }
  const wanted = files.length > 0 ? files : filesOf(suite);
  const jobs = os.availableParallelism() + (files.length === 0 && WAITING.includes(suite) ? 2 : 0);
  return [
    ...(wanted.length > 1 ? ["--parallel", "--jobs", jobs, ...BUILD_FIRST] : []),
    // A file without a test is a mistake, unless it is the words of --grep that leave it without.
    ...(options.some((option) => /^(--f?grep|-[fg]$)/.test(option)) ? [] : ["--fail-zero"]),
    // In CI nothing may be skipped, and nothing may be the only one.
    ...(process.env.CI ? ["--forbid-pending", "--forbid-only"] : []),
    ...options,
    ...wanted,
  ].map(String);
}

const isGone = (pid) => {
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    return error.code === "ESRCH";
  }
};

/**
 * A new folder for everything temporary, which goes with the run. In memory where there is room: a run makes a thousand
 * databases, whose files a disk is slow to take. What tsx made of the sources is kept for the next run.
 */
function makeFolder() {
  const inMemory = process.env.TMPDIR === undefined && existsSync(MEMORY) && statfsSync(MEMORY);
  const roomy = inMemory && inMemory.bavail * inMemory.bsize >= MEMORY_NEEDED_BYTES;
  const parent = roomy ? MEMORY : path.resolve(os.tmpdir());
  for (const name of readdirSync(parent).filter((each) => each.startsWith(PREFIX)))
    if (isGone(Number(name.split("-")[2]))) rmSync(path.join(parent, name), { recursive: true, force: true });
  const folder = mkdtempSync(path.join(parent, `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o755); // root starts Postgres as another user
  const kept = path.join(ROOT, ".test", "tsx");
  mkdirSync(kept, { recursive: true });
  symlinkSync(kept, path.join(folder, `tsx-${process.geteuid?.() ?? os.userInfo().username}`), "junction");
  return folder;
}

/** The developer's, without settings of libpq, which pg reads too, and without a proxy for servers of the tests. */
function environment(folder) {
  const own = Object.entries(process.env).filter(([name]) => !/^PG[A-Z]+$/.test(name));
  const direct = ["no_proxy", "NO_PROXY"].map((name) => [
    name,
    [process.env[name], "127.0.0.1,localhost,::1"].filter(Boolean).join(),
  ]);
  const cache = { NODE_COMPILE_CACHE: path.join(ROOT, ".test", "compile-cache") };
  return { ...Object.fromEntries([...own, ...direct]), ...cache, TMPDIR: folder };
}

ensureInstalled();
const mochaArgs = mochaArguments(process.argv.slice(2));
const folder = makeFolder();
// A group of its own, which ends itself in order when this channel closes (test/support/hooks.ts): after Ctrl-C, and
// also when this process was killed.
const child = spawn(process.execPath, [require.resolve("mocha/bin/mocha.js"), ...mochaArgs], {
  cwd: ROOT,
  detached: true,
  stdio: ["ignore", "inherit", "inherit", "ipc"],
  env: environment(folder),
});
const kill = () => isGone(-child.pid) || process.kill(-child.pid, "SIGKILL");
let stoppedBy = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    if (stoppedBy === null) child.disconnect();
    stoppedBy ??= signal;
    setTimeout(kill, PATIENCE_MS);
  });
child.once("exit", async (code) => {
  for (let waited = 0; waited < PATIENCE_MS && !isGone(-child.pid); waited += 100)
    await new Promise((resolve) => setTimeout(resolve, 100));
  kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(stoppedBy === null ? (code ?? 1) : 128 + os.constants.signals[stoppedBy]);
});
