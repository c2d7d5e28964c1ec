import { expect } from "chai";
import { LOGIN_POLICIES, makeLoginLimits } from "../../adapters/login-limits";
import { recordingLog } from "../support/context";
import { testDatabase } from "../support/database";

const { limit, windowSeconds } = LOGIN_POLICIES.pair;

describe("login limits", () => {
  it("count all processes' tries together in Postgres, and reset them together", async () => {
    const db = await testDatabase();
    const open = () =>
      makeLoginLimits({
        redisUrl: undefined,
        db: () => db,
        log: recordingLog().log,
        deadlineMs: 300_000,
      });
    const [one, two] = [open(), open()];
    const tries = Array.from({ length: limit }, () => [one, two]).flat();
    const verdicts = await Promise.all(tries.map((limits) => limits.pair.take("somebody")));
    expect(verdicts.filter((verdict) => verdict === null)).to.have.length(limit);
    const tooMany = await two.pair.take("somebody");
    expect(tooMany?.retryAfterSeconds).to.be.within(1, windowSeconds);
    // One of those above was the first.
    expect(tooMany?.first).to.equal(false);
    expect(await two.pair.take("somebody else")).to.equal(null);
    expect(await two.account.take("somebody")).to.equal(null);
    await one.pair.forget("somebody");
    expect(await two.pair.take("somebody")).to.equal(null);
    for (const limits of [one, two]) limits.close();
    await db.destroy();
  });
});
