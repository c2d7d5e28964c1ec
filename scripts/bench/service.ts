import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { SETTINGS } from "../../config/schema";
import { runCli } from "../cli/run";
import { freePort } from "../devnet/free-port";
import { ROOT } from "./build";
import { nodeArgsOf } from "./node-args";
import { newXpub, peakMb, send, type Answer } from "./parts";

/** As ecosystem.config.js has them. */
export type App =
  | "api"
  | "chain-watch"
  | "lightning-watch"
  | "invoices"
  | "confirmations"
  | "invoice-expiry"
  | "webhook-delivery"
  | "reconcile";

export const ALL_APPS: readonly App[] = [
  "api",
  "chain-watch",
  "lightning-watch",
  "invoices",
  "confirmations",
  "invoice-expiry",
  "webhook-delivery",
  "reconcile",
];

export interface ServiceOptions {
  apps: readonly App[];
  /** Copies of an app; 1 of those not named. */
  copies?: Partial<Record<App, number>>;
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

interface Started {
  app: App;
  child: ChildProcess;
  pids: number[];
}

/** The service's processes, each as PM2 starts it. */
export class Service {
  private readonly started: Started[] = [];

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
      RATES_SOURCES: "fixed:USD=60000,EUR=55000",
      // Away where a bench has none: without a configured node no invoice gets an address.
      BITCOIND_RPC_URL: "http://bench:bench@127.0.0.1:1",
      ...options.env,
    };
    const service = new Service(dist, env, servers.databaseUrl, port, options.nodeArgs ?? {});
    try {
      await Promise.all(options.apps.map((app) => service.startApp(app, options.copies?.[app] ?? 1)));
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async startApp(app: App, copies = 1): Promise<void> {
    if (app === "api") return this.launch(app, ["scripts/bench/cluster.cjs", this.file(app), String(copies)]);
    await Promise.all(Array.from({ length: copies }, () => this.launch(app, [this.file(app), app])));
  }

  /** What node is given to run an app. */
  file(app: App): string {
    return path.join(this.dist, app === "api" ? "api/main.js" : "workers/main.js");
  }

  environment(): NodeJS.ProcessEnv {
    const { PATH, HOME } = process.env;
    return { PATH, HOME, ...this.env };
  }

  private async launch(app: App, args: readonly string[]): Promise<void> {
    const logs = path.join(ROOT, ".bench/logs");
    mkdirSync(logs, { recursive: true });
    const log = openSync(path.join(logs, `${app}.log`), "a");
    const env = this.environment();
    const child = spawn(process.execPath, [...nodeArgsOf(app), ...(this.nodeArgs[app] ?? []), ...args], {
      cwd: ROOT,
      env,
      stdio: ["ignore", log, log, "ipc"],
    });
    const started: Started = { app, child, pids: [child.pid ?? 0] };
    this.started.push(started);
    const killNow = (): void => void child.kill("SIGKILL");
    process.once("exit", killNow);
    child.once("exit", () => process.removeListener("exit", killNow));
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`${app} is not ready: see .bench/logs`)),
        READY_WITHIN_MS,
      );
      child.once("exit", () => reject(new Error(`${app} ended: see .bench/logs`)));
      child.on("message", (message: "ready" | { ready: number[] }) => {
        if (typeof message === "object") started.pids = message.ready;
        clearTimeout(late);
        resolve();
      });
    });
  }

  pidsOf(app: App): number[] {
    const running = this.started.filter((one) => one.app === app && one.child.exitCode === null);
    return running.flatMap(({ pids }) => pids);
  }

  /** Resident memory of each app's largest process, in MB: the most that it ever was, or another measure. */
  memory(measure = peakMb): Partial<Record<App, number>> {
    return Object.fromEntries(
      this.started.map(({ app }) => [app, Math.max(...this.pidsOf(app).map((pid) => measure(pid)))]),
    );
  }

  /** The command line, as an operator runs it. */
  async cli<T>(...args: string[]): Promise<T> {
    let out = "";
    let err = "";
    const code = await runCli([...args, "--json"], {
      env: this.environment(),
      out: (text) => void (out += text),
      err: (text) => void (err += text),
    });
    if (code !== 0) throw new Error(`${args.slice(0, 2).join(" ")}: ${err.trim()}`);
    return JSON.parse(out) as T;
  }

  /** A new store with a key. */
  async openStore({ lightning = false, onchain = true } = {}): Promise<Store> {
    const { storeId } = await this.cli<{ storeId: string }>(
      ...["store", "create", "--name", "Bench", "--currency", "SATS"],
      ...(onchain ? ["--xpub", newXpub()] : []),
      ...(lightning ? ["--lightning"] : []),
    );
    const { apiKey } = await this.cli<{ apiKey: string }>(
      "api-key",
      "create",
      "--store",
      storeId,
      "--name",
      "bench",
    );
    return { storeId, apiKey };
  }

  /** A request to a store's part of the API. */
  call<T>({ storeId, apiKey }: Store, method: string, way: string, body?: unknown): Promise<Answer<T>> {
    return send<T>(`${this.base}/api/v1/stores/${storeId}${way}`, method, { "x-api-key": apiKey }, body);
  }

  async stopApp(app: App): Promise<void> {
    const children = this.started.filter((one) => one.app === app).map(({ child }) => child);
    await Promise.all(children.map(endChild));
  }

  async stop(): Promise<void> {
    await Promise.all(this.started.map(({ child }) => endChild(child)));
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
