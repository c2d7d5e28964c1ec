import { makeBitcoindRpc, type BitcoindRpc } from "../../adapters/bitcoind/rpc";
import { advanceConfirmations } from "../../commands/chain/advance-confirmations";
import { changeInvoice } from "../../commands/invoices/change-invoice";
import { decideDue } from "../../commands/invoices/decide-due";
import {
  checkChain,
  newChainView,
  type ChainView,
  type CheckHooks,
  type CheckOutcome,
} from "../../commands/chain/check-chain";
import type { CommandSettings } from "../../commands/context";
import type { Lease } from "../../database/lease";
import type { CreateInvoiceInput } from "../../commands/invoices/create-invoice";
import { readRawTransaction } from "../../commands/chain/payment-transactions";
import type { InvoiceView } from "../../commands/invoices/read-invoice";
import { Alert } from "../../entities/alert";
import { ChainBlock } from "../../entities/chain-block";
import { ChainGap } from "../../entities/chain-gap";
import { Invoice } from "../../entities/invoice";
import { Payment } from "../../entities/payment";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import type { Store } from "../../entities/store";
import type { BitcoinNode } from "./devnet/bitcoin-node";
import type { Chain } from "../../scripts/devnet/bitcoin/chain";
import { NodeCore } from "../../scripts/devnet/bitcoin/node-core";
import { SimulatedNode } from "./devnet/simulated-node";
import { testContext, type TestContext } from "./context";
import { testDatabase } from "./database";
import { buildInvoice, buildStore } from "./factories";
import { longLease } from "./leases";

const REAL_PEERS_MS = 500;

/** Of a check that nobody follows. */
export const idleHooks = (): CheckHooks => ({
  signal: new AbortController().signal,
  onBlock: () => Promise.resolve(),
  onWalked: () => Promise.resolve(),
  onChunk: () => Promise.resolve(),
  onMalformed: () => undefined,
});

/** Hundreds of tests have a node of their own: its first blocks are mined once a process, and are as old as that. */
let firstBlocks: Chain | undefined;

export function startSimulatedNode(): Promise<SimulatedNode> {
  firstBlocks ??= new NodeCore({}).mineFirst().chain;
  return SimulatedNode.start({ chain: firstBlocks });
}

/** A node, simulated where nothing else is said, a database, and the commands of a leading chain-watch, taken step by step. */
export class ChainBench<Node extends BitcoinNode = SimulatedNode> {
  view: ChainView;
  /** Runs before the node hands out a block: between two blocks of a walk. */
  beforeBlock: () => Promise<void> = () => Promise.resolve();

  private constructor(
    readonly node: Node,
    readonly chain: BitcoindRpc,
    readonly ctx: TestContext,
    readonly lease: Lease,
  ) {
    this.view = this.newView();
  }

  static async start(): Promise<ChainBench> {
    return ChainBench.on(await startSimulatedNode());
  }

  static async on<Node extends BitcoinNode>(
    node: Node,
    settings: Partial<CommandSettings> = {},
  ): Promise<ChainBench<Node>> {
    const db = await testDatabase();
    const chain = makeBitcoindRpc({ url: node.rpcUrl });
    const ctx = await testContext({ db, chain, settings });
    const lease = await longLease(db, "chain-watch");
    return new ChainBench(node, chain, ctx, lease);
  }

  async stop(): Promise<void> {
    await this.node.stop();
    await this.ctx.db.destroy();
  }

  get watch(): { ctx: TestContext & { lease: Lease }; chain: BitcoindRpc } {
    const { ctx, chain, lease } = this;
    const rawBlock: BitcoindRpc["rawBlock"] = async (hash) => {
      await this.beforeBlock();
      return chain.rawBlock(hash);
    };
    return { ctx: { ...ctx, lease }, chain: { ...chain, rawBlock } };
  }

  /** From now on jobs are run between the blocks of a walk too. */
  runJobsBetweenBlocks(): void {
    this.beforeBlock = () => this.runJobs();
  }

  /**
   * One complete check, under a lease that is held however long the test takes, the jobs that it asked for, and the sweep. Where peers
   * count it takes two: the first one's ping is answered when the second begins.
   */
  async look(): Promise<CheckOutcome> {
    await this.holdLease();
    const first = this.ctx.settings.minPeers > 0 ? await this.check() : null;
    const second = await this.check();
    const isEarly = !second.caughtUp && second.fault === "unproven";
    const outcome = isEarly && first !== null ? first : second;
    await this.runJobs();
    const held = await this.ctx.db.manager.existsBy(Invoice, { expiryHeld: true });
    if (outcome.caughtUp && held) await decideDue(this.ctx);
    await this.runJobs();
    return outcome;
  }

  private check(): Promise<CheckOutcome> {
    return checkChain(this.watch, this.view, {
      ...idleHooks(),
      onBlock: async ({ height }) => {
        await this.ctx.enqueue("confirmations", [{ height }]);
      },
    });
  }

  /** Peers on this machine send at once what they announced. */
  private newView(): ChainView {
    return newChainView(this.node instanceof SimulatedNode ? 0 : REAL_PEERS_MS);
  }

  async holdLease(): Promise<void> {
    await this.ctx.db.query(`UPDATE leases SET expires_at = clock_timestamp() + interval '1 hour'`);
  }

  /** What the workers would do. */
  async runJobs(): Promise<void> {
    for (let job = this.ctx.jobs.shift(); job; job = this.ctx.jobs.shift()) {
      if (job.queue === "confirmations") await advanceConfirmations(this.ctx);
      if (job.queue === "invoices")
        await changeInvoice(this.ctx, (job.payload as { invoiceId: string }).invoiceId);
    }
  }

  /** The process that led is gone: nothing that it remembered is left. */
  forget(): void {
    this.view = this.newView();
  }

  async invoice(
    input: Partial<CreateInvoiceInput> & { store?: Store } = {},
  ): Promise<{ id: string; address: string; view: InvoiceView }> {
    const view = await buildInvoice(this.ctx, input);
    const address = view.methods.find((method) => method.type === "BTC-CHAIN")?.destination;
    if (!address) throw new Error("the invoice has no address");
    return { id: view.invoice.id, address, view };
  }

  /** An invoice that a payment without a confirmation settles. */
  async zeroConfInvoice(): Promise<{ id: string; address: string; view: InvoiceView }> {
    const store = await buildStore(this.ctx);
    await this.ctx.db.query("UPDATE stores SET zero_conf_max_sats = 1000000 WHERE id = $1", [store.id]);
    return this.invoice({ store, requiredConfirmations: 0 });
  }

  /** Moves an invoice's times into the past, with those of its payments. */
  async agePaid(id: string, minutes: number): Promise<void> {
    await this.age(id, minutes);
    await this.ctx.db.query(
      "UPDATE payments SET first_seen_at = first_seen_at - $2 * interval '1 minute' WHERE invoice_id = $1",
      [id, minutes],
    );
  }

  /** Moves an invoice's times into the past. */
  async age(id: string, minutes: number): Promise<void> {
    await this.ctx.db.query(
      `UPDATE invoices SET created_at = created_at - $2 * interval '1 minute',
         expires_at = expires_at - $2 * interval '1 minute',
         monitoring_until = monitoring_until - $2 * interval '1 minute' WHERE id = $1`,
      [id, minutes],
    );
  }

  /** The invoice's time is up now; it began when it began. */
  async endTime(id: string): Promise<void> {
    await this.ctx.db.query(`UPDATE invoices SET expires_at = $2, decide_at = $2 WHERE id = $1`, [
      id,
      await this.now(),
    ]);
  }

  /** What merchants were sent, in order. */
  async events(id: string): Promise<string[]> {
    const rows = await this.ctx.db.query<{ name: string }[]>(
      `SELECT type || '/' || additional_status AS name FROM invoice_events WHERE invoice_id = $1 ORDER BY seq`,
      [id],
    );
    return rows.map(({ name }) => name);
  }

  async gaps(): Promise<ChainGap[]> {
    return this.ctx.db.manager.find(ChainGap, { order: { id: "ASC" } });
  }

  async status(id: string): Promise<string> {
    const { status, additionalStatus } = await this.ctx.db.manager.findOneByOrFail(Invoice, { id });
    return `${status}/${additionalStatus}`;
  }

  async isHeld(id: string): Promise<boolean> {
    return (await this.ctx.db.manager.findOneByOrFail(Invoice, { id })).expiryHeld;
  }

  async payments(invoiceId: string): Promise<Payment[]> {
    return this.ctx.db.manager.find(Payment, {
      where: { invoiceId },
      order: { firstSeenAt: "ASC", id: "ASC" },
    });
  }

  /** The only payment of a transaction. */
  async paymentOf(txid: string): Promise<Payment> {
    const [payment, ...more] = await this.ctx.db.manager.findBy(Payment, { txid });
    if (!payment || more.length > 0)
      throw new Error(`${txid} has ${more.length + (payment ? 1 : 0)} payments`);
    return payment;
  }

  /** As it is kept to be broadcast again; null when it is not kept any more. */
  async rawTransaction(txid: string): Promise<Buffer | null> {
    return readRawTransaction(this.ctx.db.manager, txid);
  }

  async alerts(kind: Alert["kind"]): Promise<Alert[]> {
    return this.ctx.db.manager.find(Alert, { where: { kind }, order: { at: "ASC" } });
  }

  async methodSync(): Promise<PaymentMethodSync | null> {
    return this.ctx.db.manager.findOneBy(PaymentMethodSync, { type: "BTC-CHAIN" });
  }

  async cursor(): Promise<ChainBlock | null> {
    return this.ctx.db.manager.findOne(ChainBlock, { where: {}, order: { height: "DESC" } });
  }

  async now(): Promise<Date> {
    return this.ctx.now(this.ctx.db.manager);
  }
}
