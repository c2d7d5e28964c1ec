import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { LeaseLostError } from "../../../database/lease";
import {
  beginReading,
  passHole,
  recordSettled,
  type SettledReading,
  wasSetBack,
  writeCursor,
} from "../../../commands/lightning-watch/lightning-cursor";
import type { NodeInvoice } from "../../../commands/ports";
import { recordLightningPayment } from "../../../commands/invoices/record-lightning-payment";
import type { LightningWatch } from "../../../commands/lightning/lightning-node";
import { HOLE_PATIENCE_MS } from "../../../domain/lightning/settle-cursor";
import { Bolt11 } from "../../../entities/bolt11";
import { SERVER_NODE_ID } from "../../../entities/lightning-node";
import { LightningCursor } from "../../../entities/lightning-cursor";
import { Payment } from "../../../entities/payment";
import type { Store } from "../../../entities/store";
import { buildInvoice, buildStore } from "../../support/factories";
import { LightningBench, SERVER_NODE } from "../../support/lightning";
import { longLease } from "../../support/leases";
import { statementsOf } from "../../support/plans";

const KEY = "02".padEnd(66, "ab");

describe("the cursor of LND's settled invoices", () => {
  let bench: LightningBench;
  let store: Store;
  let watch: LightningWatch;
  beforeEach(async () => {
    bench = await LightningBench.start();
    const { ctx, lightning } = bench;
    store = await buildStore(ctx);
    const lease = await longLease(ctx.db, "lightning-watch");
    watch = { ctx: { ...ctx, lease }, lightning, node: SERVER_NODE };
  });
  afterEach(() => bench.stop());

  const now = () => bench.ctx.now(bench.ctx.db.manager);
  /** A settled invoice of the node: ours where an id is given. */
  const settled = async (settleIndex: bigint, invoiceId?: string): Promise<NodeInvoice> => {
    const paymentHash = randomBytes(32).toString("hex");
    const preimage = randomBytes(32);
    const at = await now();
    const expiresAt = new Date(at.getTime() + 900_000);
    if (invoiceId !== undefined)
      await bench.ctx.db.manager.insert(Bolt11, {
        ...{ paymentHash, invoiceId, preimage, amountSats: 100n, state: "open", bolt11: "lnbcrt1" },
        ...{ nodeKey: KEY, createdAt: at, expiresAt },
      });
    return {
      paymentHash,
      state: "settled",
      bolt11: "lnbcrt1",
      amountPaidMsat: 100_999n,
      settledAt: at,
      settleIndex,
      preimage: preimage.toString("hex"),
    };
  };
  const cursor = async () => {
    const row = await bench.ctx.db.manager.findOneBy(LightningCursor, { nodeKey: KEY });
    return row && [row.settleIndex, row.gapSince !== null];
  };
  const payments = () => bench.ctx.db.manager.count(Payment);
  /** An invoice of the node's own, with the cursor. */
  const readOther = async (reading: SettledReading, settleIndex: bigint): Promise<void> => {
    expect(await recordSettled(watch, reading, await settled(settleIndex))).to.equal(null);
    await writeCursor(watch, reading);
  };
  const invoice = async () => (await buildInvoice(bench.ctx, { store })).invoice.id;

  it("moves in the payment's transaction: neither is written when the database is away", async () => {
    const event = await settled(7n, await invoice());
    const reading = await beginReading(watch, KEY);
    await bench.ctx.db.query("ALTER TABLE payments RENAME TO away");
    const failed = await recordSettled(watch, reading, event).catch((error: unknown) => String(error));
    expect(failed).to.match(/payments/);
    expect([await cursor(), reading.ahead.size]).to.deep.equal([null, 0]);
    await bench.ctx.db.query("ALTER TABLE away RENAME TO payments");
    await recordSettled(watch, reading, event);
    expect([await cursor(), await payments()]).to.deep.equal([[7n, false], 1]);
  });

  it("skips a payment that cannot be recorded: its BOLT11 stays open, or is opened again, for a look-up", async () => {
    const [open, canceled] = [await settled(7n, await invoice()), await settled(8n, await invoice())];
    const { paymentHash } = canceled;
    await bench.ctx.db.manager.update(Bolt11, { paymentHash }, { state: "canceled" });
    const next = await settled(9n, await invoice());
    const reading = await beginReading(watch, KEY);
    await bench.ctx.db.query(
      `ALTER TABLE payments ADD CONSTRAINT broken CHECK (id NOT IN ('${open.paymentHash}', '${paymentHash}'))`,
    );
    for (const event of [open, canceled]) expect(await recordSettled(watch, reading, event)).to.equal(null);
    expect(await recordSettled(watch, reading, next)).to.be.a("string");
    expect([await cursor(), await payments()]).to.deep.equal([[9n, false], 1]);
    const states = await bench.ctx.db.manager.find(Bolt11, { order: { createdAt: "ASC" } });
    expect(states.map(({ state }) => state)).to.have.members(["open", "open", "settled"]);
    expect(bench.ctx.lines.filter(({ level }) => level === "error")).to.have.length(2);
  });

  it("is first written by what was read until then, though a payment passes all of it meanwhile", async () => {
    const reading = await beginReading(watch, KEY);
    await recordSettled(watch, reading, await settled(7n));
    const written = writeCursor(watch, reading);
    reading.ahead.clear();
    await written;
    expect(await cursor()).to.deep.equal([7n, false]);
  });

  it("does not move, and no payment is written, by a process that lost the lease", async () => {
    const reading = await beginReading(watch, KEY);
    await readOther(reading, 1n);
    await bench.ctx.db.query("UPDATE leases SET epoch = epoch + 1");
    const event = await settled(2n, await invoice());
    for (const write of [
      () => recordSettled(watch, reading, event),
      () => readOther(reading, 2n),
      async () => passHole(watch, { ...reading, ahead: new Set([5n]) }, await now()),
    ])
      expect(await write().catch((error: unknown) => error)).to.be.instanceOf(LeaseLostError);
    expect([await cursor(), await payments()]).to.deep.equal([[1n, false], 0]);
  });

  it("accepts an event twice, and one that another process recorded", async () => {
    const reading = await beginReading(watch, KEY);
    const event = await settled(4n, await invoice());
    expect(await recordSettled(watch, reading, event)).to.be.a("string");
    expect(await recordSettled(watch, reading, event)).to.equal(null);
    const seen = await settled(5n, await invoice());
    await recordLightningPayment(bench.ctx, SERVER_NODE_ID, seen);
    expect(await recordSettled(watch, reading, seen)).to.equal(null);
    expect([await cursor(), await payments()]).to.deep.equal([[5n, false], 2]);
    expect(bench.ctx.jobsOf("invoices")).to.deep.equal([]);
  });

  it("waits at a gap over restarts, and passes it after ten minutes and look-ups since", async () => {
    await readOther(await beginReading(watch, KEY), 1n);
    const reading = await beginReading(watch, KEY);
    expect(reading.reached).to.equal(1n);
    await readOther(reading, 3n);
    expect(await cursor()).to.deep.equal([1n, true]);
    const before = await now();
    const again = await beginReading(watch, KEY);
    await readOther(again, 3n);
    await readOther(again, 4n);
    bench.ctx.clock.advance(HOLE_PATIENCE_MS - 5_000);
    expect(await passHole(watch, again, await now())).to.equal(false);
    bench.ctx.clock.advance(5_000);
    expect(await passHole(watch, again, new Date(before.getTime() - 1_000))).to.equal(false);
    expect(await passHole(watch, again, await now())).to.equal(true);
    expect([await cursor(), again.reached, again.ahead.size]).to.deep.equal([[4n, false], 4n, 0]);
  });

  it("goes back to a payment below it that a look-up finds, when LND was restored and counts from the start", async () => {
    const reading = await beginReading(watch, KEY);
    await readOther(reading, 500n);
    expect(await wasSetBack(watch, reading)).to.equal(false);
    await recordLightningPayment(bench.ctx, SERVER_NODE_ID, await settled(3n, await invoice()));
    expect(await cursor()).to.deep.equal([3n, false]);
    expect(await wasSetBack(watch, reading)).to.equal(true);
    await recordLightningPayment(bench.ctx, SERVER_NODE_ID, await settled(9n, await invoice()));
    expect(await cursor(), "what is above it is for the stream to tell").to.deep.equal([3n, false]);
    await recordLightningPayment(bench.ctx, SERVER_NODE_ID, await settled(1n, await invoice()));
    expect(await cursor(), "from 0 LND would tell nothing of the past").to.deep.equal([1n, false]);
  });

  it("is written behind the node's own invoices with the next of ours, or once for many of them", async () => {
    const reading = await beginReading(watch, KEY);
    const others = await statementsOf(bench.ctx.db, async () => {
      for (const index of [2n, 3n, 4n]) await recordSettled(watch, reading, await settled(index));
    });
    expect(others.filter(({ sql }) => /leases|lightning_cursors/.test(sql))).to.deep.equal([]);
    expect(await cursor()).to.equal(null);
    await recordSettled(watch, reading, await settled(5n, await invoice()));
    expect([await cursor(), reading.ahead.size]).to.deep.equal([[5n, false], 0]);
    for (const index of [6n, 7n, 9n]) await recordSettled(watch, reading, await settled(index));
    expect(await cursor()).to.deep.equal([5n, false]);
    await writeCursor(watch, reading);
    expect([await cursor(), [...reading.ahead]]).to.deep.equal([[7n, true], [9n]]);
    const idle = await statementsOf(bench.ctx.db, () => writeCursor(watch, reading));
    expect(idle).to.deep.equal([]);
  });

  it("moves behind a thousand of the node's own invoices at once, whenever a check comes", async () => {
    const reading = await beginReading(watch, KEY);
    for (let index = 1n; index <= 1_000n; index += 1n)
      await recordSettled(watch, reading, await settled(index));
    expect(await cursor()).to.deep.equal([1_000n, false]);
  });

  it("is not stored while LND's identity is unknown", async () => {
    const reading = await beginReading(watch, null);
    await recordSettled(watch, reading, await settled(7n, await invoice()));
    expect(await bench.ctx.db.manager.count(LightningCursor)).to.equal(0);
    expect(await payments()).to.equal(1);
    expect(await passHole(watch, reading, await now())).to.equal(false);
  });
});
