import { expect } from "chai";
import { readdirSync } from "node:fs";
import path from "node:path";
import type { DataSource } from "typeorm";
import * as accounts from "../../commands/accounts/queries";
import * as payments from "../../commands/chain/payment-queries";
import * as books from "../../commands/payments/queries";
import * as chain from "../../commands/chain/queries";
import * as metrics from "../../commands/installation/metrics-queries";
import * as installation from "../../commands/installation/queries";
import * as restores from "../../commands/installation/restore-queries";
import * as decisions from "../../commands/invoices/decision-queries";
import * as invoices from "../../commands/invoices/queries";
import * as lightning from "../../commands/lightning/queries";
import * as watching from "../../commands/lightning-watch/queries";
import * as reviews from "../../commands/reviews/queries";
import * as links from "../../commands/payment-links/queries";
import * as mails from "../../commands/mails/queries";
import * as receipts from "../../commands/mails/receipt-queries";
import * as reports from "../../commands/reports/queries";
import * as server from "../../commands/server/queries";
import * as stores from "../../commands/stores/queries";
import * as wallets from "../../commands/wallets/queries";
import * as attempts from "../../commands/webhooks/attempt-queries";
import * as feed from "../../commands/webhooks/feed-queries";
import * as webhooks from "../../commands/webhooks/queries";
import * as releases from "../../commands/webhooks/release-queries";
import { statement, rowsOf } from "../../database/statement";
import { Invoice } from "../../entities/invoice";
import { fillInvoices } from "../../scripts/bench/fill/fill-invoices";
import { testDatabase } from "../support/database";
import { keptPlan, planOfAny, statementsIn, type ExportedStatement } from "../support/plans";

const FILES: Record<string, object> = {
  "accounts/queries.ts": accounts,
  "chain/payment-queries.ts": payments,
  "chain/queries.ts": chain,
  "installation/metrics-queries.ts": metrics,
  "installation/queries.ts": installation,
  "installation/restore-queries.ts": restores,
  "invoices/decision-queries.ts": decisions,
  "invoices/queries.ts": invoices,
  "lightning/queries.ts": lightning,
  "payments/queries.ts": books,
  "lightning-watch/queries.ts": watching,
  "reviews/queries.ts": reviews,
  "payment-links/queries.ts": links,
  "mails/queries.ts": mails,
  "mails/receipt-queries.ts": receipts,
  "reports/queries.ts": reports,
  "server/queries.ts": server,
  "stores/queries.ts": stores,
  "wallets/queries.ts": wallets,
  "webhooks/attempt-queries.ts": attempts,
  "webhooks/feed-queries.ts": feed,
  "webhooks/queries.ts": webhooks,
  "webhooks/release-queries.ts": releases,
};

const STATEMENTS = Object.entries(FILES).flatMap(([file, exported]) =>
  statementsIn(exported).map(([name, each]): [string, ExportedStatement] => [`${file}: ${name}`, each]),
);

/** They have few rows, however many invoices and users there are. Any other table is taken for large. */
const SMALL = [
  "chain_gaps",
  "heartbeats",
  "lightning_cursors",
  "lightning_nodes",
  "payment_method_syncs",
  "restores",
];

/** Statements that read such a table as a whole, and why they may. */
const MAY_SCAN: Record<string, string> = {
  "accounts/queries.ts: forgetInAudit": "once for a user, long after they were disabled",
  "installation/restore-queries.ts: endLogins": "ends all logins, once after a restore",
  "installation/restore-queries.ts: insertRestore": "once after a restore",
  "installation/restore-queries.ts: skipInAllWallets": "changes all wallets, once after a restore",
  "chain/payment-queries.ts: readFewInputs": "reads a limited number of rows, any of them",
  "invoices/decision-queries.ts: readStanding":
    "reads all that is set aside, which is what an operator was alerted to",
  "lightning/queries.ts: readLatestOfNodes":
    "when a connection to a node begins whose macaroon hides its key",
  "mails/queries.ts: writeAlertNotices": "an alert of the server goes to members of all stores",
  "installation/queries.ts: PRUNE_REST.1": "links of users, deleted a day after they expire; once an hour",
  "installation/queries.ts: PRUNE_REST.2": "invitations, deleted a day after they expire; once an hour",
  "installation/queries.ts: PRUNE_REST.4": "challenges, deleted when they expire; once an hour",
  "stores/queries.ts: deleteKeys": "only when a key is deleted, or its maker loses access",
};

/** Where a plan that reads all of a table, made when the table was empty, would be felt first. */
const FILLED_FIRST =
  /Seq Scan on (invoices|invoice_events|invoice_history|invoice_payment_methods|payments|payment_inputs|watched_scripts|bolt11s|reviews|webhook_deliveries|webhook_attempts|alerts)\b/;

/**
 * Statements whose plan for an empty table reads all of it, and which are planned once nevertheless. Postgres makes
 * another plan with the table's first statistics, which autovacuum writes within minutes of its first fifty rows.
 */
const KEEP_A_SCAN = [
  "installation/restore-queries.ts: holdPending",
  "chain/payment-queries.ts: lockPaid",
  "chain/payment-queries.ts: readInvoicesOf",
  "chain/payment-queries.ts: readOnchainPayments",
  "invoices/decision-queries.ts: lockDueInvoices",
  "invoices/decision-queries.ts: lockInvoices",
  "invoices/decision-queries.ts: readPaymentsToDecide",
  "invoices/decision-queries.ts: writeDecided",
  "invoices/queries.ts: countPayments",
  "invoices/queries.ts: markDue",
  "invoices/queries.ts: readDue",
  "invoices/queries.ts: readHeld",
  "installation/metrics-queries.ts: FIGURES.0.read",
  "installation/metrics-queries.ts: FIGURES.4.read",
  "installation/queries.ts: PRUNE_RECORDS.0",
  "installation/queries.ts: PRUNE_RECORDS.1",
  "installation/queries.ts: PRUNE_RECORDS.3",
  "installation/queries.ts: MACS.bolt11s.readAfter",
  "installation/queries.ts: MACS.bolt11s.renew",
  "installation/queries.ts: MACS.destinations.readAfter",
  "installation/queries.ts: MACS.destinations.renew",
  "wallets/queries.ts: readDestinations",
  "wallets/queries.ts: readUse",
];

/** The tables that a plan reads as a whole, without small ones. */
const scannedIn = (plan: string): string[] =>
  [...plan.matchAll(/Seq Scan on (\w+)/g)].flatMap(([, table = ""]) =>
    SMALL.includes(table) ? [] : [table],
  );

describe("every SQL statement of commands/", () => {
  let db: DataSource;
  before(async () => {
    db = await testDatabase(2);
  });
  after(() => db.destroy());

  it("is in a file that is explained here", () => {
    const folder = path.join(__dirname, "../../commands");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => file.endsWith("queries.ts")).sort()).to.deep.equal(
      Object.keys(FILES).sort(),
    );
  });

  for (const [name, each] of STATEMENTS) {
    if (name in MAY_SCAN) continue;

    it(`scans no large table: ${name}`, async () => {
      const plan = await planOfAny(db, each);
      expect(scannedIn(plan), plan).to.deep.equal([]);
    });

    if (each.planned === "once" && !KEEP_A_SCAN.includes(name))
      it(`keeps no plan that scans a large table: ${name}`, async () => {
        expect(await keptPlan(db, each)).to.not.match(FILLED_FIRST);
      });
  }

  it("is an exception only if it has to be", async () => {
    const statements = new Map(STATEMENTS);
    const given = (name: string): ExportedStatement => {
      const each = statements.get(name);
      if (each === undefined) throw new Error(`there is no statement ${name}`);
      return each;
    };
    for (const name of Object.keys(MAY_SCAN))
      expect(scannedIn(await planOfAny(db, given(name))), name).to.not.be.empty;
    for (const name of KEEP_A_SCAN) {
      expect(given(name).planned, name).to.equal("once");
      expect(await keptPlan(db, given(name)), name).to.match(FILLED_FIRST);
    }
  });

  it("finds the rows of given keys by an index, also in tables of some thousand rows", async () => {
    const filled = await testDatabase(2);
    const { url = "" } = filled.options as { url?: string };
    await fillInvoices(url, { storeId: "store_1", webhookId: "whk_1", count: 3_000 });
    await filled.query("ANALYZE");
    const filledTable = /Seq Scan on (invoices|invoice_payment_methods|invoice_events|webhook_deliveries)\b/;
    const scans: string[] = [];
    for (const [name, each] of STATEMENTS) {
      const plan = await keptPlan(filled, each);
      if (/Function Scan on json_to_recordset/.test(plan) && filledTable.test(plan)) scans.push(name);
    }
    await filled.query(
      "TRUNCATE invoices, invoice_payment_methods, watched_scripts, payments, invoice_events, webhook_deliveries",
    );
    await filled.destroy();
    expect(scans, "it has as many keys").to.deep.equal(["installation/queries.ts: MACS.destinations.renew"]);
  });

  it("would be detected if it scanned a large table", async () => {
    const where = "WHERE description = $1";
    const bad = {
      read: statement<[string], object>("test.scan", `SELECT 1 FROM invoices ${where}`),
      list: [{ rows: rowsOf(Invoice, ["id"]).statement<[string]>("test.scan-rows", where) }],
    };
    const found = statementsIn(bad);
    expect(found.map(([name]) => name)).to.deep.equal(["read", "list.0.rows"]);
    for (const [, each] of found) {
      expect(scannedIn(await planOfAny(db, each))).to.deep.equal(["invoices"]);
      expect(await keptPlan(db, each)).to.match(FILLED_FIRST);
    }
  });
});
