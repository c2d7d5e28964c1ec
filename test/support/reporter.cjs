// mocha's spec reporter, and at its end where the time went: the ten slowest tests, and each folder's sum. It fails a run
// of no tests.

const path = require("node:path");
const { reporters, Runner } = require("mocha");

const SLOWEST = 10;
const ROOT = path.join(__dirname, "../..");

const seconds = (ms) => `${(ms / 1000).toFixed(1).padStart(7)} s`;

module.exports = class Reporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const tests = [];
    const folders = new Map();
    let folder = "test";
    /** Root hooks have no file: they count where the test before them stands. */
    const spend = ({ file, duration = 0 }) => {
      if (file) folder = path.dirname(path.relative(ROOT, file)).split(path.sep).slice(0, 2).join("/");
      folders.set(folder, (folders.get(folder) ?? 0) + duration);
    };
    const { EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_END } = Runner.constants;
    runner.on(EVENT_HOOK_END, spend);
    runner.on(EVENT_TEST_END, (test) => {
      spend(test);
      tests.push({ title: test.fullTitle(), duration: test.duration ?? 0 });
    });
    runner.once(EVENT_RUN_END, () => {
      const { consoleLog } = reporters.Base;
      // A run of no tests has not passed. --fail-zero would count each file without one, beside those of --grep.
      if (tests.length === 0) {
        consoleLog("  No test matches.\n");
        runner.failures ||= 1;
      }
      const row = ([name, ms]) => `  ${seconds(ms)}  ${name}`;
      const slowest = tests.sort((a, b) => b.duration - a.duration).slice(0, SLOWEST);
      consoleLog(
        "  slowest tests:\n%s\n",
        slowest.map(({ title, duration }) => row([title, duration])).join("\n"),
      );
      const sums = [...folders].sort(([, a], [, b]) => b - a);
      consoleLog("  time of tests and hooks by folder:\n%s\n", sums.map(row).join("\n"));
    });
  }
};
