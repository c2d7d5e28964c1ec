// Builds dist/ again after every change of the sources. Polls: it works on every file system, and costs a few
// milliseconds each time.

const { readdirSync, statSync } = require("node:fs");
const path = require("node:path");
const { setTimeout: pause } = require("node:timers/promises");
const { build } = require("./build.cjs");
const { FOLDERS } = require("./compile-service.cjs");
const { ROOT } = require("./setup.cjs");

const POLL_MS = 500;

/** When each source was changed last, by its path below the root. */
function snapshot() {
  const files = new Map();
  for (const folder of [...FOLDERS, "web"])
    for (const name of readdirSync(path.join(ROOT, folder), { recursive: true })) {
      const entry = statSync(path.join(ROOT, folder, name), { throwIfNoEntry: false });
      if (entry?.isFile()) files.set(path.join(folder, name), entry.mtimeMs);
    }
  return files;
}

/** Those added, changed and removed. */
const differences = (before, now) =>
  [...new Set([...before.keys(), ...now.keys()])].filter((file) => before.get(file) !== now.get(file));

/** Null, or why there is no new build. */
async function buildProblem() {
  try {
    await build();
    return null;
  } catch (error) {
    return error.message;
  }
}

/** Calls `rebuilt` after every build with what changed, and waits for it. Never returns. */
async function watchSources(rebuilt) {
  let before = snapshot();
  for (;;) {
    await pause(POLL_MS);
    const now = snapshot();
    const changed = differences(before, now);
    before = now;
    if (changed.length > 0) await rebuilt({ changed, problem: await buildProblem() });
  }
}

module.exports = { watchSources };
