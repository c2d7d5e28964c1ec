import { expect } from "chai";
import { IsNull } from "typeorm";
import type { LeaderContext } from "../../../commands/context";
import {
  endTrouble,
  newTroubleView,
  recordTrouble,
  type TroubleView,
} from "../../../commands/server/trouble";
import { writeSync } from "../../../commands/server/write-sync";
import { Alert } from "../../../entities/alert";
import { PaymentMethodSync } from "../../../entities/payment-method-sync";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { longLease } from "../../support/leases";

const BEGAN = new Date("2026-03-01T12:00:00Z");
const later = (seconds: number): Date => new Date(BEGAN.getTime() + seconds * 1_000);
const CHAIN = {
  kinds: ["node-away", "node-behind", "node-blind", "other-chain"],
  subject: "BTC-CHAIN",
  storeId: null,
} as const;
const sync = {
  synchronized: false,
  nodeHeight: null,
  problem: "The node does not answer.",
  caughtUpTo: null,
} as const;

describe("trouble with a node or the queue", () => {
  let ctx: TestContext;
  let leader: LeaderContext;
  let view: TroubleView;
  before(async () => {
    ctx = await testContext({ db: await testDatabase() });
    const lease = await longLease(ctx.db, "chain-watch");
    leader = { ...ctx, lease };
  });
  after(() => ctx.db.destroy());
  beforeEach(async () => {
    view = newTroubleView(CHAIN);
    await ctx.db.createQueryBuilder().delete().from(Alert).execute();
  });

  const open = async (): Promise<string[]> => {
    const alerts = await ctx.db.manager.findBy(Alert, { resolvedAt: IsNull() });
    return alerts.map(({ kind }) => kind).sort();
  };
  const trouble = { problem: sync.problem, report: () => writeSync(leader, sync) };
  const away = (now: Date) => recordTrouble(leader, view, { kind: "node-away", ...trouble, now });

  it("is recorded at once, and an alert after a minute of it", async () => {
    await away(BEGAN);
    expect(await ctx.db.manager.findOneBy(PaymentMethodSync, { type: "BTC-CHAIN" })).to.include({
      synchronized: false,
      problem: sync.problem,
    });
    await away(later(59));
    expect(await open()).to.deep.equal([]);
    await away(later(60));
    expect(await open()).to.deep.equal(["node-away"]);
  });

  it("is an alert at once where it does not pass by itself", async () => {
    await recordTrouble(leader, view, { kind: "other-chain", ...trouble, now: BEGAN, atOnce: true });
    expect(await open()).to.deep.equal(["other-chain"]);
  });

  it("of another kind is one more alert, or the only one", async () => {
    await away(BEGAN);
    await away(later(60));
    await recordTrouble(leader, view, { kind: "node-behind", ...trouble, now: later(61) });
    expect(await open()).to.deep.equal(["node-away", "node-behind"]);
    await recordTrouble(leader, view, {
      kind: "node-blind",
      ...trouble,
      now: later(62),
      endsOtherKinds: true,
    });
    expect(await open()).to.deep.equal(["node-blind"]);
  });

  it("ends with its alerts, and the next has a minute again", async () => {
    await away(BEGAN);
    await away(later(60));
    await endTrouble(leader, view);
    expect(await open()).to.deep.equal([]);
    await away(later(61));
    await away(later(120));
    expect(await open()).to.deep.equal([]);
    await away(later(121));
    expect(await open()).to.deep.equal(["node-away"]);
  });

  it("that a former leader alerted about ends as well", async () => {
    await away(BEGAN);
    await away(later(60));
    await endTrouble(leader, newTroubleView(CHAIN));
    expect(await open()).to.deep.equal([]);
  });
});
