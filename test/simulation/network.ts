import type pg from "pg";
import { PaymentFailure } from "../../scripts/devnet/lightning/lnd-core";
import type { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import type { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";
import type { SimulatedClock } from "./clock";
import { type Networks, rememberMost, type Sale } from "./truth";

/** What customers, miners and time do, and what is true of it. */
export class Network implements Networks {
  /** Who did what, in order. */
  readonly story: string[] = [];
  readonly sales: Sale[] = [];
  openSales: Sale[] = [];
  readonly sent = new Map<string, number>();
  /** The order that a transaction pays. */
  private readonly paidBy = new Map<string, string>();
  readonly bolt11s = new Map<string, Set<string>>();

  constructor(
    readonly clock: SimulatedClock,
    readonly node: SimulatedNode,
    readonly lnd: SimulatedLnd | null,
    /** Sees the database as it is. */
    readonly eye: pg.Client,
  ) {}

  tell(what: string): void {
    this.story.push(what);
  }

  /** The customer pays on-chain; answers the txid. */
  async pay(sale: Sale, sats = sale.dueSats): Promise<string> {
    if (sale.address === null) throw new Error("the sale has no address");
    const txid = await this.node.pay(sale.address, sats);
    this.sent.set(txid, this.nodeMs());
    this.paidBy.set(txid, sale.orderId);
    this.did(`customer pays ${sats} sats for ${sale.orderId} (${shortly(txid)})`);
    return txid;
  }

  /** The customer replaces a payment: by a higher fee, or by one to himself. */
  async replace(txid: string, { back = false } = {}): Promise<string> {
    const own = await this.node.newAddress();
    const next = await this.node.bump(txid, back ? { to: [{ address: own, amountSats: 20_000n }] } : {});
    this.sent.set(next, this.sent.get(txid) ?? this.nodeMs());
    this.paidBy.set(next, this.paidBy.get(txid) ?? "");
    this.did(`customer replaces ${shortly(txid)} by ${shortly(next)}${back ? ", to himself" : ""}`);
    return next;
  }

  async doubleSpend(txid: string): Promise<void> {
    await this.node.doubleSpend(txid);
    this.conflicts([txid]);
    this.did(`a miner mines a double spend of ${shortly(txid)}`);
  }

  async mine(count = 1): Promise<void> {
    await this.node.mine(count);
    this.did(`miners mine ${count}`);
  }

  /** The last blocks are replaced by one more; some transactions go back to the mempool, others are spent otherwise. */
  async reorganise(depth: number, back: Parameters<SimulatedNode["reorg"]>[1] = {}): Promise<void> {
    const { exclude = [], doubleSpend = [] } = back;
    await this.forgetUnseen(depth);
    await this.node.reorg(depth, back);
    this.conflicts(doubleSpend);
    const gone = [...exclude, ...doubleSpend].map(shortly).join(" ");
    this.did(
      `the last ${depth} blocks are replaced, ${gone ? `without ${gone}` : "with all that was in them"}`,
    );
  }

  /** The customer pays the BOLT11 that the page shows. */
  async payLightning(sale: Sale): Promise<void> {
    if (this.lnd === null) throw new Error("the world has no LND");
    const { rows } = await this.eye.query<{ bolt11: string; hash: string }>(
      `SELECT m.destination AS bolt11, b.payment_hash AS hash FROM invoice_payment_methods m
         JOIN bolt11s b ON b.bolt11 = m.destination WHERE m.invoice_id = $1 AND m.type = 'BTC-LN'`,
      [sale.invoiceId],
    );
    const [shown] = rows;
    if (shown === undefined) return this.tell(`no BOLT11 of ${sale.orderId} is shown`);
    this.bolt11s.set(sale.invoiceId, (this.bolt11s.get(sale.invoiceId) ?? new Set()).add(shown.hash));
    try {
      await this.lnd.pay(shown.bolt11);
      this.did(`customer pays the BOLT11 of ${sale.orderId}`);
    } catch (error) {
      if (!(error instanceof PaymentFailure)) throw error;
      this.tell(`customer cannot pay the BOLT11 of ${sale.orderId}: ${error.message}`);
    }
  }

  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds);
    this.tell(`${seconds} s pass`);
  }

  async passUntil(ms: number): Promise<void> {
    await this.pass(Math.max(0, (ms - this.clock.nowMs) / 1_000 + 1));
  }

  /** By the node's clock, which has whole seconds: what it dates so is in time by them. */
  private nodeMs(): number {
    return this.node.core.clock() * 1_000;
  }

  /** What no copy has recorded before its block is undone is dated by nothing any more: it counts from now on. */
  private async forgetUnseen(depth: number): Promise<void> {
    const { chain } = this.node.core;
    for (let height = chain.tip.height - depth + 1; height <= chain.tip.height; height += 1)
      for (const txid of chain.at(height)?.txids ?? []) {
        if (!this.sent.has(txid)) continue;
        const { rows } = await this.eye.query("SELECT 1 FROM payments WHERE txid = $1", [txid]);
        if (rows.length === 0) this.sent.set(txid, this.nodeMs());
      }
  }

  /** A transaction was mined that spends what these spend. */
  private conflicts(txids: readonly string[]): void {
    for (const txid of txids) {
      const sale = this.sales.find(({ orderId }) => orderId === this.paidBy.get(txid));
      if (sale) sale.doubleSpent = true;
    }
  }

  protected did(what: string): void {
    this.tell(what);
    rememberMost(this);
  }
}

const shortly = (txid: string): string => txid.slice(0, 8);
