import { randomBytes } from "node:crypto";
import { freePort } from "../free-port";
import { FEE_RATE, type ScriptOutput } from "./customer-wallet";
import { NodeCore } from "./node-core";
import { RPC, RpcError } from "./rpc-error";
import { chainMethods, controlMethods } from "./rpc-chain";
import { mempoolMethods } from "./rpc-mempool";
import { scriptOf, text, type Method } from "./rpc-params";
import { outputsOf, walletMethods } from "./rpc-wallet";
import { type Answering, RpcServer } from "./rpc-server";
import { ZmqPublisher, type ZmqTopic } from "./zmq-publisher";

/** A regtest bitcoind of our own: real transactions and blocks, RPC and ZMQ, and a customer with coins. No scripts are run. */
export class SimulatedNode {
  private readonly ports = { rpc: 0, rawtx: 0, hashblock: 0 };
  private readonly credentials = `devnet:${randomBytes(16).toString("hex")}`;
  private server: RpcServer | null = null;
  protected publishers: Record<ZmqTopic, ZmqPublisher> | null = null;

  protected constructor(readonly core: NodeCore) {}

  /** `dataDir` keeps chain, mempool and wallet over restarts. */
  static async start(options: { dataDir?: string } = {}): Promise<SimulatedNode> {
    return new SimulatedNode(new NodeCore(options).mineFirst()).begin();
  }

  get rpcUrl(): string {
    return `http://${this.credentials}@127.0.0.1:${this.ports.rpc}`;
  }

  get zmqUrls(): Record<ZmqTopic, string> {
    return {
      rawtx: `tcp://127.0.0.1:${this.ports.rawtx}`,
      hashblock: `tcp://127.0.0.1:${this.ports.hashblock}`,
    };
  }

  /** The customer pays; answers the txid. */
  async pay(address: string, amountSats: bigint): Promise<string> {
    return this.core.pay(scriptOf(address), amountSats);
  }

  /** Mines blocks with all of the mempool; answers their hashes. */
  async mine(count: number): Promise<string[]> {
    return Array.from({ length: count }, () => this.core.mineMempool(this.core.wallet.rewardScript));
  }

  /** By ZMQ, with the next number. */
  publish(topic: ZmqTopic, body: Buffer): void {
    this.publishers?.[topic].publish(body);
  }

  async stop(): Promise<void> {
    await this.close();
  }

  protected async begin(): Promise<this> {
    for (const name of ["rpc", "rawtx", "hashblock"] as const) this.ports[name] = await freePort();
    await this.open();
    this.core.listen({
      rawtx: (raw) => this.publish("rawtx", raw),
      hashblock: (hash) => this.publish("hashblock", hash),
    });
    return this;
  }

  protected async open(): Promise<void> {
    const rawtx = await ZmqPublisher.bind("rawtx", this.zmqUrls.rawtx);
    const hashblock = await ZmqPublisher.bind("hashblock", this.zmqUrls.hashblock);
    this.publishers = { rawtx, hashblock };
    const methods = new Map(Object.entries(this.methods()));
    const { credentials, answering } = this;
    this.server = await RpcServer.listen(
      (method, params) => {
        const run = methods.get(method);
        if (!run) throw new RpcError(RPC.methodNotFound, "Method not found");
        return run(params);
      },
      { port: this.ports.rpc, credentials, answering },
    );
  }

  protected async close(): Promise<void> {
    this.core.keepMempool();
    const { server, publishers } = this;
    this.server = null;
    this.publishers = null;
    await Promise.all([server?.close(), publishers?.rawtx.close(), publishers?.hashblock.close()]);
  }

  protected readonly answering: Answering = (answer) => answer();

  protected methods(): Record<string, Method> {
    const { core } = this;
    return {
      ...chainMethods(core),
      ...controlMethods(core),
      ...mempoolMethods(core),
      ...walletMethods(core),
      getzmqnotifications: () =>
        (["hashblock", "rawtx"] as const).map((topic) => ({
          type: `pub${topic}`,
          address: this.zmqUrls[topic],
          hwm: 1000,
        })),
      bumpfee: (params) => ({ txid: this.replace(text(params, 0, "txid"), outputsOf(params[1])) }),
    };
  }

  /** Pays the same, or these outputs, for a higher fee. Answers the new txid. */
  protected replace(txid: string, outputs?: readonly ScriptOutput[]): string {
    const { mempool, wallet } = this.core;
    const entry = mempool.entryOf(txid);
    const kept = entry.tx.outs
      .filter(({ script }) => !wallet.isOwn(script))
      .map(({ script, value }) => ({ scriptPubKey: script, valueSats: value }));
    const replaced = [entry, ...mempool.descendants(txid).flatMap((id) => mempool.entries.get(id) ?? [])];
    const oldFeesSats = replaced.reduce((sum, { feeSats }) => sum + feeSats, 0n);
    const rate = Number(entry.feeSats) / entry.vsize;
    const tx = wallet.fund({
      outputs: outputs ?? kept,
      mustSpend: mempool.coinsOf(entry.spends),
      feeRate: rate + FEE_RATE,
      feeAtLeastSats: oldFeesSats + 1_000n,
      replaceable: true,
    });
    return this.core.broadcast(tx);
  }
}
