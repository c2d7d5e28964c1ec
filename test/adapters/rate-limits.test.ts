import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeRateLimits, type RateLimits } from "../../adapters/rate-limits";
import { DeadlineError } from "../../database/with-deadline";
import { createDataSource } from "../../database/data-source";
import { recordingLog } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { freePort } from "../../scripts/devnet/free-port";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";

describe("rate limits", () => {
  const opened: { close(): void }[] = [];
  afterEach(() => opened.splice(0).forEach((limits) => limits.close()));

  function open(perMinute: number, where: { redisUrl?: string; db?: DataSource | null }) {
    const { log, lines } = recordingLog();
    const limits = makeRateLimits({ perMinute, redisUrl: where.redisUrl, db: () => where.db ?? null, log });
    if (limits === null) throw new Error("no limit was made");
    opened.push(limits);
    return { limits, lines };
  }
  type Opened = ReturnType<typeof open>;
  /**
   * Repeats `work` with newly opened limits and a name that nobody has used, until no count was made by a process
   * alone, as one that takes 500 ms on a busy machine is.
   */
  async function together<T>(
    openAll: () => Promise<Opened[]> | Opened[],
    work: (all: RateLimits[], sender: string, opened: Opened[]) => Promise<T>,
  ): Promise<T> {
    const results: T[] = [];
    await eventually(async () => {
      const opened = await openAll();
      const all = opened.map(({ limits }) => limits);
      results.push(await work(all, `sender ${results.length}`, opened));
      return opened.every(({ lines }) => lines.length === 0);
    });
    return results.at(-1) as T;
  }
  /** How many of so many requests at once are let through. */
  async function allowed({ store }: RateLimits, sender: string, requests: number): Promise<number> {
    const verdicts = await Promise.all(Array.from({ length: requests }, () => store.take(sender)));
    return verdicts.filter((verdict) => verdict.allowed).length;
  }

  it("do not exist with 0", () => {
    const { log } = recordingLog();
    expect(makeRateLimits({ perMinute: 0, redisUrl: undefined, db: () => null, log })).to.equal(null);
  });

  it("count in the process before the database is reached", async () => {
    const { limits } = open(5, { db: null });
    expect(await allowed(limits, "a", 8)).to.equal(5);
    expect(await allowed(limits, "b", 3)).to.equal(3);
  });

  it("report how many requests are left and when the window ends", async () => {
    const { limits } = open(3, { db: null });
    const verdicts = [];
    for (let request = 0; request < 4; request += 1) verdicts.push(await limits.store.take("a"));
    expect(verdicts.map(({ resetSeconds: _, ...left }) => left)).to.deep.equal([
      { allowed: true, remaining: 2 },
      { allowed: true, remaining: 1 },
      { allowed: true, remaining: 0 },
      { allowed: false, remaining: 0 },
    ]);
    for (const { resetSeconds } of verdicts) expect(resetSeconds).to.be.within(30, 60);
  });

  it("allow requests again when the window is over", async () => {
    const { limits } = open(60_000, { db: null }); // 1,000 in 1 s
    await eventually(async () => (await allowed(limits, "a", 1_001)) < 1_001);
    await eventually(async () => (await limits.store.take("a")).allowed);
  });

  it("count a store and an address separately", async () => {
    const { limits } = open(1, { db: null });
    expect(await allowed(limits, "a", 2)).to.equal(1);
    expect((await limits.address.take("a")).allowed).to.equal(true);
  });

  describe("on Postgres", () => {
    const sources: DataSource[] = [];
    beforeEach(async () => {
      const databaseUrl = await testDatabaseUrl();
      for (const applicationName of ["one", "two"])
        sources.push(await createDataSource({ databaseUrl, poolMax: 3, applicationName }).initialize());
    });
    afterEach(async () => {
      for (const source of sources.splice(0)) if (source.isInitialized) await source.destroy();
    });
    const two = (perMinute: number) => sources.map((db) => open(perMinute, { db }));

    it("are shared exactly by two processes, whether counted one by one or in blocks", async () => {
      for (const perMinute of [50, 1_000]) {
        const counts = await together(
          () => two(perMinute),
          (both, sender) =>
            Promise.all(both.map((each) => allowed(each, `${sender} of ${perMinute}`, perMinute))),
        );
        expect((counts[0] ?? 0) + (counts[1] ?? 0), `${counts.join(" and ")}`).to.equal(perMinute);
      }
    });

    it("ask the database once for a hundredth of the limit, and not at all for refused requests", async () => {
      const asked = async (sender: string): Promise<number> => {
        const [row] =
          (await sources[0]?.query<{ points: number }[]>("SELECT points FROM rate_limits WHERE key LIKE $1", [
            `%:${sender}`,
          ])) ?? [];
        return row?.points ?? 0;
      };
      const [first, tenth, passed, all] = await together(
        () => two(1_000),
        async ([one], sender) => {
          if (one === undefined) throw new Error("no limit was opened");
          await allowed(one, sender, 1);
          const afterOne = await asked(sender);
          await allowed(one, sender, 9);
          const afterTen = await asked(sender);
          return [afterOne, afterTen, await allowed(one, sender, 3_000), await asked(sender)] as const;
        },
      );
      expect([first, tenth, passed]).to.deep.equal([10, 10, 990]);
      expect(all).to.be.within(1_000, 1_010);
    });

    it("continue in the process when the database goes away, and log it once", async () => {
      const { used, opened } = await together(
        () => [open(5, { db: sources[0] ?? null })],
        async ([limits], sender, [one]) => {
          if (limits === undefined || one === undefined) throw new Error("no limit was opened");
          expect(await allowed(limits, sender, 2)).to.equal(2);
          return { used: sender, opened: one };
        },
      );
      const { limits, lines } = opened;
      await sources[0]?.destroy();
      expect(await allowed(limits, used, 20)).to.equal(5);
      expect(await allowed(limits, "b", 20)).to.equal(5);
      expect(lines.map(({ level, message }) => [level, message])).to.deep.equal([
        ["warn", "rate limit: shared counter unavailable, counting locally"],
      ]);
    });
  });

  (redisAvailable() ? describe : describe.skip)("on Redis", () => {
    let redis: TestRedis;
    before(async () => (redis = await testRedis()));
    after(() => redis.stop());
    /** Nothing is counted together before the connection is there. */
    const connected = (limits: RateLimits) =>
      eventually(
        async () => {
          const before = await redis.admin.dbsize();
          await limits.store.take(`probe ${Math.random()}`);
          return (await redis.admin.dbsize()) > before;
        },
        30_000,
        500,
      );

    /** Two, as soon as the connections of both have said hello: one that is not ready counts alone for 5 s. */
    async function ready(): Promise<Opened[]> {
      const connections = async (): Promise<number> =>
        String(await redis.admin.client("LIST")).match(/cmd=info/g)?.length ?? 0;
      const before = await connections();
      const both = [open(1_000, { redisUrl: redis.url }), open(1_000, { redisUrl: redis.url })];
      await eventually(async () => (await connections()) >= before + 2);
      return both;
    }

    it("are shared exactly by two processes, under their own names that expire", async () => {
      const { counts, seconds } = await together(ready, async (both, sender) => ({
        counts: await Promise.all(both.map((each) => allowed(each, sender, 1_000))),
        seconds: await redis.admin.ttl(`quittance:rate:store:${sender}`),
      }));
      expect((counts[0] ?? 0) + (counts[1] ?? 0)).to.equal(1_000);
      expect(seconds).to.be.within(1, 60);
    });

    it("continue in the process while Redis is away, at once, and together when it is back", async () => {
      const port = await freePort();
      const { limits, lines } = open(5, { redisUrl: `redis://127.0.0.1:${port}` });
      expect(await allowed(limits, "a", 20)).to.equal(5);
      expect(lines).to.have.length(1);
      expect(lines[0]?.fields["err"], "it did not wait").to.not.be.instanceOf(DeadlineError);

      const back = open(5, { redisUrl: redis.url });
      await redis.kill();
      expect(await allowed(back.limits, "a", 20)).to.equal(5);
      await redis.start();
      await connected(back.limits);
    });
  });
});
