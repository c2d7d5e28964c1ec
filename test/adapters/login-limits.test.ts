import { expect } from "chai";
import { LOGIN_POLICIES, makeLoginLimits, type LoginLimits } from "../../adapters/login-limits";
import { recordingLog } from "../support/context";
import { testDatabase } from "../support/database";
import { eventually } from "../support/eventually";
import { freePort } from "../../scripts/devnet/free-port";
import { redisAvailable, testRedis } from "../support/redis";

const { limit, windowSeconds } = LOGIN_POLICIES.pair;

describe("login limits", () => {
  const opened: { close(): void }[] = [];
  afterEach(() => opened.splice(0).forEach((limits) => limits.close()));

  function open(where: Partial<Parameters<typeof makeLoginLimits>[0]>) {
    const { log, lines } = recordingLog();
    const limits = makeLoginLimits({
      redisUrl: undefined,
      db: () => null,
      log,
      deadlineMs: 300_000,
      ...where,
    });
    opened.push(limits);
    return { limits, lines };
  }
  /** How many tries of so many at once are let through. */
  async function allowed(all: readonly LoginLimits[], tries: number): Promise<number> {
    const turns = Array.from({ length: tries / all.length }, () => all).flat();
    const verdicts = await Promise.all(turns.map((limits) => limits.pair.take("somebody")));
    return verdicts.filter((verdict) => verdict === null).length;
  }

  it("count all processes' tries together in Postgres, and reset them together", async () => {
    const db = await testDatabase();
    const [one, two] = [open({ db: () => db }).limits, open({ db: () => db }).limits];
    expect(await allowed([one, two], limit * 2)).to.equal(limit);
    const tooMany = await two.pair.take("somebody");
    expect(tooMany?.retryAfterSeconds).to.be.within(1, windowSeconds);
    // One of those above was the first.
    expect(tooMany?.first).to.equal(false);
    expect(await two.pair.take("somebody else")).to.equal(null);
    expect(await two.account.take("somebody")).to.equal(null);
    await one.pair.forget("somebody");
    expect(await two.pair.take("somebody")).to.equal(null);
    await db.destroy();
  });

  it("count all processes' tries together in Redis", async function () {
    if (!redisAvailable()) this.skip();
    const redis = await testRedis();
    const [one, two] = [open({ redisUrl: redis.url }).limits, open({ redisUrl: redis.url }).limits];
    // Until it is connected a process counts alone.
    for (const limits of [one, two])
      await eventually(async () => {
        const before = await redis.admin.dbsize();
        await limits.mail.take(`warm up ${before}`);
        return (await redis.admin.dbsize()) > before;
      });
    expect(await allowed([one, two], limit * 2)).to.equal(limit);
    await two.pair.forget("somebody");
    expect(await one.pair.take("somebody")).to.equal(null);
    await redis.stop();
  });

  it("are kept by each process separately while Redis is away", async () => {
    const { limits, lines } = open({ redisUrl: `redis://127.0.0.1:${await freePort()}` });
    expect(await allowed([limits], limit + 5)).to.equal(limit);
    expect(lines.map(({ level }) => level)).to.include("warn");
  });
});
