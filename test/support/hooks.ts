import { stopTestPostgres } from "./database";
import { checkAllInvariants, tellBrokenInvariants, testBegins } from "./invariants-always";

export const mochaHooks = {
  beforeEach(this: Mocha.Context) {
    testBegins(this.currentTest?.fullTitle() ?? "");
  },
  afterEach: checkAllInvariants,
  async afterAll() {
    await stopTestPostgres();
    tellBrokenInvariants();
  },
};
