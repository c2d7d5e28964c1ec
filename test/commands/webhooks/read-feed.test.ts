import { expect } from "chai";
import type { DataSource } from "typeorm";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { createInvoice } from "../../../commands/invoices/create-invoice";
import type { FeedEvent } from "../../../commands/webhooks/feed-queries";
import { readFeed } from "../../../commands/webhooks/read-feed";
import { createDataSource } from "../../../database/data-source";
import type { Store } from "../../../entities/store";
import { testContext, type TestContext } from "../../support/context";
import { watchInvariants } from "../../support/invariants-always";
import { testDatabaseUrl } from "../../support/database";
import { buildInvoice, buildStore } from "../../support/factories";

describe("a store's event feed", function () {
  this.timeout(60_000);
  const sources: DataSource[] = [];
  let ctx: TestContext;
  let second: TestContext;
  let store: Store;
  before(async () => {
    const databaseUrl = await testDatabaseUrl();
    for (const applicationName of ["one", "two"])
      sources.push(
        watchInvariants(await createDataSource({ databaseUrl, poolMax: 12, applicationName }).initialize()),
      );
    ctx = await testContext({ db: sources[0] as DataSource });
    second = await testContext({ db: sources[1] as DataSource });
  });
  beforeEach(async () => (store = await buildStore(ctx)));
  after(() => Promise.all(sources.map((source) => source.destroy())));

  /** Reads on from a place until nothing more is there. */
  async function readOn(from: bigint, limit: number, on = ctx): Promise<FeedEvent[]> {
    const all: FeedEvent[] = [];
    for (;;) {
      const page = await readFeed(on, store.id, { after: BigInt(all.at(-1)?.seq ?? from), limit });
      if (page.length === 0) return all;
      all.push(...page);
    }
  }
  const seqs = (events: readonly FeedEvent[]) => events.map(({ seq }) => seq);
  const counted = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

  it("lists each event in order, in pages, from any cursor", async () => {
    for (let made = 0; made < 3; made += 1) {
      const { invoice } = await buildInvoice(ctx, { store });
      await changeInvoice(ctx, invoice.id, { to: "Invalid", note: null });
    }
    await buildInvoice(ctx); // another store's
    const all = await readOn(0n, 4);
    expect(seqs(all)).to.deep.equal(counted(1, 6));
    expect(all.map(({ type }) => type)).to.deep.equal(["New", "Invalid", "New", "Invalid", "New", "Invalid"]);
    expect(seqs(await readOn(4n, 200))).to.deep.equal(["5", "6"]);
    expect(await readFeed(ctx, store.id, { after: 6n, limit: 10 })).to.deep.equal([]);
  });

  it("lists an event that was written first and committed last after what was read meanwhile", async () => {
    const runner = sources[0]?.createQueryRunner();
    await runner?.startTransaction();
    await runner?.query(
      `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, created_at)
       VALUES ('evt_late', $1, 'inv_late', 'New', 'None', now())`,
      [store.id],
    );
    const { invoice } = await buildInvoice(second, { store });
    const before = await readOn(0n, 10);
    expect(before.map(({ invoiceId }) => invoiceId)).to.deep.equal([invoice.id]);
    await runner?.commitTransaction();
    await runner?.release();
    const after = await readOn(BigInt(before.at(-1)?.seq ?? 0), 10);
    expect(after.map(({ eventId, seq }) => [eventId, seq])).to.deep.equal([["evt_late", "2"]]);
  });

  it("skips and repeats nothing for readers while 8 writers commit late, in two processes' pools", async () => {
    const WRITERS = 8;
    const EACH = 12;
    let writing = true;
    async function write(on: TestContext): Promise<void> {
      for (let made = 0; made < EACH; made += 1) {
        const { invoice } = await createInvoice(
          on,
          store.id,
          { amount: "100000", currency: "SATS" },
          async ({ manager }) => void (await manager.query("SELECT pg_sleep(random() * 0.05)")),
        );
        if (made % 3 === 0) await changeInvoice(on, invoice.id, { to: "Invalid", note: null });
      }
    }
    async function follow(on: TestContext, limit: number): Promise<FeedEvent[]> {
      const seen: FeedEvent[] = [];
      for (let last = false; ;) {
        const ended = !writing;
        const page = await readFeed(on, store.id, { after: BigInt(seen.at(-1)?.seq ?? 0), limit });
        seen.push(...page);
        if (page.length === 0 && last) return seen;
        last = ended;
      }
    }
    const readers = [follow(ctx, 1), follow(ctx, 7), follow(second, 3), follow(second, 200)];
    await Promise.all(Array.from({ length: WRITERS }, (_, number) => write(number % 2 === 0 ? ctx : second)));
    writing = false;
    const told = await Promise.all(readers);

    const written = await ctx.db.query<{ id: string }[]>(
      "SELECT id FROM invoice_events WHERE store_id = $1 ORDER BY feed_seq",
      [store.id],
    );
    expect(written).to.have.length(WRITERS * (EACH + EACH / 3));
    for (const events of told) {
      expect(events.map(({ eventId }) => eventId)).to.deep.equal(written.map(({ id }) => id));
      expect(seqs(events)).to.deep.equal(counted(1, written.length));
    }
    const newOnes = new Set<string>();
    for (const { type, invoiceId } of told[0] ?? []) {
      if (type === "New") newOnes.add(invoiceId);
      else expect(newOnes, `${invoiceId} was told ${type} before New`).to.include(invoiceId);
    }
  });

  it("continues after the last event read when a restored database counts its events from 1 again", async () => {
    for (let made = 0; made < 3; made += 1) await buildInvoice(ctx, { store });
    const before = await readOn(0n, 10);
    await ctx.db.query("ALTER SEQUENCE invoice_events_seq_seq RESTART WITH 1");
    const { invoice } = await buildInvoice(ctx, { store });
    const after = await readOn(BigInt(before.at(-1)?.seq ?? 0), 10);
    expect(after.map(({ invoiceId, seq }) => [invoiceId, seq])).to.deep.equal([[invoice.id, "4"]]);
    expect(seqs(await readOn(0n, 10))).to.deep.equal(counted(1, 4));
  });

  it("catches up in batches with what was written before the first request", async () => {
    await ctx.db.query(
      `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, created_at)
       SELECT 'evt_' || $1 || n, $1, 'inv_' || $1 || n, 'New', 'None', now() FROM generate_series(1, 2500) AS n`,
      [store.id],
    );
    const all = await readOn(0n, 200);
    expect(seqs(all)).to.deep.equal(counted(1, 2_500));
    expect(all[2_499]?.eventId).to.equal(`evt_${store.id}2500`);
  });
});
