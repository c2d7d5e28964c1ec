import pg from "pg";
import { createHash } from "node:crypto";
import { archiveInvoice } from "../../commands/invoices/edit-invoice";
import { markInvoice } from "../../commands/invoices/mark-invoice";
import { redeliverWebhook } from "../../commands/webhooks/redeliver-webhook";
import type { Mark } from "../../domain/invoice/status";
import { createInvoiceOnce } from "../../commands/invoices/create-invoice-once";
import type { CreateInvoiceInput } from "../../commands/invoices/create-invoice";
import { connectNode, removeLightning } from "../../commands/lightning/connect-node";
import { rescanChain } from "../../commands/chain/rescan-chain";
import type { CommandContext } from "../../commands/context";
import { changeStore } from "../../commands/stores/change-store";
import { createStore } from "../../commands/stores/create-store";
import { allowWalletChangesByKey, changeWallet } from "../../commands/wallets/change-wallet";
import { DomainError } from "../../domain/errors";
import { LeaseLostError } from "../../database/lease";
import { SimulatedNode } from "../support/devnet/simulated-node";
import { SimulatedLnd } from "../support/devnet/simulated-lnd";
import { testDatabaseUrl } from "../support/database";
import { buildStore, buildWebhook, newXpub } from "../support/factories";
import { Chance } from "./chance";
import { SimulatedClock } from "./clock";
import type { DatabaseHost } from "./faulty-database";
import { Faults, type Life, Stall, type StallPoint } from "./faults";
import { Merchant } from "./merchant";
import { MerchantWallet } from "./merchant-wallet";
import { Network } from "./network";
import { Oracle } from "./oracle";
import { SimulatedQueue } from "./queue";
import { type Outside, ServiceProcess } from "./service-process";
import type { Sale, Shop } from "./truth";

export interface WorldOptions {
  seed?: number;
  lightning?: boolean;
  /** Two more stores, each with an LND of its own. */
  stores?: boolean;
  /** Its LND deletes what is canceled, and the macaroon hides which node it is. */
  hidden?: boolean;
  /** The service's node is one of two; else it is the whole network. */
  peers?: boolean;
  /** The store takes payments without a confirmation. */
  zeroConf?: boolean;
}

/** What a merchant asks for beside 100,000 sats. */
export type Terms = Partial<CreateInvoiceInput>;

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const COPIES = ["A", "B"] as const;
/** A client of the API gives up, and a claim on an Idempotency-Key runs out, by then. */
const CLIENT_RETRY_SECONDS = 60;
const CLIENT_TRIES = 5;
const OPERATOR_TRIES = 8;
const DEAD_WITHIN_SECONDS = 16;
const KEEPS_LEASE_SECONDS = 4;
/** Every wait has a deadline that is shorter. */
const WAITS_SECONDS = 60;
/** Within this time the system finds that the other end of an idle connection is gone. */
const PROBED_SECONDS = 20;
/** And the service, that a statement is not answered. */
const SILENT_SECONDS = 40;
/** And the system, that nobody takes what was sent. */
const GIVEN_UP_SECONDS = 950;
/** A conflict in the mempool that is first seen after the expiry. */
const BELIEVED_AFTER_SECONDS = 600;
/** Longer than a statement may wait for a lock. */
const QUIET_WITHIN_MS = 40_000;
/** A node that has been there for long. */
const UP_SECONDS = 86_400;
const ZERO_CONF_MAX_SATS = 1_000_000n;
const LOCK_POLL_MS = 10;

/** A network, a merchant and two copies of the service, which live by one clock and one step after the other. */
export class World extends Network {
  readonly faults = new Faults();
  readonly merchant = new Merchant();
  /** Events that the merchant asked for again, and how often. */
  readonly redelivered = new Map<string, number>();
  /** Processes that died since the sales were judged. */
  deaths = 0;
  readonly oracle = new Oracle(this);
  readonly queue = new SimulatedQueue(() => this.clock.nowMs);
  private readonly processes = new Map<string, ServiceProcess>();
  /** What the node has published, and a copy has not taken yet. */
  private readonly hints: Record<string, Buffer[]> = { A: [], B: [] };
  private started = 0;
  private orders = 0;
  readonly shops: Shop[] = [];
  private stalled: string | null = null;
  /** The database's host has vanished, and not everybody has noticed. */
  private silent = false;
  private hasNode = true;
  /** The copy whose APP_SECRET is another one. */
  private stranger: string | null = null;
  private readonly databaseHost: DatabaseHost = {
    vanish: () => {
      this.silent = true;
      return this.vanish();
    },
    beNoticed: () => this.beNoticed().finally(() => (this.silent = false)),
  };

  private constructor(
    readonly chance: Chance,
    clock: SimulatedClock,
    nodes: { node: SimulatedNode; ours: SimulatedNode; lnds: SimulatedLnd[] },
    eye: pg.Client,
    private readonly databaseUrl: string,
    /** The store takes payments without a confirmation. */
    readonly zeroConf: boolean,
    private readonly hidesNode: boolean,
  ) {
    super(clock, nodes.node, nodes.ours, nodes.lnds, eye);
    const nowSeconds = (): number => Math.floor(clock.networkMs / 1_000);
    this.node.core.clock = this.ours.core.clock = nowSeconds;
    this.ours.core.startedAt = nowSeconds() - UP_SECONDS;
    for (const { core } of this.lnds) core.nowSeconds = nowSeconds;
    const rawtx = (raw: Buffer): void => Object.values(this.hints).forEach((waiting) => waiting.push(raw));
    this.ours.core.listen({ rawtx, hashblock: () => undefined });
    this.faults.wait = (seconds) => this.clock.advance(seconds);
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const { seed = 1, lightning, stores, hidden = false, peers, zeroConf = false } = options;
    const databaseUrl = await testDatabaseUrl();
    const clock = await SimulatedClock.of(databaseUrl);
    const node = await SimulatedNode.start();
    const lnds = lightning || stores ? [await SimulatedLnd.start()] : [];
    for (const { core } of lnds) core.book.forgetsCanceled = hidden;
    const eye = new pg.Client({ connectionString: databaseUrl, application_name: "simulated eye" });
    eye.on("error", () => undefined); // the database may be dropped before it is closed
    await eye.connect();
    const ours = peers ? await SimulatedNode.start({ empty: true }) : node;
    const world = new World(
      new Chance(seed),
      clock,
      { node, ours, lnds },
      eye,
      databaseUrl,
      zeroConf,
      hidden,
    );
    if (peers) await ours.connect(node);
    await world.open();
    for (let more = stores ? 2 : 0; more > 0; more -= 1) await world.connectLnd(await world.openShop());
    return world;
  }

  async stop(): Promise<void> {
    for (const process of this.processes.values()) await process.stop();
    await this.node.stop();
    if (this.ours !== this.node) await this.ours.stop();
    for (const lnd of this.lnds) await lnd.stop();
    await this.eye.end();
    await this.clock.close();
  }

  /** A new page of the story, whose only fault is planned. Nothing is left to do of those before. */
  async begin(): Promise<void> {
    if (this.node.core.mempool.entries.size > 0) {
      await this.mine();
      await this.tick();
    }
    this.story.length = 0;
    this.openSales = [];
    this.deaths = 0;
    this.merchant.manner = "accepts";
    this.merchant.erred = false;
    for (const { nodes } of this.shops)
      for (const lnd of nodes.splice(0, nodes.length - 1)) {
        this.lnds.splice(this.lnds.indexOf(lnd), 1);
        await lnd.stop();
      }
  }

  /** One step of a copy, which is started again if it has died. It may end in it. */
  async step<T>(copy: string, what: string, run: (process: ServiceProcess) => Promise<T>): Promise<T | null> {
    const process = await this.alive(copy);
    const { life } = process;
    const { stall } = life;
    const beganMs = this.clock.nowMs;
    const hitBefore = this.faults.hits;
    // Beside one that stands still: a copy that has not noticed yet hears of it now.
    const isSilent = this.silent;
    let answer: T | null = null;
    try {
      answer = await Promise.race([run(process), life.ended.then(() => null)]);
    } catch (error) {
      const excused = error instanceof LeaseLostError || isSilent || this.faults.hits > hitBefore;
      if (!life.over && !excused) throw error;
      this.tell(`${life.name}: ${what} failed: ${String(error)}`);
    }
    if (life.over) await this.bury(process);
    else await this.untilQuiet(life);
    await this.oracle.look();
    const seconds = (this.clock.nowMs - beganMs) / 1_000;
    // However it was hit; one that stands still does not know how long it was.
    if (stall === null && seconds > WAITS_SECONDS * (1 + this.faults.hits - hitBefore))
      throw new Error(`${life.name}: ${what} took ${Math.round(seconds)} s`);
    return answer;
  }

  /** A request of the merchant, repeated with its key until it is answered. */
  async create(terms: Terms = {}, shop = this.firstShop): Promise<Sale> {
    const orderId = `order-${(this.orders += 1)}`;
    const input = { amount: "100000", currency: "SATS", metadataJson: JSON.stringify({ orderId }), ...terms };
    const requestHash = createHash("sha256").update(JSON.stringify(input)).digest();
    for (let tries = 0; tries < CLIENT_TRIES; tries += 1) {
      const answer = await this.step(this.anyone(), "POST invoices", ({ ctx }) =>
        createInvoiceOnce(ctx, shop.id, input, {
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
      if (answer !== null) return this.sell(shop, orderId, answer.text);
      await this.pass(CLIENT_RETRY_SECONDS);
    }
    throw new Error("no invoice was made");
  }

  /** What the workers of both copies do in some seconds. */
  async tick(): Promise<void> {
    await this.clock.advance(5);
    for (const copy of COPIES) await this.look(copy);
    await this.sweep(this.anyone());
  }

  async sweep(copy: string): Promise<void> {
    await this.step(copy, "reconcile", (process) => process.reconcile());
    await this.runJobs();
  }

  /** A copy checks both networks, and the jobs are done. */
  async look(copy = "A"): Promise<void> {
    if (this.hints[copy]?.length) await this.step(copy, "news", (process) => process.hear());
    await this.step(copy, "chain-watch", (process) => process.watchChain());
    if (this.lnds.length > 0) await this.step(copy, "lightning-watch", (process) => process.watchLightning());
    await this.runJobs();
  }

  /** The merchant archives an invoice: it is watched like any other. */
  async archive({ invoiceId, orderId, shop }: Sale): Promise<void> {
    this.tell(`the merchant archives ${orderId}`);
    await this.step(this.anyone(), "archive", ({ ctx }) => archiveInvoice(ctx, shop.id, invoiceId, true));
  }

  /** The merchant marks an invoice by hand, and asks again until that is answered. */
  async mark(sale: Sale, to: Mark): Promise<void> {
    const { invoiceId, orderId, shop } = sale;
    const before = this.oracle.lastOf(sale);
    const confirms = to === "Invalid" && sale.mark === null;
    this.tell(`the merchant marks ${orderId} ${to}`);
    sale.marking = to;
    let answer: "done" | "refused" | null = null;
    let unheard = false;
    for (let tries = 0; answer === null && tries < CLIENT_TRIES; tries += 1) {
      unheard = tries > 0;
      answer = await this.step(this.anyone(), "POST status", ({ ctx }) =>
        markInvoice(ctx, shop.id, invoiceId, { status: to }).then(
          () => "done" as const,
          (error: unknown) => {
            if (!(error instanceof DomainError)) throw error;
            return "refused" as const;
          },
        ),
      );
    }
    sale.marking = null;
    this.tell(`the mark is ${answer ?? "not answered"}`);
    const was = (status: string): boolean => status.startsWith(to);
    if (!unheard && answer === "done" && was(before) && !confirms)
      throw new Error(`${orderId} is marked ${to} once more`);
    if (!unheard && answer === "refused" && !was(this.oracle.lastOf(sale)))
      throw new Error(`${orderId} cannot be marked ${to}`);
    if (answer === "done" || (unheard && (await this.oracle.isMarked(sale, to)))) {
      sale.mark = to;
      sale.markedMs = this.clock.nowMs;
    }
  }

  /** The merchant has one of the sale's deliveries sent again, once. */
  async redeliver({ invoiceId, orderId, shop }: Sale, { first = false } = {}): Promise<void> {
    const { rows } = await this.eye.query<{ deliveryId: string; eventId: string }>(
      `SELECT d.id AS "deliveryId", e.id AS "eventId" FROM webhook_deliveries d JOIN invoice_events e ON e.id = d.event_id
        WHERE d.invoice_id = $1 ORDER BY e.seq`,
      [invoiceId],
    );
    const { deliveryId, eventId } = this.chance.of(first ? rows.slice(0, 1) : rows);
    this.redelivered.set(eventId, (this.redelivered.get(eventId) ?? 0) + 1);
    this.tell(`the merchant asks for a delivery of ${orderId} again`);
    await this.step(this.anyone(), "POST redeliver", ({ ctx }) =>
      redeliverWebhook(ctx, { storeId: shop.id, deliveryId }).catch((error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        this.tell(`it is refused: ${error.code}`);
      }),
    );
  }

  /** The operator reads blocks again, until it is done. */
  async rescan(fromHeight: number): Promise<void> {
    for (let tries = 0; tries < OPERATOR_TRIES; tries += 1) {
      await this.tick();
      if ((await this.oracle.whyNotAtTip()) !== null) continue;
      const done = await this.step(this.anyone(), "rescan", ({ ctx }) => rescanChain(ctx, fromHeight));
      if (done !== null) return;
    }
    throw new Error("no rescan came to its end");
  }

  /** Whether the service knows that it misses what the network sends. */
  async isBlind(): Promise<boolean> {
    const { rows } = await this.eye.query("SELECT 1 FROM chain_gaps WHERE ended_at IS NULL");
    return rows.length > 0;
  }

  /** A copy dies between two steps. */
  async kill(copy: string): Promise<void> {
    const process = await this.alive(copy);
    this.tell(`${process.life.name} is killed`);
    process.life.end();
    await this.bury(process);
  }

  /** The copy that leads chain-watch, or will, and the other one. */
  async roles(): Promise<{ leader: string; standby: string }> {
    const { rows } = await this.eye.query<{ holder: string }>(
      "SELECT holder FROM leases WHERE name = 'chain-watch'",
    );
    return rows[0]?.holder.startsWith("B") ? { leader: "B", standby: "A" } : { leader: "A", standby: "B" };
  }

  /** Who has an API key of the store, or of another one without a wallet, sets this store's account key, to go on at an index. */
  async setStartIndex(startIndex: number, { ofOther = false } = {}): Promise<void> {
    const who = ofOther ? "another store" : "the merchant";
    this.tell(`${who} sets the wallet with start index ${startIndex}`);
    const { id, wallet } = this.firstShop;
    const { xpub } = wallet;
    const taken = await this.step(this.anyone(), "PUT BTC-CHAIN", async ({ ctx }) => {
      const storeId = ofOther ? (await createStore(ctx, { name: "Another" })).id : id;
      if (!ofOther) await allowWalletChangesByKey(ctx, storeId, true);
      const byKey: CommandContext = { ...ctx, actor: { ...ctx.actor, kind: "key" } };
      return changeWallet(byKey, storeId, { xpub, startIndex }).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof DomainError)) throw error;
          this.tell(`${who} is refused: ${error.code}`);
          return false;
        },
      );
    });
    if (taken && !ofOther) wallet.goOnAt(startIndex);
  }

  /** The operator starts both copies anew, with or without BITCOIND_RPC_URL. */
  async configure({ node }: { node: boolean }): Promise<void> {
    this.hasNode = node;
    this.tell(`the service is configured ${node ? "with" : "without"} a Bitcoin node`);
    for (const copy of COPIES) await this.kill(copy);
  }

  /** A copy checks the chain; the jobs that follow from it wait. */
  async check(copy: string): Promise<void> {
    await this.step(copy, "chain-watch", (process) => process.watchChain());
  }

  /**
   * A copy stands still while it checks the chain, or does other work, and what happens meanwhile happens behind its back:
   * until that is over, or waits for a lock that the copy holds.
   */
  async stall(
    copy: string,
    point: StallPoint,
    meanwhile: () => Promise<void>,
    work = (): Promise<void> => this.check(copy),
  ): Promise<void> {
    const { life } = await this.alive(copy);
    const stall = (life.stall = new Stall(point));
    const checking = work();
    const reached = await Promise.race([stall.reached.then(() => true), checking.then(() => false)]);
    const never = !reached && point.nth === undefined && !this.faults.planned;
    if (never) throw new Error(`no call is ${String(point.at)}`);
    if (reached) this.stalled = copy;
    else life.stall = null;
    this.tell(reached ? `${life.name} stands still` : `${life.name} is done`);
    let over = false;
    const others = meanwhile().finally(() => (over = true));
    try {
      await Promise.race([others, this.untilLocked(() => over)]);
    } finally {
      this.tell(`${life.name} goes on`);
      this.stalled = life.stall = null;
      stall.letGo();
      await Promise.all([others, checking]);
    }
  }

  /** Some time passes while the copy stands still, and keeps its lease. */
  async passAsLeader(copy: string, seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= KEEPS_LEASE_SECONDS) {
      await this.pass(Math.min(left, KEEPS_LEASE_SECONDS));
      await (await this.alive(copy)).keepLease();
    }
  }

  /** A copy is started with another APP_SECRET, takes the jobs, and gets the right one. */
  async takeWithOtherSecret(copy: string): Promise<void> {
    await this.kill(copy);
    this.stranger = copy;
    this.tell(`${copy} has another APP_SECRET`);
    for (let jobs = this.queue.due().length; jobs > 0; jobs -= 1)
      await this.step(copy, "job", (process) => process.runJob(() => 0));
    this.stranger = null;
    await this.kill(copy);
  }

  async runJobs(): Promise<void> {
    for (let at = 0; this.queue.due().length > 0; at += 1) {
      if (at > 500) throw new Error("jobs do not end");
      await this.step(this.anyone(), "job", (process) => process.runJob((count) => this.chance.pick(count)));
    }
  }

  /**
   * No fault any more: within this bound all comes to its end, and is as it should be. Answers what is wrong still. Ten
   * minutes more have those alone whose customer took a payment back by a transaction that nobody mines.
   */
  async settle(ticks = 8): Promise<string[]> {
    this.faults.end();
    // A dead leader's lease runs out, and what it was sending counts as interrupted.
    if (this.deaths > 0) await this.clock.advance(DEAD_WITHIN_SECONDS);
    let wrong: string[] = [];
    for (let at = 0; at < ticks; at += 1) {
      if (at === ticks / 2) {
        if (!this.openSales.some(({ contested }) => contested)) return wrong;
        await this.clock.advance(BELIEVED_AFTER_SECONDS);
      }
      await this.tick();
      wrong = await this.oracle.judge();
      if (wrong.length === 0) return [];
    }
    return wrong;
  }

  /** The store's owner connects a new LND of his own in the place of the one before. */
  async connectLnd(shop: Shop): Promise<void> {
    const lnd = await SimulatedLnd.start();
    lnd.core.nowSeconds = () => Math.floor(this.clock.networkMs / 1_000);
    this.lnds.push(lnd);
    shop.nodes.push(lnd);
    this.tell("the owner of a store connects a new LND");
    const { url: address, tlsCert: tlsCertificate, quittanceMacaroon } = lnd.grpc;
    const macaroon = quittanceMacaroon.toString("hex");
    await this.insist("PUT BTC-LN", ({ ctx }) =>
      connectNode(ctx, shop.id, { address, tlsCertificate, macaroon }),
    );
  }

  /** The store's owner wants no Lightning any more. */
  async removeLnd({ id }: Shop): Promise<void> {
    this.tell("the owner of a store removes its LND");
    await this.insist("DELETE BTC-LN", ({ ctx }) => removeLightning(ctx, id));
  }

  /** A copy of lightning-watch is with one node. */
  async watchLnd(copy: string, { nodeKey }: SimulatedLnd): Promise<void> {
    await this.step(copy, "lightning-watch", (process) => process.watchLightning(nodeKey));
  }

  private async open(): Promise<void> {
    await this.openShop({ lightning: this.lnds.length > 0 });
    // Two, until the first check is complete: before that nothing can be missed.
    for (let time = 0; time < 2; time += 1) await this.tick();
  }

  private async openShop({ lightning = false } = {}): Promise<Shop> {
    const { ctx } = await this.alive("A");
    const wallet = new MerchantWallet(newXpub());
    const store = await buildStore(ctx, { wallet: { xpub: wallet.xpub }, lightning });
    if (this.zeroConf) await changeStore(ctx, store.id, { zeroConfMaxSats: ZERO_CONF_MAX_SATS });
    await buildWebhook(ctx, store, "https://merchant.example/hook");
    const shop = { id: store.id, wallet, nodes: lightning ? this.lnds.slice(0, 1) : [] };
    this.shops.push(shop);
    return shop;
  }

  private get firstShop(): Shop {
    const [shop] = this.shops;
    if (shop === undefined) throw new Error("the world has no store");
    return shop;
  }

  /** An owner's request, until it is answered. */
  private async insist(what: string, run: (process: ServiceProcess) => Promise<unknown>): Promise<void> {
    for (let tries = 0; tries < OPERATOR_TRIES; tries += 1)
      if (await this.step(this.anyone(), what, (process) => run(process).then(() => true))) return;
    throw new Error(`${what} is not answered`);
  }

  private async sell(shop: Shop, orderId: string, answer: string): Promise<Sale> {
    const told = JSON.parse(answer) as Omit<Sale, "dueSats" | "minDueSats"> &
      Record<"dueSats" | "minDueSats", string>;
    const sale: Sale = {
      ...told,
      shop,
      orderId,
      dueSats: BigInt(told.dueSats),
      minDueSats: BigInt(told.minDueSats),
      undated: false,
      leftBlockMs: 0,
      leftBlock: false,
      past: [],
      doubleSpent: false,
      wavers: false,
      contested: false,
      blind: await this.isInGap(),
      mark: null,
      markedMs: 0,
      marking: null,
    };
    this.sales.push(sale);
    this.openSales.push(sale);
    await this.did(`${orderId} is ${sale.invoiceId}`);
    if (sale.address !== null && !this.hasNode)
      throw new Error(`${orderId} has an address that nobody watches`);
    if (sale.address !== null && !shop.wallet.finds(sale.address))
      throw new Error(`${orderId} has an address that the merchant's wallet does not search`);
    return sale;
  }

  /** One of the copies that does not stand still. */
  private anyone(): string {
    return this.chance.of(COPIES.filter((copy) => copy !== this.stalled));
  }

  private async alive(copy: string): Promise<ServiceProcess> {
    const known = this.processes.get(copy);
    if (known?.life.over === false) return known;
    const process = await ServiceProcess.start(`${copy}${(this.started += 1)}`, this.outside(copy));
    this.processes.set(copy, process);
    return process;
  }

  private outside(copy: string): Outside {
    const { databaseUrl, databaseHost, lnds, merchant, queue, faults, chance } = this;
    const node = this.hasNode ? this.ours : null;
    const digit = (): string => BASE58.charAt(chance.pick(BASE58.length));
    return {
      ...{ databaseUrl, databaseHost, node, lnds, merchant, queue, faults },
      minPeers: this.ours === this.node ? 0 : 1,
      hasOtherSecret: copy === this.stranger,
      hidesNode: this.hidesNode,
      randomId: (prefix) => `${prefix}_${Array.from({ length: 25 }, digit).join("")}`,
      tell: (what) => this.tell(what),
      takeNews: () => this.hints[copy]?.splice(0) ?? [],
    };
  }

  private get living(): ServiceProcess[] {
    return [...this.processes.values()].filter(({ life }) => !life.over);
  }

  /** Its sessions are gone, and who had them does not hear of it. */
  private async vanish(): Promise<void> {
    for (const { database } of this.living) database.lose();
    await this.eye.query(
      `SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = ANY($1)`,
      [this.living.map(({ life }) => `simulated ${life.name}`)],
    );
  }

  private async beNoticed(): Promise<void> {
    await this.clock.advance(PROBED_SECONDS);
    for (const { database } of this.living) database.probe();
    await this.clock.advance(SILENT_SECONDS - PROBED_SECONDS);
    const waiting = this.living.filter(({ database }) => database.stayedSilent(SILENT_SECONDS * 1_000));
    if (waiting.length === 0) return;
    await this.clock.advance(GIVEN_UP_SECONDS - SILENT_SECONDS);
    for (const { database } of waiting) database.giveUp();
  }

  /** Somebody waits for a lock, or nobody can any more. */
  private async untilLocked(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { rows } = await this.eye.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      if (rows.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
    }
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
