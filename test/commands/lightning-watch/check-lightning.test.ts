import { expect } from "chai";
import {
  beginSession,
  checkLightning,
  type LightningView,
  newLightningView,
} from "../../../commands/lightning-watch/check-lightning";
import type { SettledReading } from "../../../commands/lightning-watch/lightning-cursor";
import type { LightningWatch } from "../../../commands/lightning/lightning-node";
import { buildInvoice, buildStore } from "../../support/factories";
import { LightningBench, SERVER_NODE } from "../../support/lightning";
import { statementsOf } from "../../support/plans";
import { longLease } from "../../support/leases";

const OPEN = 5;

describe("a check of LND with more open BOLT11s than are looked up at a time", () => {
  let bench: LightningBench;
  let watch: LightningWatch;
  let view: LightningView;
  let reading: SettledReading;
  let lookedUp: string[];
  beforeEach(async () => {
    bench = await LightningBench.start();
    const { ctx } = bench;
    lookedUp = [];
    const lightning: LightningWatch["lightning"] = {
      ...bench.lightning,
      lookUpInvoice(paymentHash) {
        lookedUp.push(paymentHash);
        return bench.lightning.lookUpInvoice(paymentHash);
      },
    };
    const store = await buildStore(ctx);
    await ctx.db.query(
      "INSERT INTO store_payment_methods (store_id, type, lightning_node_id) VALUES ($1, 'BTC-LN', 'lnd_server')",
      [store.id],
    );
    for (let i = 0; i < OPEN; i += 1) {
      await buildInvoice(ctx, { store, amount: "1000", paymentMethods: ["BTC-LN"] });
      ctx.clock.advance(1_000);
    }
    const lease = await longLease(ctx.db, "lightning-watch");
    watch = { ctx: { ...ctx, lease }, lightning, node: SERVER_NODE };
    view = newLightningView(SERVER_NODE);
    reading = await beginSession(watch, view);
    lookedUp = [];
  });
  afterEach(() => bench.stop());

  const check = async (): Promise<number> => {
    lookedUp = [];
    const { signal } = new AbortController();
    await checkLightning(watch, view, reading, { signal, onUsable: () => undefined, pageSize: 2 });
    return lookedUp.length;
  };
  const checks = async (times: number): Promise<number[]> => {
    const counts = [];
    for (let i = 0; i < times; i += 1) counts.push(await check());
    return counts;
  };

  it("looks up all of them at the beginning of a connection, then some in turn", async () => {
    expect(await checks(5)).to.deep.equal([5, 2, 2, 1, 2]);
    await beginSession(watch, view);
    expect(await checks(2)).to.deep.equal([5, 2]);
  });

  it("looks up the ones that expire first at first, and each once in a turn", async () => {
    const rows = await bench.ctx.db.query<{ hash: string }[]>(
      "SELECT payment_hash AS hash FROM bolt11s ORDER BY expires_at",
    );
    const order = (hash: string): number => rows.findIndex((row) => row.hash === hash);
    await check();
    const turn: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      await check();
      turn.push(...lookedUp.toSorted((a, b) => order(a) - order(b)));
    }
    expect(turn).to.deep.equal(rows.map(({ hash }) => hash));
  });

  it("looks up all of them while a settle index is missing", async () => {
    await check();
    reading.ahead.add(7n);
    expect(await checks(2)).to.deep.equal([5, 5]);
    reading.ahead.clear();
    expect(await check()).to.equal(2);
  });

  it("runs as many statements for many that are open in LND too as for few", async () => {
    await check();
    view.sweptFrom = null; // all of them
    const many = await statementsOf(bench.ctx.db, check);
    const few = await statementsOf(bench.ctx.db, check);
    expect(many.length).to.be.below(few.length + 4); // a read for each page
  });
});
