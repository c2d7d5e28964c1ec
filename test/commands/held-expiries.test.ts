import { expect } from "chai";
import type { DataSource } from "typeorm";
import { changeInvoice } from "../../commands/change-invoice";
import { decideDueInvoices } from "../../commands/decide-due-invoices";
import { alertHeldExpiries } from "../../commands/held-expiries";
import type { Store } from "../../entities/store";
import { testContext, type TestContext } from "../support/context";
import { breaksInvariants } from "../support/invariants-always";
import { testDatabase } from "../support/database";
import { buildInvoice, buildOpenBolt11, buildPayment, buildStore } from "../support/factories";

const TIME_MS = 900_000;
const MINUTE_MS = 60_000;

describe("expiries that wait for a node", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    store = await buildStore(ctx);
  });
  afterEach(() => db.destroy());

  /** chain-watch has just finished a look that began now. */
  const lookAtChain = async (): Promise<unknown> =>
    db.query(
      `INSERT INTO rails (type, checked_at, caught_up_to) VALUES ('BTC-CHAIN', $1, $1)
       ON CONFLICT (type) DO UPDATE SET caught_up_to = excluded.caught_up_to`,
      [await ctx.now(db.manager)],
    );
  const create = async (): Promise<string> => (await buildInvoice(ctx, { store })).invoice.id;
  const rowOf = async (id: string): Promise<{ status: string; retried: boolean; version: string }> => {
    const [row] = await db.query<{ status: string; retried: boolean; version: string }[]>(
      "SELECT status, decide_at IS DISTINCT FROM expires_at AS retried, xmin AS version FROM invoices WHERE id = $1",
      [id],
    );
    if (row === undefined) throw new Error(`${id} is gone`);
    return row;
  };
  const alerts = () =>
    db.query(
      `SELECT subject, store_id AS "storeId", invoice_id AS "invoiceId", resolved_at IS NULL AS open
         FROM alerts WHERE kind = 'expiry-held' ORDER BY at`,
    );

  describe("are left by the sweep as they stand", () => {
    it("until the chain was looked at past them", async () => {
      const [early, late] = [await create(), await create()];
      await db.query("UPDATE invoices SET expires_at = created_at, decide_at = created_at WHERE id = $1", [
        early,
      ]);
      await lookAtChain();
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      const before = await rowOf(late);
      expect(await decideDueInvoices(ctx)).to.equal(1);
      expect((await rowOf(early)).status).to.equal("Expired");
      expect(await rowOf(late), "nothing was written").to.deep.equal(before);
      await lookAtChain();
      expect(await decideDueInvoices(ctx)).to.equal(1);
      expect((await rowOf(late)).status).to.equal("Expired");
    });

    it("though the chain was never looked at, for EXPIRY_HOLD_MINUTES and no longer", async () => {
      const id = await create();
      ctx.clock.advance(TIME_MS + 59 * MINUTE_MS);
      expect(await decideDueInvoices(ctx)).to.equal(0);
      ctx.clock.advance(2 * MINUTE_MS);
      expect(await decideDueInvoices({ ...ctx, startedAt: await ctx.now(db.manager) })).to.equal(0);
      expect(await decideDueInvoices(ctx)).to.equal(1);
      expect((await rowOf(id)).status).to.equal("Expired");
    });

    it("but not those that were paid, whose job was lost", async () => {
      const id = await create();
      await buildPayment(ctx, id);
      await db.query("UPDATE invoices SET decide_at = clock_timestamp() WHERE id = $1", [id]);
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      expect(await decideDueInvoices(ctx)).to.equal(1);
      expect((await rowOf(id)).status).to.equal("Processing");
    });

    it("but not those with a BOLT11, which is cancelled at the expiry", async () => {
      breaksInvariants(db, "the BOLT11's node does not exist");
      const id = await create();
      await buildOpenBolt11(ctx, id);
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      expect(await decideDueInvoices(ctx)).to.equal(1);
      const rows = await db.query<{ wanted: boolean }[]>("SELECT cancel_wanted AS wanted FROM bolt11s");
      expect(rows).to.deep.equal([{ wanted: true }]);
    });

    it("and a decision of each would have been to wait", async () => {
      const id = await create();
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      expect(await decideDueInvoices(ctx)).to.equal(0);
      expect((await changeInvoice(ctx, id)).moves).to.deep.equal([]);
      expect(await rowOf(id)).to.deep.include({ status: "New", retried: true });
    });
  });

  describe("are told to the operator", () => {
    it("once for a store, however many wait, and no more when none does", async () => {
      const ids = [await create(), await create()];
      const other = await buildInvoice(ctx);
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      await changeInvoice(ctx, ids[0] ?? "");
      for (let times = 0; times < 2; times += 1) await alertHeldExpiries(ctx);
      const of = (storeId: string, open: boolean) => ({ subject: storeId, storeId, invoiceId: null, open });
      expect(await alerts()).to.have.deep.members([of(store.id, true), of(other.invoice.storeId, true)]);
      await lookAtChain();
      await alertHeldExpiries(ctx);
      expect(await alerts()).to.have.deep.members([of(store.id, false), of(other.invoice.storeId, false)]);
    });

    it("not before the next look at the rail was due, nor just after a start", async () => {
      await create();
      ctx.clock.advance(TIME_MS + 9_000);
      await alertHeldExpiries(ctx);
      ctx.clock.advance(2_000);
      await alertHeldExpiries({ ...ctx, startedAt: await ctx.now(db.manager) });
      expect(await alerts()).to.deep.equal([]);
      await alertHeldExpiries(ctx);
      expect(await alerts()).to.have.length(1);
    });

    it("and stay told while another process has only just started", async () => {
      await create();
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      await alertHeldExpiries(ctx);
      await alertHeldExpiries({ ...ctx, startedAt: await ctx.now(db.manager) });
      const told = { subject: store.id, storeId: store.id, invoiceId: null };
      expect(await alerts()).to.deep.equal([{ ...told, open: true }]);
    });

    it("for a BOLT11 that LND has not said the last word on, not for one that nobody was given", async () => {
      breaksInvariants(db, "the BOLT11's node does not exist");
      const id = await create();
      await buildOpenBolt11(ctx, id);
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      await lookAtChain();
      await alertHeldExpiries(ctx);
      expect(await alerts()).to.have.length(1);
      await db.query("UPDATE bolt11s SET bolt11 = NULL, state = 'wanted'");
      await alertHeldExpiries(ctx);
      expect(await alerts()).to.deep.include({
        subject: store.id,
        storeId: store.id,
        invoiceId: null,
        open: false,
      });
    });

    it("and what an earlier version told of single invoices ends", async () => {
      const id = await create();
      await db.query(
        `INSERT INTO alerts (id, kind, severity, subject, store_id, invoice_id, message)
         VALUES ('alr_old', 'expiry-held', 'warning', $1, $2, $1, 'It waits.')`,
        [id, store.id],
      );
      ctx.clock.advance(MINUTE_MS);
      await alertHeldExpiries(ctx);
      expect(await alerts()).to.deep.equal([{ subject: id, storeId: store.id, invoiceId: id, open: false }]);
    });
  });
});
