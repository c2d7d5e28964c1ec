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
import { Network } from "./network";
import { Oracle } from "./oracle";
import { SimulatedQueue } from "./queue";
import { type Outside, ServiceProcess } from "./service-process";
import type { Sale } from "./truth";

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
const DEAD_WITHIN_SECONDS = 16;
const BELIEVED_AFTER_SECONDS = 600;
/** Longer than a statement may wait for a lock. */
const QUIET_WITHIN_MS = 40_000;

/** A network, a merchant and two copies of the service, which live by one clock and one step after the other. */
export class World extends Network {
  readonly faults = new Faults();
  readonly merchant = new Merchant();
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
    clock: SimulatedClock,
    node: SimulatedNode,
    lnd: SimulatedLnd | null,
    eye: pg.Client,
    private readonly databaseUrl: string,
  ) {
    super(clock, node, lnd, eye);
  }

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
    // A dead leader's lease runs out, and what it was sending counts as interrupted.
    if (this.deaths > 0) await this.clock.advance(DEAD_WITHIN_SECONDS);
    let wrong: string[] = [];
    for (let at = 0; at < ticks; at += 1) {
      // A conflict that is first seen after the expiry is believed after ten minutes.
      if (at === ticks / 2) await this.clock.advance(BELIEVED_AFTER_SECONDS);
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

  private sell(orderId: string, answer: string): Sale {
    const told = JSON.parse(answer) as Omit<Sale, "dueSats" | "minDueSats"> &
      Record<"dueSats" | "minDueSats", string>;
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
