import { expect } from "chai";
import type { DataSource } from "typeorm";
import { detectOnchainPayments } from "../../commands/chain/detect-onchain-payments";
import { beginReading, recordSettled } from "../../commands/lightning-watch/lightning-cursor";
import { createDataSource } from "../../database/data-source";
import type { Lease } from "../../database/lease";
import { Bolt11 } from "../../entities/bolt11";
import type { Store } from "../../entities/store";
import { ChainBench } from "../support/chain";
import { buildInvoice, buildStore, buildWebhook } from "../support/factories";
import { LightningBench, SERVER_NODE } from "../support/lightning";
import { longLease } from "../support/leases";
import { roundTripsOf } from "../support/round-trips";

const KEY = "02".padEnd(66, "ab");

/** As many calls with plans of their own Postgres makes before it keeps one for all (PostgreSQL documentation, "PREPARE"). */
const PLANNED_AT_FIRST = 5;

/** Statements for which Postgres makes a plan at each call, when `work` is done more often than that. */
async function plannedEachTime(
  db: DataSource,
  work: (on: DataSource) => Promise<unknown>,
): Promise<string[]> {
  const { url = "" } = db.options as { url?: string };
  const settings = { databaseUrl: url, poolMax: 1, applicationName: "test" };
  const one = await createDataSource(settings).initialize();
  for (let time = 0; time < PLANNED_AT_FIRST + 3; time += 1) await work(one);
  const rows = await one.query<{ name: string }[]>(
    `SELECT name FROM pg_prepared_statements WHERE custom_plans > ${PLANNED_AT_FIRST}`,
  );
  await one.destroy();
  return rows.map(({ name }) => name);
}

describe("the road of a payment to its webhook", () => {
  describe("on-chain", () => {
    let bench: ChainBench;
    let store: Store;
    before(async () => {
      bench = await ChainBench.start();
      await bench.look();
      store = await buildStore(bench.ctx);
      await buildWebhook(bench.ctx, store);
    });
    after(() => bench.stop());

    /** Pays a new invoice with a coin that is in a block, or with one that is not. */
    const detect = (coin: "mined" | "unmined") => async (db: DataSource) => {
      const { address } = await bench.invoice({ store });
      if (coin === "mined") await bench.node.mine(1);
      const txid = await bench.node.pay(address, 100_000n);
      const raw = Buffer.from(await bench.node.rpc<string>("getrawtransaction", txid), "hex");
      const { ctx, chain } = bench.watch;
      const { payments } = await detectOnchainPayments({ ctx: { ...ctx, db }, chain }, [raw]);
      expect(payments).to.equal(1);
    };

    for (const coin of ["mined", "unmined"] as const)
      it(`takes one round trip to find it, three to record and decide it, one to commit, and two that follow: ${coin}`, async () => {
        expect(await roundTripsOf(bench.ctx.db, detect(coin))).to.equal(7);
      });

    it("has no statement that is planned each time it runs", async () => {
      expect(await plannedEachTime(bench.ctx.db, detect("mined"))).to.deep.equal([]);
    });
  });

  describe("by Lightning", () => {
    let bench: LightningBench;
    let store: Store;
    let lease: Lease;
    before(async () => {
      bench = await LightningBench.start();
      store = await buildStore(bench.ctx, { lightning: true });
      await buildWebhook(bench.ctx, store);
      lease = await longLease(bench.ctx.db, "lightning-watch");
    });
    after(() => bench.stop());

    const settle = async (db: DataSource): Promise<void> => {
      const { ctx, lightning } = bench;
      const watch = { ctx: { ...ctx, lease }, lightning, node: SERVER_NODE };
      const { invoice } = await buildInvoice(ctx, { store });
      const { paymentHash, bolt11 } = await ctx.db.manager.findOneByOrFail(Bolt11, { invoiceId: invoice.id });
      await bench.node.pay(bolt11 ?? "");
      const settled = await lightning.lookUpInvoice(paymentHash);
      if (settled === null) throw new Error("it is not there");
      expect(
        await recordSettled({ ...watch, ctx: { ...watch.ctx, db } }, await beginReading(watch, KEY), settled),
      ).to.equal(invoice.id);
    };

    it("takes one round trip to find it, three to record and decide it, one to commit, and two that follow", async () => {
      expect(await roundTripsOf(bench.ctx.db, settle)).to.equal(7);
    });

    it("has no statement that is planned each time it runs", async () => {
      expect(await plannedEachTime(bench.ctx.db, settle)).to.deep.equal([]);
    });
  });
});
