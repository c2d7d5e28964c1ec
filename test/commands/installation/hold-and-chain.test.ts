import { expect } from "chai";
import { endRestoreHold } from "../../../commands/installation/end-hold";
import { finishRestore } from "../../../commands/installation/finish-restore";
import { openBlindGap } from "../../../commands/chain/chain-gaps";
import { noteMissed } from "../../../commands/chain/check-chain";
import { decideDue } from "../../../commands/invoices/decide-due";
import { GIVEN_UP_AFTER_BLOCKS } from "../../../domain/chain/refused-payment";
import { Installation } from "../../../entities/installation";
import type { Store } from "../../../entities/store";
import { ChainBench } from "../../support/chain";
import { buildStore, buildWebhook } from "../../support/factories";

const MINUTE = 60_000;

describe("after a restore, an invoice with a payment that the backup has in no block", () => {
  let bench: ChainBench;
  let store: Store;
  beforeEach(async () => {
    bench = await ChainBench.start();
    store = await buildStore(bench.ctx);
    await buildWebhook(bench.ctx, store);
    await bench.look();
  });
  afterEach(() => bench.stop());

  /** Its payment is in no block, its time was up after the backup, and all of its webhooks were sent. */
  async function processing(
    input: { monitoringSeconds?: number } = {},
  ): Promise<{ id: string; txid: string }> {
    const { id, address } = await bench.invoice({ store, ...input });
    const txid = await bench.node.pay(address, 100_000n);
    await bench.look();
    expect(await bench.status(id)).to.equal("Processing/None");
    await bench.ctx.db.query("UPDATE webhook_deliveries SET state = 'delivered'");
    await bench.agePaid(id, 20);
    await bench.ctx.db.query("UPDATE invoices SET decide_at = monitoring_until");
    return { id, txid };
  }

  async function restore(): Promise<void> {
    const { ctx } = bench;
    await ctx.db.manager.insert(Installation, {
      network: "unfinished-restore",
      secretCheck: Buffer.of(1),
    });
    const takenAt = await bench.now();
    await finishRestore(ctx, { network: "regtest", takenAt, skipAddresses: 0 });
    bench.forget();
  }

  /** The workers, for so long; returns when the hold ended, in minutes, or null while it lasts. */
  async function work(minutes: number): Promise<number | null> {
    let ended: number | null = null;
    for (let passed = 0; passed <= minutes; passed += 0.5) {
      await bench.look();
      await decideDue(bench.ctx);
      if ((await endRestoreHold(bench.ctx)) > 0) ended = passed;
      bench.ctx.clock.advance(MINUTE / 2);
    }
    return ended;
  }

  async function expectHeld(id: string, name: string): Promise<void> {
    const [last] = await bench.ctx.db.query<object[]>(
      `SELECT e.type || '/' || e.additional_status AS name, d.state, d.error
         FROM webhook_deliveries d JOIN invoice_events e ON e.id = d.event_id
        WHERE d.invoice_id = $1 ORDER BY d.event_seq DESC LIMIT 1`,
      [id],
    );
    expect(last).to.deep.equal({ name, state: "failed", error: "held-after-restore" });
    expect(await bench.status(id)).to.equal(name);
  }

  it("sends no second Invalid when its payment was evicted before the loss", async () => {
    const { id, txid } = await processing();
    await restore();
    bench.node.faults.refusal = "bad-txns-inputs-missingorspent";
    await bench.node.dropFromMempool(txid);
    expect(await work(9)).to.equal(null);
    expect(await work(3)).not.to.equal(null);
    await expectHeld(id, "Invalid/None");
  });

  it("sends no second Invalid when its monitoring had ended, but is decided after the first check", async () => {
    const { id } = await processing({ monitoringSeconds: 60 });
    await bench.ctx.db.query(
      "UPDATE payment_method_syncs SET caught_up_to = caught_up_to - interval '1 hour'",
    );
    await restore();
    // Before the chain has been checked it cannot be decided, and is due again later.
    await decideDue(bench.ctx);
    expect(await bench.status(id)).to.equal("Processing/None");
    expect(await work(1)).not.to.equal(null);
    await expectHeld(id, "Invalid/None");
  });

  /** Its payment had been confirmed, and was evicted when what it spends was gone: nobody saw by which transaction. */
  async function lost(): Promise<string> {
    const { id, address } = await bench.invoice({ store });
    const parent = await bench.node.pay(await bench.node.newAddress(), 500_000n, { replaceable: false });
    const txid = await bench.node.pay(address, 100_000n, { spending: parent, replaceable: false });
    await bench.look();
    await block();
    expect(await bench.status(id)).to.equal("Settled/None");
    await bench.node.reorg(1, { exclude: [parent] });
    await bench.look();
    await bench.ctx.db.query("DELETE FROM payment_inputs WHERE ancestor_txid IS NOT NULL");
    await bench.node.doubleSpend(parent);
    await bench.look();
    bench.ctx.clock.advance(11 * MINUTE);
    await block();
    expect(await bench.paymentOf(txid)).to.include({ state: "evicted", givenUp: false });
    await bench.ctx.db.query("UPDATE webhook_deliveries SET state = 'delivered'");
    return id;
  }

  async function block(): Promise<void> {
    await bench.node.mine(1);
    await bench.look();
  }

  /** How many blocks the hold lasts, with two checks after each. */
  async function blocksHeld(most: number): Promise<number | null> {
    for (let mined = 0; mined <= most; mined += 1) {
      if (mined > 0) await bench.node.mine(1);
      for (let checks = 0; checks < 2; checks += 1) {
        await bench.look();
        if ((await endRestoreHold(bench.ctx)) > 0) return mined;
        bench.ctx.clock.advance(MINUTE / 12);
      }
    }
    return null;
  }

  it("sends no second Invalid when its payment is given up six blocks after a gap", async () => {
    const id = await lost();
    await restore();
    await openBlindGap(bench.watch, "the node was restarted");
    // A block after the gap closes it. In the six that follow the inputs are missing.
    expect(await blocksHeld(10)).to.equal(1 + GIVEN_UP_AFTER_BLOCKS);
    await expectHeld(id, "Invalid/None");
  });

  it("sends no second Invalid when the checks paused, and its payment is given up six blocks later", async () => {
    const id = await lost();
    await restore();
    expect(await blocksHeld(2)).to.equal(null);
    bench.ctx.clock.advance(2 * MINUTE);
    noteMissed(bench.view);
    expect(await blocksHeld(10)).to.equal(GIVEN_UP_AFTER_BLOCKS);
    await expectHeld(id, "Invalid/None");
  });

  it("does not keep the hold when a block has its payment", async () => {
    const { id } = await processing();
    await restore();
    await bench.node.mine(1);
    expect(await work(0)).to.equal(0);
    await expectHeld(id, "Settled/None");
  });
});
