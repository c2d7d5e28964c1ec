import { expect } from "chai";
import { leaseOf } from "../../commands/lightning/queries";
import { createDataSource } from "../../database/data-source";
import { SERVER_NODE_ID } from "../../entities/lightning-node";
import { runCli } from "../../scripts/cli/run";
import { send, type Answer } from "../api/server";
import { testDatabaseUrl } from "./database";
import { eventually } from "./eventually";
import { newXpub } from "./factories";
import { checkInvariants } from "./invariants";
import {
  serviceSignatureHolds,
  standardSignatureHolds,
  startReceiver,
  type Received,
  type Receiver,
} from "./receiver";
import { freePort } from "../../scripts/devnet/free-port";
import { startWorkerProcess, workerEnvironment, type WorkerProcess } from "./worker-process";
import type { DataSource } from "typeorm";

/** As ecosystem.config.js has them. */
export const APPS = [
  "api",
  "chain-watch",
  "invoices",
  "confirmations",
  "invoice-expiry",
  "webhook-delivery",
  "reconcile",
] as const;
/** And with an LND. */
export const APPS_WITH_LIGHTNING = [...APPS, "lightning-watch"] as const;
export type App = (typeof APPS_WITH_LIGHTNING)[number];
/** As PM2 starts it: with `PROCESSES=few` the process of all workers stands for each of them. */
type Program = App | "workers";

export interface ServiceOptions {
  /** Default: a node that is away. Leave chain-watch out then. */
  bitcoindRpcUrl?: string;
  /** An empty database. Default: a new one on the tests' server. */
  databaseUrl?: string;
  /** Default: the queues are on Postgres. */
  redisUrl?: string;
  /** Further settings of all apps. */
  settings?: Readonly<Record<string, string>>;
  /** `LND_*`; without them there is no Lightning. */
  lndEnvironment?: Readonly<Record<string, string>>;
  /** Where the apps reach the database. Default: where it is. */
  wayToDatabase?: (databaseUrl: string) => Promise<string>;
  /** Default: each app once. An app may be named several times. */
  apps?: readonly App[];
  /** Default: that of the run, `each` where it names none: `PROCESSES=few npm run test:service`. */
  processes?: string;
}

/** An invoice as the API returns it: the fields that the stories check. */
export interface InvoiceJson {
  invoiceId: string;
  status: string;
  additionalStatus: string;
  dueSats: number;
  paidSats: number;
  confirmedSats: number;
  requiredConfirmations: number;
  metadata: Record<string, unknown>;
  paymentUri: string;
  paymentMethods: { type: string; destination: string | null; available: boolean; reason?: string }[];
  payments: {
    type: string;
    txid: string;
    state: string;
    amountSats: number;
    confirmations: number;
    late: boolean;
    replacedByTxid?: string;
    paymentHash?: string;
    preimage?: string;
  }[];
}
/** And where it can be paid; "" where it cannot. */
export interface PayableInvoice extends InvoiceJson {
  address: string;
  bolt11: string;
}

/** A merchant's store, with a key and a receiver's endpoint that gets all of its events. */
export interface Shop {
  storeId: string;
  apiKey: string;
  /** Null: Lightning alone. */
  xpub: string | null;
  /** Path of its endpoint at the receiver. */
  path: string;
  secret: string;
}

export interface ShopOptions {
  /** Default: a new one. */
  xpub?: string | null;
  /** Default: false. */
  lightning?: boolean;
}

interface Running {
  program: Program;
  process: WorkerProcess;
}

const PRICE_SATS = 100_000;
/** Nobody listens there. Without a node that is configured no invoice gets an address. */
const AWAY = "http://test:test@127.0.0.1:1";

/**
 * The whole service, each app a process of its own as under PM2, on a new database that the command line has migrated:
 * what a merchant has, who sees nothing of it but the API and what comes to the receiver.
 */
export class Service {
  private readonly running = new Set<Running>();
  private readonly ended: Running[] = [];
  private readonly expected = new Map<string, readonly (readonly string[])[]>();
  private shops = 0;
  shop!: Shop;

  private constructor(
    readonly db: DataSource,
    readonly receiver: Receiver,
    private readonly port: number,
    private readonly environment: Record<string, string>,
    private readonly apps: readonly App[],
  ) {}

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const databaseUrl = options.databaseUrl ?? (await testDatabaseUrl({ empty: true }));
    const db = createDataSource({ databaseUrl, poolMax: 5, applicationName: "test" });
    await db.initialize();
    const port = await freePort();
    const environment = {
      DATABASE_URL: (await options.wayToDatabase?.(databaseUrl)) ?? databaseUrl,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      LOG_LEVEL: "info",
      BITCOIND_RPC_URL: options.bitcoindRpcUrl ?? AWAY,
      PROCESSES: options.processes ?? process.env["PROCESSES"] ?? "each",
      ...(options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl }),
      ...options.lndEnvironment,
      ...options.settings,
    };
    const lightning = options.lndEnvironment !== undefined;
    const { apps = lightning ? APPS_WITH_LIGHTNING : APPS } = options;
    const service = new Service(db, await startReceiver(), port, environment, apps);
    try {
      await service.cli("migrate");
      await service.startAll();
      service.shop = await service.openShop({ lightning });
      return service;
    } catch (error) {
      process.stderr.write(service.logs());
      await service.stop();
      throw error;
    }
  }

  /** The machine is lost: every process dies at once, and so does what the test reads of its database. */
  async lose(): Promise<void> {
    await this.stopAll("SIGKILL");
    await this.db.destroy();
  }

  /** The same service on another machine with that empty database; the shop and its receiver know nothing of it. No app runs yet, and `db` is not connected: a restore wants to be alone. */
  async onAnotherMachine(databaseUrl: string): Promise<Service> {
    const db = createDataSource({ databaseUrl, poolMax: 5, applicationName: "test" });
    const environment = { ...this.environment, DATABASE_URL: databaseUrl };
    const service = new Service(db, this.receiver, this.port, environment, this.apps);
    service.shop = this.shop;
    return service;
  }

  /** Of the first copy of the api. */
  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Of all copies of the api that run. */
  bases(): string[] {
    return this.processesOf("api").map(({ lines }) => {
      const listening = lines.find(({ message }) => message === "listening");
      return `http://127.0.0.1:${String(listening?.["port"])}`;
    });
  }

  // Processes

  /** All workers in one process: a worker is away only with all others. */
  get isFew(): boolean {
    return this.environment["PROCESSES"] === "few";
  }

  private programOf(app: App): Program {
    return this.isFew && app !== "api" ? "workers" : app;
  }

  /** What runs, each once, as it names itself in its log. */
  programs(): string[] {
    return [...new Set(this.apps.map((app) => this.programOf(app)))];
  }

  async startAll(): Promise<void> {
    const copyOf = (app: App, at: number): number =>
      this.apps.slice(0, at).filter((other) => other === app).length;
    const programs = new Map(this.apps.map((app, at) => [`${this.programOf(app)} ${copyOf(app, at)}`, app]));
    await Promise.all([...programs.values()].map((app) => this.startApp(app)));
  }

  /** One more copy of an app. Further copies of the api take a port of their own: answers the process. */
  async startApp(app: App): Promise<WorkerProcess> {
    const program = this.programOf(app);
    const first = this.processesOf(app).length === 0;
    // Synchronously in the set, so that copies that start together see each other.
    const process = startWorkerProcess(program, {
      ...this.environment,
      ...(app === "api" ? { PORT: first ? String(this.port) : "0" } : {}),
    });
    const running = { program, process };
    this.running.add(running);
    void process.exited.then(() => {
      this.running.delete(running);
      this.ended.push(running);
    });
    await process.ready;
    return process;
  }

  processesOf(app: App): WorkerProcess[] {
    const program = this.programOf(app);
    return [...this.running].filter((one) => one.program === program).map(({ process }) => process);
  }

  /** Of the copies of a watcher the one that leads; of lightning-watch that of a node. */
  async leader(
    app: "chain-watch" | "lightning-watch",
    nodeId: string = SERVER_NODE_ID,
  ): Promise<WorkerProcess> {
    return eventually(async () => {
      const [lease] = await this.db.query<{ holder: string }[]>(
        "SELECT holder FROM leases WHERE name = $1 AND expires_at > clock_timestamp()",
        [app === "lightning-watch" ? leaseOf(nodeId) : app],
      );
      const process = this.processesOf(app).find(({ lines }) =>
        lines.some(({ instance }) => instance === lease?.holder),
      );
      if (!process) throw new Error("nobody leads");
      return process;
    });
  }

  /** Stops all copies of an app; one that was asked to stop must end well. */
  async stopApp(app: App, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const processes = this.processesOf(app);
    for (const process of processes) process.kill(signal);
    const ends = await Promise.all(processes.map(({ exited }) => exited));
    if (signal === "SIGTERM")
      for (const { code } of ends) expect(code, `${app} was asked to stop`).to.equal(0);
  }

  async stopAll(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    await Promise.all([...new Set(this.apps)].map((app) => this.stopApp(app, signal)));
  }

  /** What the processes wrote since then, in order. */
  logs(since = new Date(0)): string {
    const from = since.toISOString();
    const lines = [...this.ended, ...this.running].flatMap(({ process }) => process.output().split("\n"));
    return lines
      .map((line) => ({ line, time: /"time":"([^"]+)"/.exec(line)?.[1] ?? "?" })) // what is no log line comes last
      .filter(({ line, time }) => line !== "" && time >= from)
      .sort((a, b) => (a.time < b.time ? -1 : 1))
      .map(({ line }) => `${line}\n`)
      .join("");
  }

  async stop(): Promise<void> {
    for (const { process } of this.running) process.kill("SIGTERM");
    await Promise.all([...this.running].map(({ process }) => process.exited));
    await this.receiver.close();
    if (this.db.isInitialized) await this.db.destroy();
  }

  // A merchant

  /** The command line, as an operator runs it; answers what it prints. */
  async cli<T>(...args: string[]): Promise<T> {
    const { code, out, err } = await this.runCli(args);
    expect(code, `cli ${args.join(" ")}: ${err}${out}`).to.equal(0);
    return JSON.parse(out) as T;
  }

  /** What the operator's doctor says of one thing, whatever it says of others. */
  async doctor(about: string): Promise<string[]> {
    const { out } = await this.runCli(["doctor"]);
    const { checks } = JSON.parse(out) as { checks: { name: string; status: string }[] };
    return checks.filter(({ name }) => name.startsWith(about)).map(({ name, status }) => `${name} ${status}`);
  }

  private async runCli(args: readonly string[]): Promise<Ended> {
    const env = workerEnvironment(this.environment);
    let out = "";
    let err = "";
    const code = await runCli([...args, "--json"], {
      env,
      out: (text) => void (out += text),
      err: (text) => void (err += text),
    });
    return { code, out, err };
  }

  /** A new store with a key from the command line, and an endpoint for all events registered over REST. */
  async openShop({ xpub = newXpub(), lightning = false }: ShopOptions = {}): Promise<Shop> {
    this.shops += 1;
    const path = `/shop-${this.shops}`;
    const { storeId } = await this.cli<{ storeId: string }>(
      ...["store", "create", "--name", "Shop"],
      ...(xpub === null ? [] : ["--xpub", xpub]),
      ...(lightning ? ["--lightning"] : []),
    );
    const { apiKey } = await this.cli<{ apiKey: string }>(
      "api-key",
      "create",
      "--store",
      storeId,
      "--name",
      "till",
    );
    const answer = await this.call({ storeId, apiKey }, "POST", "/webhooks", {
      url: `${this.receiver.url}${path}`,
    });
    expect(answer.status, answer.text).to.equal(201);
    return { storeId, apiKey, xpub, path, secret: answer.json.secret };
  }

  /** A request to a store's part of the API, at any copy of it. */
  call(
    shop: Pick<Shop, "storeId" | "apiKey">,
    method: string,
    path: string,
    body?: unknown,
    base = this.base,
  ): Promise<Answer> {
    return send(`${base}/api/v1/stores/${shop.storeId}`, method, path, { key: shop.apiKey, body });
  }

  /** Over 100,000 sats where nothing else is asked. */
  async createInvoice(
    fields: Record<string, unknown> = {},
    shop = this.shop,
    base = this.base,
  ): Promise<PayableInvoice> {
    const body = { amount: String(PRICE_SATS), currency: "SATS", ...fields };
    const answer = await this.call(shop, "POST", "/invoices", body, base);
    expect(answer.status, answer.text).to.equal(201);
    const invoice = answer.json as unknown as InvoiceJson;
    const destination = (type: string): string =>
      invoice.paymentMethods.find((method) => method.type === type)?.destination ?? "";
    return { ...invoice, address: destination("BTC-CHAIN"), bolt11: destination("BTC-LN") };
  }

  async readInvoice(invoiceId: string, shop = this.shop): Promise<InvoiceJson> {
    return this.asked(shop, "GET", invoiceId, "");
  }

  /** Has it decided again now, as the merchant's button does. */
  async check(invoiceId: string, shop = this.shop): Promise<InvoiceJson> {
    return this.asked(shop, "POST", invoiceId, "/check");
  }

  private async asked(shop: Shop, method: string, invoiceId: string, path: string): Promise<InvoiceJson> {
    const answer = await this.call(shop, method, `/invoices/${invoiceId}${path}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.json as unknown as InvoiceJson;
  }

  /** Waits until an invoice reads like this. */
  async until(invoiceId: string, wanted: Partial<InvoiceJson>, timeoutMs = 40_000): Promise<InvoiceJson> {
    return eventually(async () => {
      const invoice = await this.readInvoice(invoiceId);
      expect(invoice).to.deep.include(wanted);
      return invoice;
    }, timeoutMs);
  }

  /** Waits until an invoice's payments are in these states, in any order. */
  async untilPayments(invoiceId: string, ...states: string[]): Promise<InvoiceJson> {
    return eventually(async () => {
      const invoice = await this.readInvoice(invoiceId);
      expect(invoice.payments.map(({ state }) => state)).to.have.members(states);
      return invoice;
    }, 40_000);
  }

  /**
   * Lets an invoice's time be up now. The product takes no expiry below 30 s, and what is proved is what happens at
   * that instant, not the waiting for it. Monitoring goes on for as long as it was to last.
   */
  async endTime(invoiceId: string): Promise<void> {
    await this.db.query(
      `UPDATE invoices SET expires_at = clock_timestamp(), decide_at = clock_timestamp(),
              monitoring_until = clock_timestamp() + (monitoring_until - expires_at)
        WHERE id = $1`,
      [invoiceId],
    );
  }

  // What the merchant was sent

  requestsOf(invoiceId: string): Received[] {
    return this.receiver.requests.filter(({ body }) => bodyOf(body).invoiceId === invoiceId);
  }

  eventsOf(invoiceId: string): string[] {
    return this.requestsOf(invoiceId).map(({ body }) => {
      const { type, additionalStatus } = bodyOf(body);
      return `${type}/${additionalStatus}`;
    });
  }

  /**
   * Waits until these events of an invoice have come, each once, in this order and no other. `verify` looks again when
   * all is quiet. Several lists: one of them.
   */
  async told(invoiceId: string, ...lists: (readonly string[])[]): Promise<void> {
    this.expected.set(invoiceId, lists);
    await eventually(() => this.expectEvents(invoiceId), 40_000);
  }

  private async expectEvents(invoiceId: string): Promise<void> {
    const events = this.eventsOf(invoiceId);
    const lost = this.isFew ? await this.interrupted(invoiceId) : [];
    const isDue = (event: string): boolean => events.includes(event) || !lost.includes(event);
    const lists = (this.expected.get(invoiceId) ?? []).map((list) => list.filter(isDue));
    if (lists.length === 1) expect(events, invoiceId).to.deep.equal(lists[0]);
    else expect(lists, `${invoiceId}: ${events.join(", ")}`).to.deep.include(events);
  }

  /**
   * What was being sent when its process was killed. It may not have come, and is sent again only when the merchant asks.
   * With `few` every kill is one of the process that sends.
   */
  private async interrupted(invoiceId: string): Promise<string[]> {
    const rows = await this.db.query<{ event: string }[]>(
      `SELECT e.type || '/' || e.additional_status AS event
         FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
         JOIN invoice_events e ON e.id = d.event_id
        WHERE d.invoice_id = $1 AND a.error = 'interrupted'`,
      [invoiceId],
    );
    return rows.map(({ event }) => event);
  }

  /** When an event of an invoice came, on the clock of `performance.now()`. */
  cameAt(invoiceId: string, event: string): number {
    const request = this.requestsOf(invoiceId)[this.eventsOf(invoiceId).indexOf(event)];
    if (!request) throw new Error(`${event} of ${invoiceId} did not come`);
    return request.atMs;
  }

  /**
   * When nothing is in progress any more: what must hold whatever happened, and that nobody was sent more than
   * `told` said.
   */
  async verify(): Promise<void> {
    await eventually(async () => {
      const [open] = await this.db.query<{ count: number }[]>(
        `SELECT (SELECT count(*) FROM webhook_deliveries WHERE state IN ('pending', 'queued', 'sending'))::int
              + (SELECT count(*) FROM invoices WHERE decide_at <= clock_timestamp())::int AS count`,
      );
      expect(open?.count, "deliveries and decisions under way").to.equal(0);
    }, 30_000);
    for (const invoiceId of this.expected.keys()) await this.expectEvents(invoiceId);
    expect(this.logs(), "a warning of Node's between the lines of the log").not.to.match(/^\(node:/m);
    await checkInvariants(this.db, this.receiver);
  }

  /** Both signatures of everything that came to a shop, the form of its body and its headers. */
  expectSigned({ path, secret, storeId }: Shop = this.shop): void {
    for (const request of this.receiver.at(path)) {
      const { body, headers } = request;
      expect(serviceSignatureHolds(request, secret), "X-Service-Sig").to.equal(true);
      expect(standardSignatureHolds(request, secret), "Standard Webhooks signature").to.equal(true);
      expect(Object.keys(bodyOf(body))).to.deep.equal(["type", "invoiceId", "metadata", "additionalStatus"]);
      expect(headers).to.include({
        "content-type": "application/json",
        "x-service-store-id": storeId,
        "x-service-attempt": "1",
      });
      expect(headers["x-service-event-id"]).to.equal(headers["webhook-id"]);
    }
  }
}

interface Ended {
  code: number;
  out: string;
  err: string;
}

interface EventBody {
  type: string;
  invoiceId: string;
  metadata: Record<string, unknown>;
  additionalStatus: string;
}

export function bodyOf(bytes: Buffer): EventBody {
  return JSON.parse(bytes.toString("utf8")) as EventBody;
}
