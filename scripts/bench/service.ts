import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { createApiKey } from "../../commands/stores/api-key";
import { createStore } from "../../commands/stores/create-store";
import { createWebhook } from "../../commands/webhooks/create-webhook";
import { SETTINGS } from "../../config/schema";
import { withContext } from "../cli/context";
import { freePort } from "../devnet/free-port";
import { newXpub } from "../devnet/new-xpub";
import { nodeArgsOf } from "./node-args";
import { send, type Answer } from "./parts";

export const ROOT = path.join(__dirname, "../..");

/** As ecosystem.config.js has them, without Lightning. */
export const APPS = [
  "api",
  "chain-watch",
  "invoices",
  "confirmations",
  "invoice-expiry",
  "webhook-delivery",
  "reconcile",
] as const;
export const APPS_WITH_LIGHTNING = [...APPS, "lightning-watch"] as const;
/** With PROCESSES=few. */
export const APPS_OF_FEW = ["api", "workers"] as const;
export type App = (typeof APPS_WITH_LIGHTNING | typeof APPS_OF_FEW)[number];

export interface ServiceOptions {
  apps: readonly App[];
  databaseUrl?: string;
  /** `BITCOIND_*`, `LND_*` and whatever else is to be set. */
  env?: Readonly<Record<string, string>>;
  /** Arguments for node, such as `--cpu-prof`. */
  nodeArgs?: Partial<Record<App, readonly string[]>>;
}

export interface Store {
  storeId: string;
  apiKey: string;
}

/** Only for tests and benches: it protects nothing. */
export const BENCH_SECRET = "0123456789abcdef0123456789abcdef";
const READY_WITHIN_MS = 60_000;

/** The service's processes, each as PM2 starts it. */
export class Service {
  private readonly running = new Map<App, ChildProcess>();

  private constructor(
    private readonly dist: string,
    private readonly env: Record<string, string>,
    readonly databaseUrl: string,
    readonly port: number,
    private readonly nodeArgs: NonNullable<ServiceOptions["nodeArgs"]>,
  ) {}

  static async start(
    dist: string,
    servers: { databaseUrl: string; redisUrl: string | null },
    options: ServiceOptions,
  ): Promise<Service> {
    const port = await freePort();
    const env = {
      ...Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ""])),
      DATABASE_URL: servers.databaseUrl,
      ...(servers.redisUrl === null ? {} : { REDIS_URL: servers.redisUrl }),
      NETWORK: "regtest",
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      APP_SECRET: BENCH_SECRET,
      RATE_LIMIT_PER_MINUTE: "1000000",
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
      LIGHTNING_ALLOWED_CIDRS: "127.0.0.0/8",
      RATES_SOURCES: "fixed:USD=60000,EUR=55000",
      // Away where a bench has none: without a configured node no invoice gets an address.
      BITCOIND_RPC_URL: "http://bench:bench@127.0.0.1:1",
      ...options.env,
    };
    const service = new Service(dist, env, servers.databaseUrl, port, options.nodeArgs ?? {});
    try {
      await Promise.all(options.apps.map((app) => service.startApp(app)));
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  environment(): NodeJS.ProcessEnv {
    const { PATH, HOME } = process.env;
    return { PATH, HOME, ...this.env };
  }

  async startApp(app: App): Promise<void> {
    const logs = path.join(ROOT, ".bench/logs");
    mkdirSync(logs, { recursive: true });
    const log = openSync(path.join(logs, `${app}.log`), "a");
    const file = path.join(this.dist, app === "api" ? "api/main.js" : "workers/main.js");
    const child = spawn(process.execPath, [...nodeArgsOf(app), ...(this.nodeArgs[app] ?? []), file, app], {
      cwd: ROOT,
      env: this.environment(),
      stdio: ["ignore", log, log, "ipc"],
    });
    this.running.set(app, child);
    const killNow = (): void => void child.kill("SIGKILL");
    process.once("exit", killNow);
    child.once("exit", () => process.removeListener("exit", killNow));
    // Its one message says that it is ready.
    const signal = AbortSignal.timeout(READY_WITHIN_MS);
    const ended = once(child, "exit").then(() => Promise.reject(new Error(`${app} ended: see .bench/logs`)));
    await Promise.race([once(child, "message", { signal }), ended]);
    ended.catch(() => undefined);
  }

  pids(): [App, number][] {
    return [...this.running].map(([app, { pid = 0 }]) => [app, pid]);
  }

  /** Each with a key, and with an endpoint for `New` if it has an address. */
  openStores(
    count: number,
    { lightning = false, endpointOf = (_: number): string | null => null } = {},
  ): Promise<Store[]> {
    const terminal = { env: this.environment(), out: () => undefined, err: () => undefined };
    return withContext(terminal, ["APP_SECRET"], async (ctx) => {
      const stores: Store[] = [];
      for (let number = 0; number < count; number += 1) {
        const wallet = { xpub: newXpub() };
        const input = { name: "Bench", defaultCurrency: "SATS", wallet, lightning };
        const { id: storeId } = await createStore(ctx, input);
        const { apiKey } = await createApiKey(ctx, { storeId, name: "bench", access: "full" });
        const url = endpointOf(number);
        if (url !== null) await createWebhook(ctx, { storeId, url, events: ["New"] });
        stores.push({ storeId, apiKey });
      }
      return stores;
    });
  }

  async openStore({ lightning = false } = {}): Promise<Store> {
    const [store] = await this.openStores(1, { lightning });
    return store as Store;
  }

  /** A request to a store's part of the API. */
  call<T>({ storeId, apiKey }: Store, method: string, way: string, body?: unknown): Promise<Answer<T>> {
    return send<T>(`${this.base}/api/v1/stores/${storeId}${way}`, method, { "x-api-key": apiKey }, body);
  }

  async stopApp(app: App): Promise<void> {
    const child = this.running.get(app);
    this.running.delete(app);
    if (child) await endChild(child);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.keys()].map((app) => this.stopApp(app)));
  }
}

const STOP_WITHIN_MS = 20_000;

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await exited;
  clearTimeout(late);
}
