import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { freePort } from "../../../scripts/devnet/free-port";
import { callLnd, LndError, type LndRest } from "../../../scripts/devnet/lightning/call-lnd";

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const WALLET_PASSWORD = Buffer.from("correct horse").toString("base64");

/** Wallet and macaroons. */
const CHAIN = "data/chain/bitcoin/regtest";

/** The State service's, of those that are waited for. */
type State = "NON_EXISTING" | "LOCKED" | "SERVER_ACTIVE";

export interface LndOptions {
  /** Of a regtest bitcoind, with user and password. */
  bitcoindRpcUrl: string;
  /** Where LND keeps its invoices. Default: bbolt, as LND does. */
  database?: "bbolt" | "sqlite";
  /** More of LND's own options, as `--name=value`. */
  args?: readonly string[];
}

/** A regtest LND with a wallet of its own, in a folder, on ports of its own that it keeps over restarts. */
export class LndProcess {
  private child: ChildProcess | null = null;
  private readonly killAtExit = (): void => void this.child?.kill("SIGKILL");

  private constructor(
    private readonly binary: string,
    readonly dir: string,
    private readonly options: LndOptions,
    private readonly ports: { grpc: number; rest: number; peers: number },
  ) {}

  /** Makes a wallet, and waits until all of it is there to be used. */
  static async start(binary: string, dir: string, options: LndOptions): Promise<LndProcess> {
    const ports = { grpc: await freePort(), rest: await freePort(), peers: await freePort() };
    const lnd = new LndProcess(binary, dir, options, ports);
    try {
      await lnd.runNew();
    } catch (error) {
      await lnd.stop();
      throw error;
    }
    return lnd;
  }

  /** host:port of its gRPC. */
  get grpcUrl(): string {
    return `127.0.0.1:${this.ports.grpc}`;
  }

  /** host:port for other Lightning nodes. */
  get peerUrl(): string {
    return `127.0.0.1:${this.ports.peers}`;
  }

  get tlsCert(): string {
    return readFileSync(path.join(this.dir, "tls.cert"), "utf8");
  }

  /** One of those that LND bakes for a new wallet. */
  macaroon(name: "admin" | "invoice"): Buffer {
    return readFileSync(path.join(this.dir, CHAIN, `${name}.macaroon`));
  }

  /** With all rights. */
  get adminRest(): LndRest {
    return { ...this.rest(), macaroon: this.macaroon("admin") };
  }

  call<T>(method: string, url: string, body?: unknown): Promise<T> {
    return callLnd<T>(this.adminRest, method, url, body);
  }

  /** Starts it where it has no wallet: it makes one. */
  async runNew(): Promise<void> {
    await this.launch();
    await this.until("NON_EXISTING");
    const { cipher_seed_mnemonic } = await this.callLocked<{ cipher_seed_mnemonic: string[] }>(
      "GET",
      "/v1/genseed",
    );
    const wallet = { wallet_password: WALLET_PASSWORD, cipher_seed_mnemonic };
    await this.callLocked("POST", "/v1/initwallet", wallet);
    await this.until("SERVER_ACTIVE");
  }

  /** Starts it again; its wallet is locked then. */
  async runLocked(): Promise<void> {
    await this.launch();
    await this.until("LOCKED");
  }

  async unlock(): Promise<void> {
    await this.callLocked("POST", "/v1/unlockwallet", { wallet_password: WALLET_PASSWORD });
    await this.until("SERVER_ACTIVE");
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const { child } = this;
    this.child = null;
    process.removeListener("exit", this.killAtExit);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    child.kill(signal);
    await gone;
    clearTimeout(kill);
  }

  /** LND makes another one at the next start. */
  forgetCertificate(): void {
    for (const file of ["tls.cert", "tls.key"]) rmSync(path.join(this.dir, file));
  }

  /** While it is stopped: everything but certificate and macaroons. Returns how it comes back. */
  setWalletAside(folder: string): () => void {
    const data = path.join(this.dir, "data");
    renameSync(data, folder);
    mkdirSync(path.join(this.dir, CHAIN), { recursive: true });
    for (const file of ["macaroons.db", "admin.macaroon"])
      cpSync(path.join(folder, path.relative("data", CHAIN), file), path.join(this.dir, CHAIN, file));
    return () => {
      rmSync(data, { recursive: true });
      renameSync(folder, data);
    };
  }

  private async launch(): Promise<void> {
    const child = spawn(this.binary, this.args(), { stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    process.once("exit", this.killAtExit);
    let output = "";
    const read = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-4_000));
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", (error) => read(Buffer.from(error.message)));
    this.lastOutput = () => output.trim();
  }
  private lastOutput = (): string => "";

  /** Waits for a state, through those before it. */
  private async until(wanted: State): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      const state = await this.callLocked<{ state: string }>("GET", "/v1/state").then(
        (answer) => answer.state,
        (error: unknown) => {
          // Not listening yet, or it has not written its certificate.
          if (error instanceof LndError) throw error;
          return String(error);
        },
      );
      if (state === wanted) return;
      const { child } = this;
      if (!child || child.exitCode !== null || child.pid === undefined) {
        throw new Error(`lnd ended before it was ${wanted}: ${this.lastOutput()}`);
      }
      if (performance.now() > deadline) {
        throw new Error(`lnd is not ${wanted} but ${state}: ${this.lastOutput()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  // Asynchronous, so that a certificate that is not there yet rejects.
  private async callLocked<T>(method: string, url: string, body?: unknown): Promise<T> {
    return callLnd<T>(this.rest(), method, url, body);
  }

  private rest(): LndRest {
    return { port: this.ports.rest, tlsCert: this.tlsCert };
  }

  private args(): string[] {
    const bitcoind = new URL(this.options.bitcoindRpcUrl);
    const sqlite = this.options.database === "sqlite";
    return [
      `--lnddir=${this.dir}`,
      "--bitcoin.regtest",
      "--bitcoin.node=bitcoind",
      `--bitcoind.rpchost=${bitcoind.host}`,
      `--bitcoind.rpcuser=${decodeURIComponent(bitcoind.username)}`,
      `--bitcoind.rpcpass=${decodeURIComponent(bitcoind.password)}`,
      // It finds blocks without ZMQ, of which the node publishes only what the service needs.
      "--bitcoind.rpcpolling",
      "--bitcoind.blockpollinginterval=100ms",
      "--bitcoind.txpollinginterval=100ms",
      `--rpclisten=${this.grpcUrl}`,
      `--restlisten=127.0.0.1:${this.ports.rest}`,
      `--listen=${this.peerUrl}`,
      "--nobootstrap",
      "--maxpendingchannels=5",
      // A node that restarts is back at once.
      "--minbackoff=100ms",
      "--maxbackoff=500ms",
      "--trickledelay=50",
      // A bitcoind that restarts is no reason to end.
      "--healthcheck.chainbackend.attempts=0",
      ...(sqlite ? ["--db.backend=sqlite", "--db.use-native-sql"] : []),
      ...(this.options.args ?? []),
    ];
  }
}
