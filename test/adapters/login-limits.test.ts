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
    const limits = makeLoginLimits({ redisUrl: undefined, db: () => null, log, ...where });
    opened.push(limits);
    return { limits, lines };
  }
  /** How many tries of so many at once are let through. */
  async function allowed(all: readonly LoginLimits[], tries: number, who = "somebody"): Promise<number> {
    const turns = Array.from({ length: tries / all.length }, () => all).flat();
    const verdicts = await Promise.all(turns.map((limits) => limits.pair.take(who)));
    return verdicts.filter((verdict) => verdict === null).length;
  }

  /**
   * What two processes do with a name that nobody has used: repeated until no try was counted by one of them alone, as
   * one that takes 500 ms on a busy machine is.
   */
  async function together<T>(
    openOne: () => Promise<ReturnType<typeof open>> | ReturnType<typeof open>,
    work: (one: LoginLimits, two: LoginLimits, who: string) => Promise<T>,
  ): Promise<T> {
    const results: T[] = [];
    await eventually(async () => {
      const [one, two] = [await openOne(), await openOne()];
      results.push(await work(one.limits, two.limits, `somebody ${results.length}`));
      const alone = [...one.lines, ...two.lines].map(({ fields }) => fields["limit"]);
      return !alone.includes(LOGIN_POLICIES.pair.name) && !alone.includes(LOGIN_POLICIES.account.name);
    });
    return results.at(-1) as T;
  }

  it("count all processes' tries together in Postgres, and reset them together", async () => {
    const db = await testDatabase();
    const seen = await together(
      () => open({ db: () => db }),
      async (one, two, who) => {
        const count = await allowed([one, two], limit * 2, who);
        const tooMany = await two.pair.take(who);
        const others = [await two.pair.take(`${who} else`), await two.account.take(who)];
        await one.pair.forget(who);
        return { count, tooMany, others, afterwards: await two.pair.take(who) };
      },
    );
    // The first too many was one of those above.
    expect(seen.tooMany?.retryAfterSeconds).to.be.within(1, windowSeconds);
    expect(seen.tooMany?.first).to.equal(false);
    expect(seen).to.deep.include({ count: limit, others: [null, null], afterwards: null });
    await db.destroy();
  });

  it("count all processes' tries together in Redis", async function () {
    if (!redisAvailable()) this.skip();
    const redis = await testRedis();
    const connected = async () => {
      const one = open({ redisUrl: redis.url });
      // Until it is connected a process counts alone.
      await eventually(async () => {
        const before = await redis.admin.dbsize();
        await one.limits.mail.take(`warm up ${before}`);
        return (await redis.admin.dbsize()) > before;
      });
      return one;
    };
    const seen = await together(connected, async (one, two, who) => {
      const count = await allowed([one, two], limit * 2, who);
      await two.pair.forget(who);
      return { count, afterwards: await one.pair.take(who) };
    });
    expect(seen).to.deep.equal({ count: limit, afterwards: null });
    await redis.stop();
  });

  it("are kept by each process separately while Redis is away", async () => {
    const { limits, lines } = open({ redisUrl: `redis://127.0.0.1:${await freePort()}` });
    expect(await allowed([limits], limit + 5)).to.equal(limit);
    expect(lines.map(({ level }) => level)).to.include("warn");
  });
});
