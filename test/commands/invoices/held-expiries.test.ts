import { expect } from "chai";
import type { DataSource } from "typeorm";
import { changeInvoice } from "../../../commands/invoices/change-invoice";
import { decideDue } from "../../../commands/invoices/decide-due";
import { alertHeldExpiries } from "../../../commands/invoices/held-expiries";
import { Invoice } from "../../../entities/invoice";
import type { Store } from "../../../entities/store";
import { testContext, type TestContext } from "../../support/context";
import { breaksInvariants } from "../../support/invariants-always";
import { testDatabase } from "../../support/database";
import { lookedAtChain } from "../../support/looked-at-chain";
import { buildInvoice, buildOpenBolt11, buildPayment, buildStore } from "../../support/factories";

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

  const lookAtChain = (): Promise<void> => lookedAtChain(ctx);
  const create = async (): Promise<string> => (await buildInvoice(ctx, { store })).invoice.id;
  const statusOf = async (id: string): Promise<string | undefined> =>
    (await db.query<{ status: string }[]>("SELECT status FROM invoices WHERE id = $1", [id]))[0]?.status;
  const isHeld = async (id: string): Promise<boolean | undefined> =>
    (await db.query<{ held: boolean }[]>("SELECT expiry_held AS held FROM invoices WHERE id = $1", [id]))[0]
      ?.held;
  const sweepAndAlert = async (): Promise<void> => {
    await decideDue(ctx);
    await alertHeldExpiries(ctx);
  };
  const alerts = (): Promise<
    { subject: string; storeId: string; invoiceId: string | null; open: boolean }[]
  > =>
    db.query(
      `SELECT subject, store_id AS "storeId", invoice_id AS "invoiceId", resolved_at IS NULL AS open
         FROM alerts WHERE kind = 'expiry-held' ORDER BY at`,
    );

  describe("are decided once, and then skipped by the sweep", () => {
    it("until the chain was checked past them", async () => {
      const [early, late] = [await create(), await create()];
      await db.query("UPDATE invoices SET expires_at = created_at, decide_at = created_at WHERE id = $1", [
        early,
      ]);
      await lookAtChain();
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      expect(await decideDue(ctx)).to.equal(2);
      expect(await statusOf(early)).to.equal("Expired");
      expect([await statusOf(late), await isHeld(late)]).to.deep.equal(["New", true]);
      expect(await decideDue(ctx), "nobody has looked").to.equal(0);
      await lookAtChain();
      expect(await decideDue(ctx)).to.equal(1);
      expect([await statusOf(late), await isHeld(late)]).to.deep.equal(["Expired", false]);
    });

    it("until the gap in their time is closed", async () => {
      const id = await create();
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      await lookAtChain();
      await db.query("INSERT INTO chain_gaps (kind, began_at) SELECT 'blind', created_at FROM invoices");
      expect(await decideDue(ctx)).to.equal(1);
      expect(await decideDue(ctx), "the gap is open").to.equal(0);
      expect([await statusOf(id), await isHeld(id)]).to.deep.equal(["New", true]);
      await db.query("UPDATE chain_gaps SET closed_at = clock_timestamp()");
      expect(await decideDue(ctx)).to.equal(1);
      expect(await statusOf(id)).to.equal("Expired");
    });

    it("each once for hundreds of them, when the hold of some has ended", async () => {
      const ids: string[] = [];
      while (ids.length < 120) ids.push(await create());
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      expect(await decideDue(ctx)).to.equal(120);
      const passedOver = ids.slice(0, 5);
      await db.query(
        `INSERT INTO set_aside (txid, failed_at, error, invoice_ids) VALUES ('tx', now(), '', $1)`,
        [passedOver],
      );
      await lookAtChain();
      expect(await decideDue(ctx)).to.equal(115);
      for (const id of ids) expect(await statusOf(id)).to.equal(passedOver.includes(id) ? "New" : "Expired");
      await db.query("DELETE FROM set_aside");
      expect(await decideDue(ctx)).to.equal(5);
    });

    it("unless they were paid meanwhile and their job was lost", async () => {
      const { id, createdAt } = (await buildInvoice(ctx, { store })).invoice;
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      expect(await decideDue(ctx)).to.equal(1);
      await buildPayment(ctx, id, { firstSeenAt: createdAt });
      await db.query("UPDATE invoices SET decide_at = created_at WHERE id = $1", [id]);
      expect(await decideDue(ctx)).to.equal(1);
      expect([await statusOf(id), await isHeld(id)]).to.deep.equal(["Processing", false]);
    });

    it("when their BOLT11 was requested to be cancelled", async () => {
      breaksInvariants(db, "the BOLT11's node does not exist");
      const id = await create();
      await buildOpenBolt11(ctx, id);
      await lookAtChain();
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      expect(await decideDue(ctx)).to.equal(1);
      const rows = await db.query<{ wanted: boolean }[]>("SELECT cancel_wanted AS wanted FROM bolt11s");
      expect(rows).to.deep.equal([{ wanted: true }]);
      await lookAtChain();
      expect(await decideDue(ctx), "LND has not answered").to.equal(0);
      await db.query("UPDATE bolt11s SET state = 'canceled'");
      expect(await decideDue(ctx)).to.equal(1);
      expect(await statusOf(id)).to.equal("Expired");
    });
  });

  describe("raise an alert", () => {
    it("once for a store, however many wait, which ends with the last", async () => {
      const ids = [await create(), await create()];
      const other = await buildInvoice(ctx);
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      await changeInvoice(ctx, ids[0] ?? "");
      for (let times = 0; times < 2; times += 1) await sweepAndAlert();
      const of = (storeId: string, open: boolean) => ({ subject: storeId, storeId, invoiceId: null, open });
      expect(await alerts()).to.have.deep.members([of(store.id, true), of(other.invoice.storeId, true)]);
      await lookAtChain();
      await sweepAndAlert();
      expect(await alerts()).to.have.deep.members([of(store.id, false), of(other.invoice.storeId, false)]);
    });

    it("not before the next check was due, nor just after a start", async () => {
      const { expiresAt } = await db.manager.findOneByOrFail(Invoice, { id: await create() });
      ctx.clock.freeze(new Date(expiresAt.getTime() + 9_000));
      await sweepAndAlert();
      ctx.clock.advance(2_000);
      await alertHeldExpiries({ ...ctx, startedAt: await ctx.now(db.manager) });
      expect(await alerts()).to.deep.equal([]);
      await alertHeldExpiries(ctx);
      expect(await alerts()).to.have.length(1);
    });

    it("not for a loss that waits for the next check, unless the chain is not checked", async () => {
      breaksInvariants(db, "the losses are not in the payments");
      const [lost, settled] = [await create(), await create()];
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      await db.query(
        "UPDATE invoices SET expiry_held = true, decide_at = NULL, status = CASE id WHEN $1 THEN 'Processing' ELSE 'Settled' END WHERE id IN ($1, $2)",
        [lost, settled],
      );
      await lookAtChain();
      await db.query("UPDATE payment_method_syncs SET loss_at = now()");
      await alertHeldExpiries(ctx);
      expect(await alerts()).to.deep.equal([]);
      ctx.clock.advance(11_000);
      await alertHeldExpiries(ctx);
      expect(await alerts(), "of the Processing one").to.have.length(1);
      await lookAtChain();
      await alertHeldExpiries(ctx);
      expect(
        (await alerts()).map(({ open }) => open),
        "whoever loses a payment meanwhile",
      ).to.deep.equal([true]);
      await db.query("UPDATE invoices SET expiry_held = false WHERE id = $1", [lost]);
      await alertHeldExpiries(ctx);
      expect(
        (await alerts()).map(({ open }) => open),
        "a Settled one is no expiry",
      ).to.deep.equal([false]);
    });

    it("that stays open when another process has just started", async () => {
      await create();
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      await sweepAndAlert();
      await alertHeldExpiries({ ...ctx, startedAt: await ctx.now(db.manager) });
      const told = { subject: store.id, storeId: store.id, invoiceId: null };
      expect(await alerts()).to.deep.equal([{ ...told, open: true }]);
    });

    it("for a BOLT11 whose state LND has not confirmed, not for one that was never shown", async () => {
      breaksInvariants(db, "the BOLT11's node does not exist");
      const id = await create();
      await buildOpenBolt11(ctx, id);
      ctx.clock.advance(TIME_MS + MINUTE_MS);
      await lookAtChain();
      await sweepAndAlert();
      expect(await alerts()).to.have.length(1);
      await db.query("UPDATE bolt11s SET bolt11 = NULL, state = 'wanted'");
      await sweepAndAlert();
      expect(await alerts()).to.deep.include({
        subject: store.id,
        storeId: store.id,
        invoiceId: null,
        open: false,
      });
    });

    it("and resolve alerts of single invoices by an earlier version", async () => {
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
