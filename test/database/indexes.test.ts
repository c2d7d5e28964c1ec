import { Transaction } from "bitcoinjs-lib";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { undoBlock } from "../../commands/chain/undo-block";
import { prune } from "../../commands/installation/prune";
import { READ_UNSENT } from "../../commands/server/queries";
import { makeSendAlerts } from "../../commands/server/send-alerts";
import { advanceConfirmations } from "../../commands/chain/advance-confirmations";
import { decideDue } from "../../commands/invoices/decide-due";
import { interruptStuckAttempts } from "../../commands/webhooks/interrupt-stuck-attempts";
import { listAlerts } from "../../commands/server/list-alerts";
import { readStoreHome } from "../../commands/stores/read-store-home";
import { listInvoices } from "../../commands/invoices/list-invoices";
import { readMetrics } from "../../commands/installation/read-metrics";
import { listDeliveries, matching } from "../../commands/webhooks/list-deliveries";
import { redeliverWebhooks } from "../../commands/webhooks/redeliver-webhook";
import { sweepDeliveries } from "../../commands/webhooks/release";
import { readWalletUse } from "../../commands/wallets/wallet-use";
import { watchGapLimits } from "../../commands/wallets/watch-gap-limits";
import { checkPending } from "../../commands/chain/check-pending";
import { releaseLease } from "../../database/lease";
import { restartVanishTimers } from "../../commands/chain/check-pending";
import { findMatches } from "../../commands/chain/record-transactions";
import { decodeTx, type DecodedTx } from "../../domain/chain/decode-tx";
import type { EventType } from "../../domain/invoice/status";
import type { Store } from "../../entities/store";
import { ALERT_CHANNELS } from "../../entities/alert";
import { ChainBlock } from "../../entities/chain-block";
import { WebhookDelivery } from "../../entities/webhook-delivery";
import { genesisBlock } from "../../scripts/devnet/bitcoin/regtest-block";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { keptPlan, LARGE, plansOf } from "../support/plans";
import { buildStore, buildWebhook } from "../support/factories";
import { longLease } from "../support/leases";

/** A transaction that could be ours by its form: its output and its inputs are looked up. */
function foreignTx(): DecodedTx {
  const tx = new Transaction();
  tx.addInput(Buffer.alloc(32, 7), 0);
  tx.addOutput(Buffer.concat([Buffer.from([0, 20]), Buffer.alloc(20, 7)]), 1_000n);
  return decodeTx(tx.toBuffer());
}

describe("frequent statements", () => {
  let db: DataSource;
  let ctx: TestContext;
  let storeId: string;
  before(async () => {
    db = await testDatabase(2);
    ctx = await testContext({ db });
    ({ id: storeId } = await buildStore(ctx));
  });
  after(() => db.destroy());

  const works: [string, () => Promise<unknown>][] = [
    ["retention", () => prune(ctx, { keptDays: 90 })],
    ["the search of a block for what is ours", () => findMatches(db.manager, [foreignTx()])],
    ["telling alerts", () => makeSendAlerts(ctx, [])()],
    ["confirming payments", () => advanceConfirmations(ctx)],
    ["the watch over gap limits", () => watchGapLimits(ctx)],
    ["how far wallets were paid", () => readWalletUse(db.manager)],
    ["the sweep of invoices", () => decideDue(ctx)],
    ["the sweep of deliveries", () => sweepDeliveries(ctx)],
    ["the end of stuck attempts", () => interruptStuckAttempts(ctx)],
    [
      "sending all again that failed",
      () => redeliverWebhooks(ctx, { storeId: "a store", webhookId: "a webhook" }, {}),
    ],
    ["a store's home page", () => readStoreHome(ctx, storeId)],
    ["a store's open alerts", () => listAlerts(ctx, { storeId: "a store", state: "open" }, { limit: 50 })],
    ["all alerts", () => listAlerts(ctx, {}, { limit: 50 })],
    [
      "a list by status",
      () => listInvoices(ctx, "a store", { status: ["Invalid"], archived: false }, { limit: 50 }),
    ],
    [
      "a list by several statuses",
      () => listInvoices(ctx, "a store", { status: ["Invalid", "New"], archived: false }, { limit: 50 }),
    ],
    [
      "a list by additional status",
      () => listInvoices(ctx, "a store", { additionalStatus: ["Underpaid"], archived: false }, { limit: 50 }),
    ],
    ["a list of what was archived", () => listInvoices(ctx, "a store", { archived: true }, { limit: 50 })],
    [
      "what is in no block, and what was lost",
      async () => {
        const lease = await longLease(db, "chain-watch");
        const watch = { ctx: { ...ctx, lease }, chain: undefined as never };
        await checkPending(watch, {
          txids: [],
          rebroadcastAll: true,
          retryMissing: true,
          height: 7,
          onChunk: () => Promise.resolve(),
        });
        await restartVanishTimers(watch, new Date());
        await releaseLease(db, lease);
      },
    ],
    [
      "a reorganisation",
      async () => {
        const lease = await longLease(db, "chain-watch");
        const genesis = genesisBlock();
        const block = db.manager.create(ChainBlock, { height: 7, hash: genesis.getId(), previousHash: "bb" });
        await db.manager.insert(ChainBlock, block);
        const rawBlock = (): Promise<Buffer> => Promise.resolve(Buffer.from(genesis.toBuffer()));
        await undoBlock({ ctx: { ...ctx, lease }, chain: { rawBlock } as never }, block);
      },
    ],
  ];
  for (const [what, work] of works)
    it(`scan no large table: ${what}`, async () => {
      const plans = await plansOf(db, work);
      expect(plans).to.not.be.empty;
      for (const plan of plans) expect(plan).to.not.match(LARGE);
    });

  for (const channel of ALERT_CHANNELS)
    it(`read of alerts only those that wait for their channel: ${channel}`, async () => {
      const plan = await keptPlan(db, READ_UNSENT[channel]);
      expect(plan).to.include(`Index Scan using alerts_for_${channel.toLowerCase()} `);
    });

  it("find deliveries that wait by the indexes of their states, where none of many does", async () => {
    const sent = `SELECT 'whd_' || n, 'evt_' || n, n, 'a webhook', 'a store', 'an invoice', 'skipped', 0, now()
                    FROM generate_series(1, 20000) AS n`;
    await db.transaction(async (manager) => {
      await manager.query("SET LOCAL session_replication_role = replica"); // Without what they refer to.
      await manager.query(`INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id,
                             state, attempt_count, created_at) ${sent}`);
    });
    await db.query("ANALYZE webhook_deliveries");
    const query = db
      .createQueryBuilder(WebhookDelivery, "delivery")
      .where("delivery.webhookId = 'a webhook'");
    const page = matching(query, { state: "pending" }).orderBy("delivery.createdAt", "DESC").limit(51);
    const [plan] = await plansOf(db, () => page.getMany());
    await db.query("DELETE FROM webhook_deliveries");
    expect(plan).to.include("on webhook_deliveries_waiting").and.include("on webhook_deliveries_in_flight");
  });

  it("find deliveries of a few events by those, wherever they are in the list", async () => {
    const { webhookId } = await buildWebhook(ctx, { id: storeId } as Store);
    const kinds = "CASE WHEN n % 33 = 0 THEN 'Invalid' ELSE 'New' END";
    await db.transaction(async (manager) => {
      await manager.query("SET LOCAL session_replication_role = replica"); // Without what they refer to.
      await manager.query(
        `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, created_at)
         SELECT 'evt_' || n, $1, 'inv_' || n, ${kinds}, 'None', now() FROM generate_series(1, 20000) AS n`,
        [storeId],
      );
      await manager.query(
        `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, state, created_at)
         SELECT 'whd_' || n, 'evt_' || n, n, $2, $1, 'inv_' || n, 'delivered', now() FROM generate_series(1, 20000) AS n`,
        [storeId, webhookId],
      );
    });
    await db.query("ANALYZE webhook_deliveries, invoice_events");
    const list = (type: EventType): Promise<unknown> =>
      listDeliveries(ctx, { storeId, webhookId }, { type }, { limit: 50 });
    const pagesOf = async (type: EventType): Promise<string> =>
      (await plansOf(db, () => list(type))).filter((plan) => plan.includes("micros")).join();
    const [few, many] = [await pagesOf("Invalid"), await pagesOf("New")];
    await db.query("TRUNCATE webhook_deliveries, invoice_events CASCADE");
    expect(few).to.include("webhook_deliveries_once").and.include("invoice_events_store_type");
    expect(many).to.include("using webhook_deliveries_list");
  });

  it("scan no large table: the metrics, except alerts, which are few", async () => {
    const plans = await plansOf(db, () => readMetrics(ctx));
    expect(plans).to.not.be.empty;
    for (const plan of plans.filter((each) => !each.includes("FROM alerts")))
      expect(plan).to.not.match(LARGE);
  });

  it("would be detected if they did", async () => {
    const [plan] = await plansOf(db, () => db.query("SELECT 1 FROM invoices WHERE description = 'x'"));
    expect(plan).to.match(LARGE);
  });
});
