import { expect } from "chai";
import { IsNull } from "typeorm";
import type { Check } from "../../../commands/installation/health";
import { makeWatchQueue } from "../../../commands/installation/watch-queue";
import { Alert } from "../../../entities/alert";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";

const BEGAN = new Date("2026-03-01T12:00:00Z");
const FULL: Check = { status: "degraded", reason: "Redis refuses writes: its memory is used up." };

describe("the watch over the queue", () => {
  let ctx: TestContext;
  let health: Check;
  before(async () => {
    ctx = await testContext({ db: await testDatabase() });
  });
  after(() => ctx.db.destroy());
  beforeEach(async () => {
    health = { status: "ok" };
    await ctx.db.createQueryBuilder().delete().from(Alert).execute();
  });

  const watching = () => makeWatchQueue(ctx, () => Promise.resolve(health));
  const at = (seconds: number): void => ctx.clock.freeze(new Date(BEGAN.getTime() + seconds * 1_000));
  const open = (): Promise<Alert[]> => ctx.db.manager.findBy(Alert, { resolvedAt: IsNull() });

  it("raises one critical alert when it has been unusable for a minute", async () => {
    const watch = watching();
    health = FULL;
    for (const seconds of [0, 59]) {
      at(seconds);
      await watch();
    }
    expect(await open()).to.deep.equal([]);
    for (const seconds of [60, 75]) {
      at(seconds);
      await watch();
    }
    const [alert, ...others] = await open();
    expect(others).to.deep.equal([]);
    expect(alert).to.include({ kind: "queue-away", severity: "critical", storeId: null });
    expect(alert?.message).to.include(FULL.reason);
  });

  it("resolves the alert when the queue works again, and counts the minute anew", async () => {
    const watch = watching();
    health = FULL;
    at(0);
    await watch();
    at(60);
    await watch();
    expect(await open()).to.have.length(1);
    health = { status: "ok" };
    await watch();
    expect(await open()).to.deep.equal([]);
    health = FULL;
    at(70);
    await watch();
    at(129);
    await watch();
    expect(await open()).to.deep.equal([]);
  });

  it("resolves the alert of a process that has ended", async () => {
    const former = watching();
    health = FULL;
    at(0);
    await former();
    at(60);
    await former();
    health = { status: "ok" };
    await watching()();
    expect(await open()).to.deep.equal([]);
  });
});
