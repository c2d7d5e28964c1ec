import type pg from "pg";
import { decodeBolt11 } from "../../domain/lightning/decode-bolt11";
import { PaymentFailure } from "../../scripts/devnet/lightning/lnd-core";
import type { PayOptions, PayTo } from "../support/devnet/bitcoin-node";
import type { SimulatedNode } from "../support/devnet/simulated-node";
import type { StoredInvoice } from "../../scripts/devnet/lightning/invoice-book";
import type { SimulatedLnd } from "../support/devnet/simulated-lnd";
import type { SimulatedClock } from "./clock";
import { type Networks, remember, type Sale } from "./truth";

/** BIP 431: always replaceable. */
const TRUC_VERSION = 3;
/** Above dust. */
const FLOOD_SATS = 300n;
/** The node's clock has whole seconds. */
const NODE_TICK_MS = 1_000;

/** What customers, miners and time do, and what is true of it. */
export class Network implements Networks {
  /** Who did what, in order. */
  readonly story: string[] = [];
  readonly sales: Sale[] = [];
  openSales: Sale[] = [];
  readonly sent = new Map<string, number>();
  readonly firstOf = new Map<string, string>();
  /** Whether the service has seen, or had to see, what a transaction replaced. */
  private readonly replaced = new Map<string, boolean>();
  /** The order that a transaction pays. */
  private readonly paidBy = new Map<string, string>();
  readonly bolt11s = new Map<string, Set<string>>();
  readonly forgotten: StoredInvoice[] = [];
  readonly reopened = new Set<string>();
  /** The service's node hears nothing of the network. */
  alone = false;
  /** When it last lost its peers, or was stopped. */
  lostMs = Infinity;
  /** When it last found its peers. */
  private rejoinedMs = 0;

  /** Transactions that no zero-confirmation store takes unconfirmed. */
  readonly risky = new Set<string>();
  /** Those that the service's node did not hear of when they were sent. */
  private readonly hidden = new Set<string>();

  constructor(
    readonly clock: SimulatedClock,
    /** The network's own: what it has is true. */
    readonly node: SimulatedNode,
    /** The one that the service asks; the same where the service's node is the whole network. */
    readonly ours: SimulatedNode,
    /** The server's, if it has one, first. */
    readonly lnds: SimulatedLnd[],
    /** Sees the database as it is. */
    readonly eye: pg.Client,
  ) {}

  tell(what: string): void {
    this.story.push(what);
  }

  /** The customer pays on-chain; answers the txid. */
  async pay(sale: Sale, sats = sale.dueSats, options: PayOptions = {}): Promise<string> {
    if (sale.address === null) throw new Error("the sale has no address");
    const txid = await this.node.pay(sale.address, sats, options);
    this.sent.set(txid, this.nodeMs());
    this.noteSent(txid, sale.orderId);
    await this.did(`customer pays ${sats} sats for ${sale.orderId} (${shortly(txid)})`);
    return txid;
  }

  /** Somebody who knows the address sends very many small outputs to it. */
  async flood(sale: Sale, transactions: number, outputs: number): Promise<void> {
    if (sale.address === null) throw new Error("the sale has no address");
    const to: PayTo[] = Array<PayTo>(outputs).fill({ address: sale.address, amountSats: FLOOD_SATS });
    for (let at = 0; at < transactions; at += 1) {
      const txid = await this.node.payMany(to);
      this.sent.set(txid, this.nodeMs());
      this.noteSent(txid, sale.orderId);
    }
    await this.did(`${transactions} transactions of ${outputs} outputs each pay for ${sale.orderId}`);
  }

  /** The customer pays by what the page shows. */
  async payAsShown(sale: Sale): Promise<void> {
    if (sale.address === null) await this.payLightning(sale);
    else await this.pay(sale);
  }

  /** The customer pays for a sale with money that he has just sent to himself; answers both txids. */
  async payWithParent(sale: Sale, options: PayOptions = {}): Promise<{ parent: string; txid: string }> {
    const own = await this.node.newAddress();
    const parent = await this.node.pay(own, sale.dueSats * 2n, options);
    this.paidBy.set(parent, sale.orderId);
    this.tell(`customer sends himself the money for ${sale.orderId} (${shortly(parent)})`);
    return { parent, txid: await this.pay(sale, sale.dueSats, { ...options, spending: parent }) };
  }

  /** The customer replaces a payment: by a higher fee, by one to himself, or by one that leaves less for the sale. */
  async replace(
    txid: string,
    { back = false, leave }: { back?: boolean; leave?: bigint } = {},
  ): Promise<string> {
    const own = await this.node.newAddress();
    const to: PayTo[] = back || leave !== undefined ? [{ address: own, amountSats: 20_000n }] : [];
    const { address } = this.saleOf(txid);
    if (leave !== undefined && address !== null) to.push({ address, amountSats: leave });
    const next = await this.node.bump(txid, to.length > 0 ? { to } : {});
    this.firstOf.set(next, this.firstOf.get(txid) ?? txid);
    // It inherits the date of what the service has seen, or had to see.
    const [unseen] = await this.unseen([txid]);
    this.sent.set(next, unseen === undefined ? (this.sent.get(txid) ?? this.nodeMs()) : this.nodeMs());
    this.noteSent(next, this.saleOf(txid).orderId);
    if (back) this.saleOf(txid).contested = true;
    this.replaced.set(next, unseen === undefined || this.replaced.get(txid) === true);
    await this.did(`customer replaces ${shortly(txid)} by ${shortly(next)}${back ? ", to himself" : ""}`);
    return next;
  }

  /** Answers what undoes its block: the double spend is forgotten, and the payment is sent again. */
  async doubleSpend(txid: string): Promise<() => Promise<void>> {
    const { core } = this.node;
    const paid = core.mempool.entries.get(txid)?.tx;
    const spender = await this.node.doubleSpend(txid);
    await this.dateUnseen(this.inLastBlocks(1));
    this.conflicts([txid]);
    await this.did(`a miner mines a double spend of ${shortly(txid)}`, true);
    return async () => {
      core.invalidate(core.chain.tip.hash);
      core.drop(spender);
      if (paid !== undefined) core.broadcast(paid);
      for (const none of [[], []]) core.mineOne(core.wallet.rewardScript, none);
      this.saleOf(txid).doubleSpent = false;
      await this.did(`its block is undone, and ${shortly(txid)} is back`, true);
    };
  }

  async mine(count = 1): Promise<void> {
    await this.node.mine(count);
    const mined = this.inLastBlocks(count);
    await this.dateUnseen(mined);
    this.noteReplaced(mined);
    for (const sale of this.openSales) sale.contested = false;
    await this.did(`miners mine ${count}`);
  }

  /** The last blocks are replaced by one more; some transactions go back to the mempool, others are spent otherwise. */
  async reorganise(depth: number, back: Parameters<SimulatedNode["reorg"]>[1] = {}): Promise<void> {
    const { exclude = [], doubleSpend = [] } = back;
    const undone = this.inLastBlocks(depth);
    for (const txid of await this.unseen(undone)) this.sent.set(txid, this.nodeMs());
    await this.leaveBlocks(undone);
    await this.node.reorg(depth, back);
    await this.dateUnseen(this.inLastBlocks(depth + 1));
    this.conflicts(doubleSpend);
    const gone = [...exclude, ...doubleSpend].map(shortly).join(" ");
    await this.did(
      `the last ${depth} blocks are replaced, ${gone ? `without ${gone}` : "with all that was in them"}`,
      true,
    );
  }

  /** The customer pays the BOLT11 that the page shows. `held`: it has arrived, and LND has not settled it yet. */
  async payLightning(sale: Sale, { held = false } = {}): Promise<void> {
    const bolt11 = await this.shownBolt11(sale);
    if (bolt11 === null) return this.tell(`no BOLT11 of ${sale.orderId} is shown`);
    await this.payBolt11(sale, bolt11, { held });
  }

  /** What the page shows now. */
  async shownBolt11({ invoiceId }: Sale): Promise<string | null> {
    const { rows } = await this.eye.query<{ bolt11: string }>(
      `SELECT destination AS bolt11 FROM invoice_payment_methods
        WHERE invoice_id = $1 AND type = 'BTC-LN' AND destination IS NOT NULL`,
      [invoiceId],
    );
    return rows[0]?.bolt11 ?? null;
  }

  /** The customer pays what the page has shown at some time. */
  async payBolt11(sale: Sale, bolt11: string, { held = false } = {}): Promise<void> {
    const { paymentHash, payeeKey } = decodeBolt11(bolt11);
    const lnd = sale.shop.nodes.find(({ nodeKey }) => nodeKey === payeeKey);
    if (lnd === undefined) throw new Error(`the BOLT11 of ${sale.orderId} pays no node of its store`);
    this.bolt11s.set(sale.invoiceId, (this.bolt11s.get(sale.invoiceId) ?? new Set()).add(paymentHash));
    try {
      if (held) lnd.hold(bolt11);
      else await lnd.pay(bolt11);
      await this.did(`customer pays the BOLT11 of ${sale.orderId}${held ? ", which is held" : ""}`);
    } catch (error) {
      if (!(error instanceof PaymentFailure)) throw error;
      this.tell(`customer cannot pay the BOLT11 of ${sale.orderId}: ${error.message}`);
    }
  }

  /** LND settles what it holds for a sale; what was canceled the customer has back. */
  async settleHeld(sale: Sale): Promise<void> {
    for (const { lnd, bolt11 } of this.heldFor(sale)) lnd.settleHeld(bolt11);
    await this.did(`LND settles what it holds for ${sale.orderId}`);
  }

  /** What LND holds for a sale goes back to the customer. */
  async releaseHeld(sale: Sale): Promise<void> {
    for (const { lnd, paymentHash } of this.heldFor(sale)) lnd.core.book.cancel(paymentHash);
    await this.did(`LND gives back what it holds for ${sale.orderId}`);
  }

  private heldFor({ invoiceId, shop }: Sale): (StoredInvoice & { lnd: SimulatedLnd })[] {
    const hashes = this.bolt11s.get(invoiceId) ?? new Set();
    return shop.nodes.flatMap((lnd) =>
      lnd.core.book
        .addedAfter(0)
        .filter(({ paymentHash, state }) => state === "ACCEPTED" && hashes.has(paymentHash))
        .map((held) => ({ ...held, lnd })),
    );
  }

  /** LND's wallet is locked, as after a restart: it answers nobody, and nobody can pay. */
  async lockLnd(lnd: SimulatedLnd): Promise<void> {
    lnd.setState("LOCKED");
    await this.did("an LND is locked");
  }

  async unlockLnds(): Promise<void> {
    const locked = this.lnds.filter(({ core }) => core.walletState !== "SERVER_ACTIVE");
    for (const lnd of locked) lnd.setState("SERVER_ACTIVE");
    if (locked.length > 0) await this.did("LND is unlocked");
  }

  /** Some things happen, and then LND's operator puts the database of before in place: LND knows nothing of them. */
  async restoreLnd(between: () => Promise<void>): Promise<void> {
    const [lnd] = this.lnds;
    if (lnd === undefined) throw new Error("the world has no LND");
    const { book } = lnd.core;
    const kept = book.backUp();
    await between();
    const before = new Set(
      kept.filter(({ state }) => state === "SETTLED").map(({ paymentHash }) => paymentHash),
    );
    const lost = book.settledAfter(0).filter(({ paymentHash }) => !before.has(paymentHash));
    const { rows } = await this.eye.query<{ id: string }>("SELECT id FROM payments WHERE id = ANY($1)", [
      lost.map(({ paymentHash }) => paymentHash),
    ]);
    // What was not read before nobody can know.
    this.forgotten.push(...lost.filter(({ paymentHash }) => rows.some(({ id }) => id === paymentHash)));
    const canceled = kept
      .filter(({ state, paymentHash }) => state === "OPEN" && book.get(paymentHash).state === "CANCELED")
      .map(({ paymentHash }) => paymentHash);
    for (const hash of canceled) this.reopened.add(hash);
    book.restore(kept);
    await this.did("LND's database is restored from a backup");
  }

  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds);
    this.tell(`${seconds} s pass`);
  }

  async passUntil(ms: number): Promise<void> {
    await this.pass(Math.max(0, (ms - this.clock.nowMs) / 1_000 + 1));
  }

  /** What is sent from now on the service's node does not hear of, nor of new blocks. */
  async isolate(): Promise<void> {
    await this.ours.disconnect();
    this.lostMs = this.clock.nowMs;
    this.leaveAlone();
    this.tell("the service's node loses its peers");
  }

  /** So it is, though its peers are listed. */
  async loseLine(): Promise<void> {
    await this.ours.loseLine();
    this.leaveAlone();
    this.tell("the line to the node's peers is dead");
  }

  /** The service's node stands still: what its peers send waits, and its connections stay. */
  stopReading(): void {
    this.leaveAlone();
    this.ours.core.peers.stopReading();
    this.tell("the service's node stands still");
  }

  /** It reads on. */
  async readOn(): Promise<void> {
    this.ours.core.peers.readOn();
    this.alone = false;
    this.rejoinedMs = this.clock.nowMs;
    await this.did("the service's node reads what its peers have sent");
  }

  /** The service's node refuses what it does not have, by a rule of its own; others do not. Or it takes that again. */
  refuse(refuses: boolean): void {
    this.ours.core.faults.refusal = refuses ? "min relay fee not met, 100 < 200" : null;
    this.tell(`the service's node ${refuses ? "refuses by its policy what it lacks" : "refuses nothing"}`);
  }

  /** A block that leaves the mempool as it is. */
  async mineEmpty(): Promise<void> {
    const { core } = this.node;
    core.mineOne(core.wallet.rewardScript, []);
    await this.did("miners mine an empty block");
  }

  /** Blocks come, and what is sent from now on; nobody announces what was sent before. */
  async rejoin(): Promise<void> {
    await this.ours.disconnect();
    await this.ours.connect(this.node);
    this.alone = false;
    this.rejoinedMs = this.clock.nowMs;
    await this.did("the service's node finds peers");
  }

  /** Some time passes in which the service's node is down. */
  async restart(
    seconds: number,
    meanwhile: () => Promise<void>,
    kept: { mempool?: boolean } = {},
  ): Promise<void> {
    this.tell("the service's node goes down");
    await this.ours.halt();
    this.lostMs = this.clock.nowMs;
    this.leaveAlone();
    await meanwhile();
    await this.pass(seconds);
    await this.ours.restart(kept);
    this.tell(`the service's node is back${kept.mempool === false ? ", without its mempool" : ""}`);
    if (this.ours !== this.node) await this.rejoin();
  }

  /** The service's node has no room any more for a payment that the service knows; others keep it. */
  async evict(txid: string): Promise<void> {
    const { rows } = await this.eye.query("SELECT 1 FROM payments WHERE txid = $1 AND state = 'pending'", [
      txid,
    ]);
    if (rows.length === 0 || !this.ours.core.mempool.entries.has(txid)) return;
    this.ours.core.drop(txid);
    await this.did(`the service's node evicts ${shortly(txid)}`);
  }

  /** Until a check that began after the node found its peers is complete, the service cannot know what it missed. */
  protected async isInGap(): Promise<boolean> {
    return this.alone || (await this.checkedMs()) <= this.rejoinedMs;
  }

  private leaveAlone(): void {
    this.alone = true;
    for (const sale of this.openSales) sale.blind = true;
  }

  private noteSent(txid: string, orderId: string): void {
    this.paidBy.set(txid, orderId);
    const { mempool } = this.node.core;
    const version = mempool.entries.get(txid)?.tx.version;
    if (version === TRUC_VERSION || mempool.isReplaceable(txid) || mempool.ancestors(txid).length > 0)
      this.risky.add(txid);
    if (!this.ours.core.mempool.entries.has(txid)) this.hidden.add(txid);
  }

  /** By the node's clock, which has whole seconds: what it dates so is in time by them. */
  private nodeMs(): number {
    return this.node.core.clock() * 1_000;
  }

  /**
   * What comes late, while nobody has checked since the invoice expired, and is in a block before somebody does, is dated
   * by nothing that the service knows: it is in time, since the merchant was not notified of anything else. In a block after
   * the monitoring it may be dated by that block.
   */
  private async dateUnseen(txids: readonly string[]): Promise<void> {
    const checkedMs = await this.checkedMs();
    // A block's time is above the median of those before it, and so at times ahead of the clock.
    const minedMs = Math.max(this.nodeMs(), this.node.core.chain.tip.block.timestamp * 1_000);
    for (const txid of await this.unseen(txids)) {
      const sale = this.saleOf(txid);
      const { expiresMs, monitoringMs } = sale;
      const sentMs = this.sent.get(txid) ?? 0;
      sale.undated ||= sentMs <= monitoringMs && minedMs > monitoringMs;
      if (checkedMs >= expiresMs || sentMs <= expiresMs) continue;
      this.sent.set(txid, expiresMs);
      sale.undated = true;
    }
  }

  private async leaveBlocks(txids: readonly string[]): Promise<void> {
    const { rows } = await this.eye.query<{ txid: string }>(
      "SELECT DISTINCT txid FROM payments WHERE txid = ANY($1) AND block_height IS NOT NULL",
      [txids],
    );
    for (const txid of txids) {
      const sale = this.sales.find(({ orderId }) => orderId === this.paidBy.get(txid));
      if (sale === undefined) continue;
      sale.leftBlock = true;
      if (rows.some((row) => row.txid === txid)) sale.leftBlockMs = this.clock.nowMs;
    }
  }

  private inLastBlocks(count: number): string[] {
    const { chain } = this.node.core;
    const { height } = chain.tip;
    return Array.from({ length: count }, (_, back) => chain.at(height - back)?.txids ?? []).flat();
  }

  /**
   * Customers' transactions of which the service knows nothing, and need not: it has completed no check since they were
   * sent. Those that a block gives back to the mempool are dated anew by the node, and so by everybody.
   */
  private async unseen(txids: readonly string[]): Promise<string[]> {
    const checkedMs = await this.checkedMs();
    const young = txids.filter((txid) => {
      const sentMs = this.sent.get(txid);
      return sentMs !== undefined && (sentMs + NODE_TICK_MS > checkedMs || this.hidden.has(txid));
    });
    if (young.length === 0) return [];
    const { rows } = await this.eye.query<{ txid: string }>(
      "SELECT DISTINCT txid FROM payments WHERE txid = ANY($1)",
      [young],
    );
    return young.filter((txid) => rows.every((row) => row.txid !== txid));
  }

  /** When the service's last complete check of the chain began. */
  private async checkedMs(): Promise<number> {
    const { rows } = await this.eye.query<{ ms: number | null }>(
      "SELECT extract(epoch FROM caught_up_to)::float8 * 1000 AS ms FROM payment_method_syncs WHERE type = 'BTC-CHAIN'",
    );
    return rows[0]?.ms ?? 0;
  }

  /** What these replaced is double-spent now; whether the service knows it is open where it saw nothing of that. */
  private noteReplaced(mined: readonly string[]): void {
    for (const txid of mined) {
      const seen = this.replaced.get(txid);
      if (seen === true) this.saleOf(txid).doubleSpent = true;
      else if (seen === false) this.saleOf(txid).wavers = true;
    }
  }

  /** A transaction was mined that spends what these spend. */
  private conflicts(txids: readonly string[]): void {
    for (const txid of txids) this.saleOf(txid).doubleSpent = true;
  }

  /** The sale that a transaction pays. */
  private saleOf(txid: string): Sale {
    const sale = this.sales.find(({ orderId }) => orderId === this.paidBy.get(txid));
    if (sale === undefined) throw new Error(`${txid} pays for nothing`);
    return sale;
  }

  /** Something has happened, and is true from now on. */
  protected async did(what: string, byBlock = false): Promise<void> {
    this.tell(what);
    remember(this, await this.clock.read(), byBlock);
  }
}

const shortly = (txid: string): string => txid.slice(0, 8);
