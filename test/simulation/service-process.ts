import { makeBitcoindRpc } from "../../adapters/bitcoind/rpc";
import { type LndNodes, makeLndNodes } from "../../adapters/lnd/lnd-nodes";
import { advanceConfirmations } from "../../commands/chain/advance-confirmations";
import { checkChain, hearTransactions, newChainView } from "../../commands/chain/check-chain";
import type { CommandContext, LeaderContext } from "../../commands/context";
import { decideByJob, decideDue } from "../../commands/invoices/decide-due";
import { alertHeldExpiries } from "../../commands/invoices/held-expiries";
import {
  beginSession,
  checkLightning,
  type LightningView,
  newLightningView,
  reportTrouble,
} from "../../commands/lightning-watch/check-lightning";
import { openNode, type WatchedNode } from "../../commands/lightning/lightning-node";
import { leaseOf, readNodesToWatch } from "../../commands/lightning/queries";
import { endRetiredNode } from "../../commands/lightning/retire-node";
import { recordSettled } from "../../commands/lightning-watch/lightning-cursor";
import { beat } from "../../commands/server/heartbeat";
import { type Lease, LeaseLostError } from "../../database/lease";
import { attemptWebhook } from "../../commands/webhooks/attempt-webhook";
import { interruptStuckAttempts } from "../../commands/webhooks/interrupt-stuck-attempts";
import { sweepDeliveries } from "../../commands/webhooks/release";
import { createDataSource, databaseNow } from "../../database/data-source";

import { NodeUnavailableError } from "../../domain/errors";
import { makeSecretBox } from "../../adapters/crypto";
import { LightningNode } from "../../entities/lightning-node";
import { testContext, testDialer } from "../support/context";
import { lndSettingsOf, TEST_LND_TIMES } from "../support/lightning";
import type { SimulatedLnd } from "../support/devnet/simulated-lnd";
import type { SimulatedNode } from "../support/devnet/simulated-node";
import { type DatabaseHost, type DatabaseLine, faultyDatabase } from "./faulty-database";
import { faultyPort, type Faults, Life } from "./faults";
import { type Merchant, UNHEARD, UNSENT } from "./merchant";
import type { Handlers, SimulatedQueue } from "./queue";
import { acquireLease, renewLease } from "../support/leases";

/** What a process reaches of a simulated world. */
export interface Outside {
  databaseUrl: string;
  databaseHost: DatabaseHost;
  /** Null where BITCOIND_RPC_URL is not set. */
  node: SimulatedNode | null;
  /** The server's, if it has one, first. */
  lnds: readonly SimulatedLnd[];
  merchant: Merchant;
  queue: SimulatedQueue;
  faults: Faults;
  /** Base58 characters by chance, the same in each run of a seed. */
  randomId(prefix: string): string;
  /** BITCOIND_MIN_PEERS */
  minPeers: number;
  tell(what: string): void;
  /** What the node has published since this was asked last. */
  takeNews(): readonly Buffer[];
  /** Its APP_SECRET is none that the others know. */
  hasOtherSecret: boolean;
  /** LND's own `invoice.macaroon`, which hides the node's key. */
  hidesNode: boolean;
}

const away = (): Error => new NodeUnavailableError("the node did not answer in time", "away");
const POOL = 4;
/**
 * Limits that count real time: how long a machine that does other work stands still is no part of the story. What they
 * limit is simulated (faulty-database.ts).
 */
const PATIENT = { idle_in_transaction_session_timeout: 300_000, connectionTimeoutMillis: 120_000 };

/**
 * One copy of the service: an API and each worker, on a database and ports where faults may be. Each method is one step,
 * made of the commands that the loop or the handler of the same name runs.
 */
export class ServiceProcess {
  #chain = { lease: null as Lease | null, view: newChainView() };
  /** By node, of those that it leads; `version` as it was then. */
  readonly #lightning = new Map<string, { lease: Lease; version: string; view: LightningView }>();

  private constructor(
    readonly life: Life,
    readonly ctx: CommandContext,
    private readonly outside: Outside,
    private readonly lnds: LndNodes,
    readonly database: DatabaseLine,
  ) {}

  static async start(name: string, outside: Outside): Promise<ServiceProcess> {
    const { databaseUrl, databaseHost, node, lnds, merchant, queue, faults } = outside;
    const life = new Life(name, faults, outside.tell);
    const db = createDataSource({ databaseUrl, poolMax: POOL, applicationName: `simulated ${name}` });
    await db.setOptions({ extra: { ...(db.options.extra as object), ...PATIENT } }).initialize();
    const server = lnds[0] && lndSettingsOf(lnds[0].grpc, outside.hidesNode ? "invoice" : "admin");
    const nodes = makeLndNodes(server ?? null, testDialer, TEST_LND_TIMES);
    const lightning: LndNodes = {
      ...nodes,
      of: (access) => faultyPort(nodes.of(access), "lnd", life, away),
    };
    const ctx: CommandContext = await testContext({
      db,
      now: databaseNow,
      newId: outside.randomId,
      chain: node && faultyPort(makeBitcoindRpc({ url: node.rpcUrl }), "bitcoind", life, away),
      lightning,
      enqueue: queue.enqueueOf(life),
      checkWebhookUrl: () => Promise.resolve(null),
      settings: { minPeers: outside.minPeers },
      ...(outside.hasOtherSecret
        ? { secrets: makeSecretBox({ appSecret: "another secret ".repeat(3) }) }
        : {}),
      sendWebhook: (request) => {
        let unheard = UNSENT;
        const run = () => {
          unheard = UNHEARD;
          return Promise.resolve(merchant.receive(request));
        };
        const failed = (): Error => new Error("no answer");
        return life.call("send a webhook", { effect: true, run, failed }).catch(() => unheard);
      },
    });
    life.onEnd(() => nodes.close());
    const database = faultyDatabase(db, life, databaseHost);
    return new ServiceProcess(life, ctx, outside, lightning, database);
  }

  /** A tick of chain-watch: leads, and hears between the steps of its check, or stands by. */
  async watchChain(): Promise<void> {
    const { ctx } = this;
    if (ctx.chain === null) return;
    await beat(ctx, { instanceId: this.life.name, worker: "chain-watch" });
    const lease = await this.lead("chain-watch", this.#chain.lease);
    if (lease?.epoch !== this.#chain.lease?.epoch) this.#chain = { lease, view: newChainView() };
    if (lease === null) return;
    let height: number | null = null;
    await checkChain({ ctx: { ...ctx, lease }, chain: ctx.chain }, this.#chain.view, {
      signal: new AbortController().signal,
      onBlock: (block) => {
        height = block.height;
        return this.hear();
      },
      onWalked: async () => {
        if (height !== null) await ctx.enqueue("confirmations", [{ height }]);
        height = null;
      },
      onChunk: () => this.hear(),
      onMalformed: () => undefined,
    });
  }

  /** What the node's ZMQ has sent since, if this process leads. */
  async hear(): Promise<void> {
    const { ctx } = this;
    const { lease, view } = this.#chain;
    const raws = this.outside.takeNews();
    if (raws.length > 0 && lease !== null && ctx.chain !== null)
      await hearTransactions({ ctx: { ...ctx, lease }, chain: ctx.chain }, view, raws);
  }

  /** A session of lightning-watch with each node, or with the one of this key. No other has to do with its failure. */
  async watchLightning(only?: string): Promise<void> {
    const { rows } = await readNodesToWatch(this.ctx.db.manager);
    const failures: unknown[] = [];
    for (const { version, holder: _, ...node } of rows)
      if ((only ?? node.nodeKey) === node.nodeKey)
        await this.watchNode(node, version).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures.find((each) => !(each instanceof LeaseLostError)) ?? failures[0];
  }

  private async watchNode(node: WatchedNode, version: string): Promise<void> {
    const { ctx } = this;
    const before = this.#lightning.get(node.id);
    const lease = await this.lead(leaseOf(node.id), before?.lease ?? null);
    if (lease === null) return void this.#lightning.delete(node.id);
    const same = lease.epoch === before?.lease.epoch && version === before.version;
    const { view } = same ? before : { view: newLightningView(node) };
    this.#lightning.set(node.id, { lease, version, view });
    const watch = { ctx: { ...ctx, lease }, node };
    try {
      await this.session(watch, view);
    } catch (error) {
      if (!(error instanceof NodeUnavailableError)) throw error;
      await reportTrouble(watch, view, error);
      await endRetiredNode(watch);
    }
  }

  /** What the stream sends first, then all look-ups. */
  private async session(
    { ctx, node }: { ctx: LeaderContext; node: WatchedNode },
    view: LightningView,
  ): Promise<void> {
    const row = await ctx.db.manager.findOneByOrFail(LightningNode, { id: node.id });
    const access = openNode(ctx.secrets, row);
    if (access === null) throw new NodeUnavailableError("its stored access cannot be read", "forbidden");
    const lightning = this.lnds.of(access);
    const watch = { ctx, lightning, node };
    const { lnds } = this.outside;
    const lnd = lnds.find(({ nodeKey }) => nodeKey === node.nodeKey) ?? lnds[0];
    const reading = await beginSession(watch, view);
    for (const { paymentHash } of lnd?.core.book.settledAfter(Number(reading.reached)) ?? []) {
      const told = await lightning.lookUpInvoice(paymentHash);
      if (told !== null) await recordSettled(watch, reading, told);
    }
    const { signal } = new AbortController();
    await checkLightning(watch, view, reading, { signal, onUsable: () => undefined });
  }

  /** What reconcile does every five seconds. */
  async reconcile(): Promise<void> {
    const { ctx } = this;
    try {
      await decideDue(ctx);
    } finally {
      await alertHeldExpiries(ctx);
    }
    await advanceConfirmations(ctx);
    await interruptStuckAttempts(ctx);
    await sweepDeliveries(ctx);
  }

  /** One job; null where none is due. */
  runJob(pick: (count: number) => number): Promise<string | null> {
    const { ctx } = this;
    const done = (reason: string): { kind: "done"; reason: string } => ({ kind: "done", reason });
    const handlers: Handlers = {
      invoices: ({ invoiceId }) => decideByJob(ctx, invoiceId),
      confirmations: async () => done(`${await advanceConfirmations(ctx)} confirmed`),
      "invoice-expiry": async ({ invoiceId }) => {
        await decideDue(ctx, invoiceId);
        return done("decided if it was due");
      },
      "webhook-delivery": (work) => attemptWebhook(ctx, work),
    };
    return this.outside.queue.runOne(this.life, handlers, pick);
  }

  /** In order, or after it has ended: its connections are closed. */
  async stop(): Promise<void> {
    this.lnds.close();
    if (!this.life.over) await this.ctx.db.destroy();
  }

  /** What a leader of chain-watch does beside its checks, however long they hang. */
  async keepLease(): Promise<void> {
    if (this.#chain.lease !== null) await renewLease(this.ctx.db, this.#chain.lease);
  }

  private async lead(name: string, lease: Lease | null): Promise<Lease | null> {
    const { db } = this.ctx;
    if (lease === null) return acquireLease(db, name, this.life.name);
    try {
      await renewLease(db, lease);
      return lease;
    } catch (error) {
      if (error instanceof LeaseLostError) return null;
      throw error;
    }
  }
}
