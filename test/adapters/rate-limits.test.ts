import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeRateLimits, type RateLimits } from "../../adapters/rate-limits";
import { createDataSource } from "../../database/data-source";
import { DeadlineError } from "../../database/with-deadline";
import { recordingLog } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { eventually } from "../support/eventually";
import { freePort } from "../../scripts/devnet/free-port";
import { redisAvailable, testRedis, type TestRedis } from "../support/redis";

/** A count that is late is made in the process alone: none is here, and a test that waits for it fails. */
const LATE_MS = 300_000;

describe("rate limits", () => {
  const opened: { close(): void }[] = [];
  afterEach(() => opened.splice(0).forEach((limits) => limits.close()));

  function open(perMinute: number, where: { redisUrl?: string; db?: DataSource | null; ownDeadline?: true }) {
    const { log, lines } = recordingLog();
    const limits = makeRateLimits({
      ...{ perMinute, redisUrl: where.redisUrl, db: () => where.db ?? null, log },
      ...(where.ownDeadline ? {} : { deadlineMs: LATE_MS }),
    });
    if (limits === null) throw new Error("no limit was made");
    opened.push(limits);
    return { limits, lines };
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
    const two = (perMinute: number) =>
      sources.map((db) => open(perMinute, { db }).limits) as [RateLimits, RateLimits];

    it("are shared exactly by two processes, whether counted one by one or in blocks", async () => {
      for (const perMinute of [50, 1_000]) {
        const [one, other] = two(perMinute);
        const counts = await Promise.all([
          allowed(one, `of ${perMinute}`, perMinute),
          allowed(other, `of ${perMinute}`, perMinute),
        ]);
        expect((counts[0] ?? 0) + (counts[1] ?? 0), `${counts.join(" and ")}`).to.equal(perMinute);
      }
    });

    it("ask the database once for a hundredth of the limit, and not at all for refused requests", async () => {
      const [one] = two(1_000);
      const asked = async (): Promise<number> => {
        const [row] = (await sources[0]?.query<{ points: number }[]>("SELECT points FROM rate_limits")) ?? [];
        return row?.points ?? 0;
      };
      await allowed(one, "a", 1);
      expect(await asked()).to.equal(10);
      await allowed(one, "a", 9);
      expect(await asked()).to.equal(10);
      expect(await allowed(one, "a", 3_000)).to.equal(990);
      expect(await asked()).to.be.within(1_000, 1_010);
    });

    it("end a window that was dated by a clock which is ahead", async () => {
      const [one, other] = two(1_000);
      expect(await allowed(one, "a", 10)).to.equal(10); // a block
      await sources[0]?.query("UPDATE rate_limits SET points = 1000, expire = expire + 3600000");
      expect((await other.store.take("a")).allowed).to.equal(true);
      expect((await one.store.take("a")).allowed).to.equal(true);
    });

    it("continue in the process when the database does not answer in time", async () => {
      const { limits, lines } = open(5, { db: sources[0] ?? null, ownDeadline: true });
      await sources[1]?.transaction(async (manager) => {
        await manager.query("LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE");
        expect(await allowed(limits, "a", 20)).to.equal(5);
      });
      expect(lines[0]?.fields["err"]).to.be.instanceOf(DeadlineError);
    });

    it("continue in the process when the database goes away, and log it once", async () => {
      const { limits, lines } = open(5, { db: sources[0] ?? null });
      expect(await allowed(limits, "a", 2)).to.equal(2);
      await sources[0]?.destroy();
      expect(await allowed(limits, "a", 20)).to.equal(5);
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

    it("are shared exactly by two processes, under their own names that expire", async () => {
      const [one, other] = [open(1_000, { redisUrl: redis.url }), open(1_000, { redisUrl: redis.url })];
      await connected(one.limits);
      await connected(other.limits);
      const counts = await Promise.all([allowed(one.limits, "a", 1_000), allowed(other.limits, "a", 1_000)]);
      expect((counts[0] ?? 0) + (counts[1] ?? 0)).to.equal(1_000);
      expect(await redis.admin.ttl("quittance:rate:store:a")).to.be.within(1, 60);
    });

    it("continue in the process while Redis is away, at once, and together when it is back", async () => {
      const port = await freePort();
      const { limits, lines } = open(5, { redisUrl: `redis://127.0.0.1:${port}` });
      expect(await allowed(limits, "a", 20)).to.equal(5);
      expect(lines).to.have.length(1);

      const back = open(5, { redisUrl: redis.url });
      await redis.kill();
      expect(await allowed(back.limits, "a", 20)).to.equal(5);
      await redis.start();
      await connected(back.limits);
    });
  });
});
