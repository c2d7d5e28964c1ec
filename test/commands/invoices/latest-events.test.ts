import { expect } from "chai";
import fc from "fast-check";
import type { DataSource } from "typeorm";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { readLatestEvents } from "../../../commands/invoices/decision-queries";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { ADDITIONAL_STATUSES, EVENT_TYPES } from "../../../domain/invoice/status";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore } from "../../support/factories";

const MANY = 20_000;

describe("the events that a decision reads", () => {
  let db: DataSource;
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase(1); // one connection: its own reads are what is counted
    ctx = await testContext({ db });
  });
  afterEach(() => db.destroy());

  /** Rows and entries of indexes of `invoice_events` that were read so far. */
  async function eventsRead(): Promise<number> {
    await db.query("SELECT pg_stat_force_next_flush()");
    const [row] = await db.query<{ read: number }[]>(
      `SELECT (seq_tup_read + idx_tup_fetch
                + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'invoice_events'))::int AS read
         FROM pg_stat_user_tables WHERE relname = 'invoice_events'`,
    );
    return row?.read ?? NaN;
  }

  /** Marked Settled and Invalid alternately. */
  async function markOften(invoiceId: string, storeId: string): Promise<void> {
    await db.query(
      `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, round, by_hand, body, created_at)
       SELECT 'evt_' || $1 || n, $2, $1, CASE n % 2 WHEN 0 THEN 'Invalid' ELSE 'Settled' END, 'None', (n + 1) / 2, true,
              '{}', clock_timestamp()
         FROM generate_series(1, ${MANY}) AS n`,
      [invoiceId, storeId],
    );
    await db.query("VACUUM (ANALYZE) invoice_events");
  }

  it("are a few rows of an invoice that was marked 20,000 times, read by a few steps through an index", async () => {
    const store = await buildStore(ctx);
    const { invoice } = await buildInvoice(ctx, { store });
    await markOften(invoice.id, store.id);
    const before = await eventsRead();
    const { rows } = await readLatestEvents(db.manager, [invoice.id]);
    expect((await eventsRead()) - before).to.be.below(20);
    expect(rows.map(({ type, round }) => [type, round])).to.have.deep.members([
      ["New", 1],
      ["Settled", MANY / 2],
      ["Invalid", MANY / 2],
    ]);
  });

  it("are read in as few steps by a mark, which gets the next round, and by a decision after it", async () => {
    const store = await buildStore(ctx);
    const { invoice } = await buildInvoice(ctx, { store });
    await markOften(invoice.id, store.id);
    const before = await eventsRead();
    await markInvoice(ctx, store.id, invoice.id, { status: "Settled" });
    await changeInvoice(ctx, invoice.id);
    expect((await eventsRead()) - before).to.be.below(50);
    expect(
      await db.query("SELECT type, by_hand FROM invoice_events WHERE invoice_id = $1 AND round > $2", [
        invoice.id,
        MANY / 2,
      ]),
    ).to.deep.equal([{ type: "Settled", by_hand: true }]);
  });

  it("are the last of each type and additional status, of each invoice that was named", async () => {
    const kinds = EVENT_TYPES.flatMap((type) => ADDITIONAL_STATUSES.map((status) => `${type}/${status}`));
    const ofOne = fc.dictionary(fc.constantFrom(...kinds), fc.integer({ min: 1, max: 4 }), { maxKeys: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(ofOne, { maxLength: 4 }), async (invoices) => {
        await db.query("TRUNCATE invoice_events CASCADE");
        const expected: unknown[] = [];
        for (const [at, lastRounds] of [...invoices, { "New/None": 1 }].entries())
          for (const [kind, rounds] of Object.entries(lastRounds)) {
            const [type, additionalStatus] = kind.split("/");
            await db.query(
              `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, round, created_at)
               SELECT $1 || $2 || $3 || n, 's', $1, $2, $3, n, clock_timestamp() FROM generate_series(1, $4::int) AS n`,
              [`inv_${at}`, type, additionalStatus, rounds],
            );
            if (at < invoices.length)
              expected.push({ invoiceId: `inv_${at}`, type, additionalStatus, round: rounds });
          }
        const named = invoices.map((_, at) => `inv_${at}`);
        const { rows } = await readLatestEvents(db.manager, [...named, "inv_none"]);
        expect(rows).to.have.deep.members(expected);
      }),
      { numRuns: 30 },
    );
  });
});
