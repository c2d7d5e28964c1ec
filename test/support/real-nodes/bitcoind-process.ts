import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { freePort } from "../../../scripts/devnet/free-port";
import { callRpc } from "../devnet/call-rpc";

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;

/** A regtest bitcoind in a folder, on ports of its own that it keeps over restarts. */
export class BitcoindProcess {
  private child: ChildProcess | null = null;
  private readonly killAtExit = (): void => void this.child?.kill("SIGKILL");

  private constructor(
    private readonly binary: string,
    private readonly dataDir: string,
    private readonly password: string,
    private readonly ports: { rpc: number; p2p: number; rawtx: number; hashblock: number },
    private readonly more: readonly string[],
  ) {}

  /** @param more Further options of bitcoind's own. */
  static async start(
    binary: string,
    dataDir: string,
    more: readonly string[] = [],
  ): Promise<BitcoindProcess> {
    const ports = {
      rpc: await freePort(),
      p2p: await freePort(),
      rawtx: await freePort(),
      hashblock: await freePort(),
    };
    const process = new BitcoindProcess(binary, dataDir, randomBytes(16).toString("hex"), ports, more);
    await process.run();
    return process;
  }

  get rpcUrl(): string {
    return `http://devnet:${this.password}@127.0.0.1:${this.ports.rpc}`;
  }

  /** Where other nodes connect to. */
  get peerPort(): number {
    return this.ports.p2p;
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.child?.kill(signal);
  }

  get zmqUrls(): { rawtx: string; hashblock: string } {
    return {
      rawtx: `tcp://127.0.0.1:${this.ports.rawtx}`,
      hashblock: `tcp://127.0.0.1:${this.ports.hashblock}`,
    };
  }

  /** Starts it and waits until it answers and has loaded its mempool, which it may do a little later. */
  async run(): Promise<void> {
    const child = spawn(this.binary, this.args(), { stdio: ["ignore", "ignore", "pipe"] });
    this.child = child;
    process.once("exit", this.killAtExit);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-4_000)));
    child.once("error", (error) => (stderr += error.message));
    const deadline = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      try {
        const { loaded } = await callRpc<{ loaded: boolean }>(this.rpcUrl, "getmempoolinfo", []);
        if (loaded) return;
        throw new Error("bitcoind is still loading its mempool");
      } catch (error) {
        // Not listening yet, -28 while it warms up, or its mempool.
        if (child.exitCode !== null || child.pid === undefined) {
          throw new Error(`bitcoind did not start: ${stderr.trim()}`, { cause: error });
        }
        if (performance.now() > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    child.kill("SIGTERM");
    child.kill("SIGCONT");
    await gone;
    clearTimeout(kill);
    process.removeListener("exit", this.killAtExit);
    this.child = null;
  }

  private args(): string[] {
    return [
      "-regtest",
      `-datadir=${this.dataDir}`,
      "-printtoconsole=0",
      "-listen=1",
      `-bind=127.0.0.1:${this.ports.p2p}`,
      "-listenonion=0",
      "-discover=0",
      // Peers get transactions at once, not after some random seconds.
      "-whitelist=noban@127.0.0.1",
      "-connect=0",
      "-server=1",
      "-rpcbind=127.0.0.1",
      "-rpcallowip=127.0.0.1",
      `-rpcport=${this.ports.rpc}`,
      "-rpcuser=devnet",
      `-rpcpassword=${this.password}`,
      `-zmqpubrawtx=${this.zmqUrls.rawtx}`,
      `-zmqpubhashblock=${this.zmqUrls.hashblock}`,
      "-fallbackfee=0.00005",
      "-addresstype=bech32",
      ...this.more,
    ];
  }
}
