import pg from "pg";
import { createHash } from "node:crypto";
import { createInvoiceOnce } from "../../commands/invoices/create-invoice-once";
import type { CreateInvoiceInput } from "../../commands/invoices/create-invoice";
import { LeaseLostError } from "../../commands/server/lease";
import { SimulatedNode } from "../../scripts/devnet/bitcoin/simulated-node";
import { SimulatedLnd } from "../../scripts/devnet/lightning/simulated-lnd";
import { testDatabaseUrl } from "../support/database";
import { buildStore, buildWebhook } from "../support/factories";
import { Chance } from "./chance";
import { SimulatedClock } from "./clock";
import { Faults, type Life, Stall } from "./faults";
import { Merchant } from "./merchant";
import { Oracle } from "./oracle";
import { SimulatedQueue } from "./queue";
import { type Outside, ServiceProcess } from "./service-process";
import { rememberMost, type Sale } from "./truth";

export interface WorldOptions {
  seed?: number;
  lightning?: boolean;
}

/** What a merchant asks for beside 100,000 sats. */
export type Terms = Partial<CreateInvoiceInput>;

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const COPIES = ["A", "B"] as const;
/** A client of the API gives up, and a claim on an Idempotency-Key runs out, by then. */
const CLIENT_RETRY_SECONDS = 60;
const CLIENT_TRIES = 5;
/** Longer than a statement may wait for a lock. */
const QUIET_WITHIN_MS = 40_000;

/** A network, a merchant and two copies of the service, which live by one clock and one step after the other. */
export class World {
  /** Who did what, in order. */
  readonly story: string[] = [];
  readonly faults = new Faults();
  readonly merchant = new Merchant();
  readonly sales: Sale[] = [];
  /** Those that may still change; the others were judged. */
  openSales: Sale[] = [];
  /** When a transaction, or what it replaces, was first told to the network. */
  readonly sent = new Map<string, number>();
  /** The order that a transaction pays. */
  private readonly paidBy = new Map<string, string>();
  /** Payment hashes of an invoice's BOLT11s that were shown. */
  readonly bolt11s = new Map<string, Set<string>>();
  /** Processes that died since the sales were judged. */
  deaths = 0;
  readonly oracle = new Oracle(this);
  readonly queue = new SimulatedQueue(() => this.clock.nowMs);
  private readonly processes = new Map<string, ServiceProcess>();
  private hints: Buffer[] = [];
  private started = 0;
  private orders = 0;
  private storeId = "";

  private constructor(
    readonly chance: Chance,
    readonly clock: SimulatedClock,
    readonly node: SimulatedNode,
    readonly lnd: SimulatedLnd | null,
    /** Sees the database as it is. */
    readonly eye: pg.Client,
    private readonly databaseUrl: string,
  ) {}

  static async start({ seed = 1, lightning = false }: WorldOptions = {}): Promise<World> {
    const databaseUrl = await testDatabaseUrl();
    const clock = await SimulatedClock.of(databaseUrl);
    const node = await SimulatedNode.start();
    const lnd = lightning ? await SimulatedLnd.start() : null;
    const eye = new pg.Client({ connectionString: databaseUrl, application_name: "simulated eye" });
    eye.on("error", () => undefined); // the database may be dropped before it is closed
    await eye.connect();
    const world = new World(new Chance(seed), clock, node, lnd, eye, databaseUrl);
    node.core.clock = () => Math.floor(clock.nowMs / 1_000);
    if (lnd) lnd.core.nowSeconds = () => Math.floor(clock.nowMs / 1_000);
    node.core.listen({ rawtx: (raw) => void world.hints.push(raw), hashblock: () => undefined });
    await world.open();
    return world;
  }

  async stop(): Promise<void> {
    for (const process of this.processes.values()) await process.stop();
    await this.node.stop();
    await this.lnd?.stop();
    await this.eye.end();
    await this.clock.close();
  }

  tell(what: string): void {
    this.story.push(what);
  }

  /** A new page of the story, whose only fault is planned. */
  begin(): void {
    this.story.length = 0;
    this.openSales = [];
    this.deaths = 0;
    this.merchant.manner = "accepts";
    this.merchant.erred = false;
  }

  /** One step of a copy, which is started again if it has died. It may end in it. */
  async step<T>(copy: string, what: string, run: (process: ServiceProcess) => Promise<T>): Promise<T | null> {
    const process = await this.alive(copy);
    const { life } = process;
    await this.clock.read();
    const hitBefore = this.faults.hits;
    let answer: T | null = null;
    try {
      answer = await Promise.race([run(process), life.ended.then(() => null)]);
    } catch (error) {
      const excused = error instanceof LeaseLostError || this.faults.hits > hitBefore;
      if (!life.over && !excused) throw error;
      this.tell(`${life.name}: ${what} failed: ${String(error)}`);
    }
    if (life.over) await this.bury(process);
    else await this.untilQuiet(life);
    await this.clock.read();
    await this.oracle.look();
    return answer;
  }

  /** A request of the merchant, repeated with its key until it is answered. */
  async create(terms: Terms = {}): Promise<Sale> {
    const orderId = `order-${(this.orders += 1)}`;
    const input = { amount: "100000", currency: "SATS", metadataJson: JSON.stringify({ orderId }), ...terms };
    const requestHash = createHash("sha256").update(JSON.stringify(input)).digest();
    for (let tries = 0; tries < CLIENT_TRIES; tries += 1) {
      const answer = await this.step(this.chance.of(COPIES), "POST invoices", ({ ctx }) =>
        createInvoiceOnce(ctx, this.storeId, input, {
          key: orderId,
          requestHash,
          render: ({ invoice, methods }) =>
            JSON.stringify({
              invoiceId: invoice.id,
              address: methods.find(({ type }) => type === "BTC-CHAIN")?.destination ?? null,
              dueSats: String(invoice.dueSats),
              minDueSats: String(invoice.minDueSats),
              required: invoice.requiredConfirmations,
              createdMs: invoice.createdAt.getTime(),
              expiresMs: invoice.expiresAt.getTime(),
              monitoringMs: invoice.monitoringUntil.getTime(),
            }),
        }),
      );
      if (answer !== null) return this.sell(orderId, answer.text);
      await this.pass(CLIENT_RETRY_SECONDS);
    }
    throw new Error("no invoice was made");
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
    await this.node.reorg(depth, back);
    this.conflicts(doubleSpend);
    const gone = [...exclude, ...doubleSpend].map(shortly).join(" ");
    this.did(`the last ${depth} blocks are replaced, ${gone ? `without ${gone}` : "with all that was in them"}`);
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
    await this.lnd.pay(shown.bolt11);
    this.did(`customer pays the BOLT11 of ${sale.orderId}`);
  }

  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds);
    this.tell(`${seconds} s pass`);
  }

  async passUntil(ms: number): Promise<void> {
    await this.pass(Math.max(0, (ms - this.clock.nowMs) / 1_000 + 1));
  }

  /** What the workers of both copies do in some seconds. */
  async tick(): Promise<void> {
    await this.clock.advance(5);
    for (const copy of COPIES) await this.look(copy);
    await this.sweep(this.chance.of(COPIES));
  }

  async sweep(copy: string): Promise<void> {
    await this.step(copy, "reconcile", (process) => process.reconcile());
    await this.runJobs();
  }

  /** A copy looks at both networks, and the jobs are done. */
  async look(copy = "A"): Promise<void> {
    const raws = this.hints.splice(0);
    if (raws.length > 0) await this.step(copy, "news", (process) => process.lookAtNews(raws));
    await this.step(copy, "chain-watch", (process) => process.watchChain());
    if (this.lnd) await this.step(copy, "lightning-watch", (process) => process.watchLightning());
    await this.runJobs();
  }

  /** A copy dies between two steps. */
  async kill(copy: string): Promise<void> {
    const process = await this.alive(copy);
    this.tell(`${process.life.name} is killed`);
    process.life.end();
    await this.bury(process);
  }

  /** A leader stands still while it looks at the chain, and what happens meanwhile happens behind its back. */
  async stall(copy: string, calls: number, meanwhile: () => Promise<void>): Promise<void> {
    const { life } = await this.alive(copy);
    const stall = (life.stall = new Stall(calls));
    const looking = this.step(copy, "chain-watch", (process) => process.watchChain());
    await Promise.race([stall.reached, looking]);
    this.tell(`${life.name} stands still`);
    try {
      await meanwhile();
    } finally {
      this.tell(`${life.name} goes on`);
      life.stall = null;
      stall.letGo();
      await looking;
    }
  }

  async runJobs(): Promise<void> {
    for (let at = 0; this.queue.due().length > 0; at += 1) {
      if (at > 500) throw new Error("jobs do not end");
      const copy = this.chance.of(COPIES);
      await this.step(copy, "job", (process) => process.runJob((count) => this.chance.pick(count)));
    }
  }

  /** No fault any more: within this bound all comes to its end, and is as it should be. Answers what is wrong still. */
  async settle(ticks = 8): Promise<string[]> {
    this.faults.end();
    let wrong: string[] = [];
    for (let at = 0; at < ticks; at += 1) {
      await this.tick();
      wrong = await this.oracle.judge();
      if (wrong.length === 0) return [];
    }
    return wrong;
  }

  private async open(): Promise<void> {
    const { ctx } = await this.alive("A");
    const store = await buildStore(ctx, { lightning: this.lnd !== null });
    await buildWebhook(ctx, store, "https://merchant.example/hook");
    this.storeId = store.id;
    await this.tick();
  }

  /** By the node's clock, which has whole seconds: what it dates so is in time by them. */
  private nodeMs(): number {
    return this.node.core.clock() * 1_000;
  }

  private sell(orderId: string, answer: string): Sale {
    const told = JSON.parse(answer) as Omit<Sale, "dueSats" | "minDueSats"> & Record<"dueSats" | "minDueSats", string>;
    const sale: Sale = {
      ...told,
      orderId,
      dueSats: BigInt(told.dueSats),
      minDueSats: BigInt(told.minDueSats),
      mostConfirmed: 0n,
      mostInTime: 0n,
      doubleSpent: false,
      wavers: false,
    };
    this.sales.push(sale);
    this.openSales.push(sale);
    this.tell(`${orderId} is ${sale.invoiceId}`);
    return sale;
  }

  /** A transaction was mined that spends what these spend. */
  private conflicts(txids: readonly string[]): void {
    for (const txid of txids) {
      const sale = this.sales.find(({ orderId }) => orderId === this.paidBy.get(txid));
      if (sale) sale.doubleSpent = true;
    }
  }

  private did(what: string): void {
    this.tell(what);
    rememberMost(this);
  }

  private async alive(copy: string): Promise<ServiceProcess> {
    const known = this.processes.get(copy);
    if (known?.life.over === false) return known;
    const process = await ServiceProcess.start(`${copy}${(this.started += 1)}`, this.outside());
    this.processes.set(copy, process);
    return process;
  }

  private outside(): Outside {
    const { databaseUrl, node, lnd, merchant, queue, faults, chance } = this;
    const digit = (): string => BASE58.charAt(chance.pick(BASE58.length));
    return {
      ...{ databaseUrl, node, lnd, merchant, queue, faults },
      randomId: (prefix) => `${prefix}_${Array.from({ length: 24 }, digit).join("")}`,
      tell: (what) => this.tell(what),
    };
  }

  /** What a step left behind is done before the clock goes on. */
  private async untilQuiet(life: Life): Promise<void> {
    const until = performance.now() + QUIET_WITHIN_MS;
    while (life.open > 0 && !life.over) {
      if (performance.now() > until) throw new Error(`${life.name} does not come to rest`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Its connections are closed: Postgres has ended what it had begun. */
  private async bury({ life }: ServiceProcess): Promise<void> {
    this.deaths += 1;
    this.queue.bury(life);
    for (;;) {
      const { rows } = await this.eye.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
        [`simulated ${life.name}`],
      );
      if (rows.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

const shortly = (txid: string): string => txid.slice(0, 8);
