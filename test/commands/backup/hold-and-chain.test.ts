import { expect } from "chai";
import { endRestoreHold } from "../../../commands/backup/end-hold";
import { finishRestore } from "../../../commands/backup/finish-restore";
import { decideDueInvoices } from "../../../commands/invoices/decide-due-invoices";
import { Installation } from "../../../entities/installation";
import type { Store } from "../../../entities/store";
import { ChainBench } from "../../support/chain";
import { buildStore, buildWebhook } from "../../support/factories";

const MINUTE = 60_000;

describe("after a restore, an invoice that was Processing in the backup", () => {
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
      await decideDueInvoices(bench.ctx);
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
    bench.node.setMinFeeRate(1_000);
    await bench.node.dropFromMempool(txid);
    expect(await work(9)).to.equal(null);
    expect(await work(3)).not.to.equal(null);
    await expectHeld(id, "Invalid/None");
  });

  it("sends no second Invalid when its payment was replaced before the loss", async () => {
    const { id, txid } = await processing();
    await restore();
    await bench.node.bump(txid, { to: [{ address: await bench.node.newAddress(), amountSats: 90_000n }] });
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
    await decideDueInvoices(bench.ctx);
    expect(await bench.status(id)).to.equal("Processing/None");
    expect(await work(1)).not.to.equal(null);
    await expectHeld(id, "Invalid/None");
  });

  it("sends no second Invalid when its payment had been evicted, came back, and its monitoring ends", async () => {
    const { id } = await processing({ monitoringSeconds: 3_600 });
    await restore();
    expect(await work(1)).to.equal(null);
    bench.ctx.clock.advance(60 * MINUTE);
    expect(await work(1)).not.to.equal(null);
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
