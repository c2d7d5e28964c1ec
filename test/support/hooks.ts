import { stopTestPostgres } from "./database";
import { printPages } from "./failed-test";
import { checkAllInvariants, tellBrokenInvariants, testBegins } from "./invariants-always";

/** With several processes each runs file after file, and "after all" comes after each of them. */
const isOneOfSeveral = process.env["MOCHA_WORKER_ID"] !== undefined;

// The run was ended from outside (scripts/npm/test.cjs): what is to be undone at the end is undone.
process.once("disconnect", () => process.exit(1));
if (process.connected === false) process.exit(1);

// A test or the code under it that ends the process has not passed.
let isRunning = false;
process.once("exit", (code) => {
  if (isRunning && code === 0) process.exitCode = 1;
});

export const mochaHooks = {
  beforeAll() {
    isRunning = true;
  },
  beforeEach(this: Mocha.Context) {
    testBegins(this.currentTest?.fullTitle() ?? "");
  },
  afterEach: [printPages, checkAllInvariants],
  async afterAll() {
    if (!isOneOfSeveral) await stopTestPostgres();
    isRunning = false;
    tellBrokenInvariants();
  },
};
