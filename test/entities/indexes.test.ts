import { Transaction } from "bitcoinjs-lib";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { undoBlock } from "../../commands/undo-block";
import { prune } from "../../commands/prune";
import { makeTellAlerts } from "../../commands/tell-alerts";
import { advanceConfirmations } from "../../commands/advance-confirmations";
import { decideDueInvoices } from "../../commands/decide-due-invoices";
import { interruptStuckAttempts } from "../../commands/interrupt-stuck-attempts";
import { listAlerts, listAllAlerts } from "../../commands/list-alerts";
import { readStoreHome } from "../../commands/read-store-home";
import { listInvoices } from "../../commands/list-invoices";
import { readMetrics } from "../../commands/read-metrics";
import { redeliverWebhooks } from "../../commands/redeliver-webhook";
import { sendForgottenDeliveries } from "../../commands/next-deliveries";
import { readWalletUse } from "../../commands/wallet-use";
import { watchGapLimits } from "../../commands/watch-gap-limits";
import { acquireLease } from "../../commands/lease";
import { findHits } from "../../commands/record-transactions";
import { decodeTx, type DecodedTx } from "../../domain/chain/decode-tx";
import { ChainBlock } from "../../entities/chain-block";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";

/** Tables that grow with every invoice. */
const LARGE =
  /Seq Scan on (invoices|invoice_events|invoice_history|payments|payment_inputs|watched_scripts|webhook_deliveries|webhook_attempts|alerts)\b/;

/** A transaction that could be ours by its form: its output and what it spends are looked for. */
function foreignTx(): DecodedTx {
  const tx = new Transaction();
  tx.addInput(Buffer.alloc(32, 7), 0);
  tx.addOutput(Buffer.concat([Buffer.from([0, 20]), Buffer.alloc(20, 7)]), 1_000n);
  return decodeTx(tx.toBuffer());
}

describe("what is done again and again", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => {
    db = await testDatabase(2);
    ctx = await testContext({ db });
  });
  after(() => db.destroy());

  /** The plans of all statements of the work, where Postgres reads a whole table only if no index serves. */
  async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
    const statements: { sql: string; parameters: unknown[] }[] = [];
    db.setOptions({
      logging: ["query"],
      logger: {
        logQuery: (sql, parameters = []) =>
          void statements.push({ sql, parameters: parameters as unknown[] }),
        logQueryError: () => undefined,
        logQuerySlow: () => undefined,
        logSchemaBuild: () => undefined,
        logMigration: () => undefined,
        log: () => undefined,
      },
    });
    await work();
    db.setOptions({ logging: false });
    return db.transaction(async (manager) => {
      await manager.query("SET LOCAL enable_seqscan = off");
      const plans: string[] = [];
      for (const { sql, parameters } of statements.filter((each) =>
        /^\s*(SELECT|UPDATE|DELETE|WITH)/.test(each.sql),
      )) {
        const rows = await manager.query<Record<"QUERY PLAN", string>[]>(`EXPLAIN ${sql}`, parameters);
        plans.push(`${sql}\n${rows.map((row) => row["QUERY PLAN"]).join("\n")}`);
      }
      return plans;
    });
  }

  const works: [string, () => Promise<unknown>][] = [
    ["retention", () => prune(ctx, { keptDays: 90 })],
    ["the search of a block for what is ours", () => findHits(db.manager, [foreignTx()])],
    ["telling alerts", () => makeTellAlerts(ctx, [])()],
    ["confirming payments", () => advanceConfirmations(ctx)],
    ["the watch over gap limits", () => watchGapLimits(ctx)],
    ["how far wallets were paid", () => readWalletUse(db.manager)],
    ["the sweep of invoices", () => decideDueInvoices(ctx)],
    ["the sweep of deliveries", () => sendForgottenDeliveries(ctx)],
    ["the end of stuck attempts", () => interruptStuckAttempts(ctx)],
    ["sending all again that failed", () => redeliverWebhooks(ctx, { storeId: "a store" }, {})],
    ["a store's home page", () => readStoreHome(ctx, "a store")],
    ["a store's open alerts", () => listAlerts(ctx, "a store", { state: "open" }, { limit: 50 })],
    ["all alerts", () => listAllAlerts(ctx, {}, { limit: 50 })],
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
      "a reorganisation",
      async () => {
        const lease = await acquireLease(db, "chain-watch", "test");
        if (lease === null) throw new Error("the lease of a new database is free");
        const block = db.manager.create(ChainBlock, { height: 7, hash: "cc", previousHash: "bb" });
        await db.manager.insert(ChainBlock, block);
        await undoBlock({ ctx, chain: undefined as never, lease }, block);
      },
    ],
  ];
  for (const [what, work] of works)
    it(`reads no large table as a whole: ${what}`, async () => {
      const plans = await plansOf(work);
      expect(plans).to.not.be.empty;
      for (const plan of plans) expect(plan).to.not.match(LARGE);
    });

  it("reads no large table as a whole: the metrics, but for alerts, which are few", async () => {
    const plans = await plansOf(() => readMetrics(ctx));
    expect(plans).to.not.be.empty;
    for (const plan of plans.filter((each) => !each.includes("FROM alerts")))
      expect(plan).to.not.match(LARGE);
  });

  it("would be seen if it did", async () => {
    const [plan] = await plansOf(() => db.query("SELECT 1 FROM invoices WHERE description = 'x'"));
    expect(plan).to.match(LARGE);
  });
});
