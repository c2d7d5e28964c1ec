import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Transaction } from "bitcoinjs-lib";
import { scriptOfAddress } from "../../../domain/wallet/address";
import { type BitcoinNode, OP_RETURN, type PayOptions, type PayTo } from "../devnet/bitcoin-node";
import { BitcoindProcess } from "./bitcoind-process";
import { callRpc, type RpcParams } from "../devnet/call-rpc";
import { RpcError } from "../../../scripts/devnet/bitcoin/rpc-error";
import { TcpGate } from "../devnet/tcp-gate";

const FIRST_BLOCKS = 150;
const FEE_RATE = 5;
const REPLACEABLE = 0xfffffffd;
const FINAL = 0xfffffffe;
/** Bitcoin Core's default, per 1,000 vbytes. */
const FEE_RATE_MAX_BTC = 0.1;
const BURNT_MAX_BTC = 1;

interface MempoolEntry {
  vsize: number;
  ancestorcount: number;
  fees: { base: number; descendant: number };
}

/** A real bitcoind on regtest with a customer's wallet: the same to play with as the simulated node. */
export class RealNode implements BitcoinNode {
  /** To the peers that it connected to. */
  private readonly lines: TcpGate[] = [];

  private constructor(
    private readonly bitcoind: BitcoindProcess,
    private readonly dataDir: string,
  ) {}

  /**
   * @param binary Path or name of a bitcoind with wallet and ZMQ. It gets a folder of its own, gone after `stop`.
   * `empty`: it begins with only the genesis block, and gets its chain from a peer. `args`: more of bitcoind's own.
   */
  static async start(
    binary: string,
    { empty = false, args = [] }: { empty?: boolean; args?: readonly string[] } = {},
  ): Promise<RealNode> {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), "quittance-bitcoind-"));
    // The customer broadcasts separately, so that a transaction that was dropped stays dropped.
    const bitcoind = await BitcoindProcess.start(binary, dataDir, ["-walletbroadcast=0", ...args]);
    const call = <T>(method: string, params: RpcParams): Promise<T> =>
      callRpc<T>(bitcoind.rpcUrl, method, params);
    await call("createwallet", { wallet_name: "customer", load_on_startup: true });
    if (!empty) await call("generatetoaddress", [FIRST_BLOCKS, await call<string>("getnewaddress", [])]);
    return new RealNode(bitcoind, dataDir);
  }

  get rpcUrl(): string {
    return this.bitcoind.rpcUrl;
  }

  get zmqUrls(): { rawtx: string; hashblock: string } {
    return this.bitcoind.zmqUrls;
  }

  rpc<T>(method: string, ...params: unknown[]): Promise<T> {
    return callRpc<T>(this.rpcUrl, method, params);
  }

  newAddress(): Promise<string> {
    return this.rpc("getnewaddress");
  }

  pay(address: string, amountSats: bigint, options: PayOptions = {}): Promise<string> {
    return this.payMany([{ address, amountSats }], options);
  }

  async payMany(outputs: readonly PayTo[], options: PayOptions = {}): Promise<string> {
    const { replaceable = true, version = 2, spending } = options;
    const tx = new Transaction();
    tx.version = version;
    if (spending !== undefined)
      tx.addInput(
        Buffer.from(spending, "hex").reverse(),
        await this.ownOutputOf(spending),
        replaceable ? REPLACEABLE : FINAL,
      );
    for (const output of outputs) addPayTo(tx, output);
    if (options.burnSats !== undefined) tx.addOutput(Buffer.of(OP_RETURN), options.burnSats);
    return this.fundAndSend(tx, {
      fee_rate: options.feeRate ?? FEE_RATE,
      replaceable,
    });
  }

  async bump(txid: string, options: { to?: readonly PayTo[] } = {}): Promise<string> {
    const entry = await this.rpc<MempoolEntry>("getmempoolentry", txid);
    const old = await this.mempoolTx(txid);
    const tx = new Transaction();
    tx.version = 2;
    for (const { hash, index } of old.ins) tx.addInput(hash, index, REPLACEABLE);
    if (options.to) for (const output of options.to) addPayTo(tx, output);
    else for (const { script, value } of await this.foreignOutputs(txid, old)) tx.addOutput(script, value);
    const descendantFeesSats = entry.fees.descendant * 1e8;
    const feeRate = Math.ceil((2 * descendantFeesSats) / entry.vsize) + FEE_RATE;
    return this.fundAndSend(tx, { fee_rate: feeRate, replaceable: true, minconf: 1 });
  }

  async doubleSpend(txid: string): Promise<string> {
    const ancestors = await this.rpc<string[]>("getmempoolancestors", txid);
    const needed = (await this.mempoolInOrder()).filter((id) => ancestors.includes(id));
    const conflict = await this.conflictOf(txid);
    await this.generateBlock([...needed, conflict.toHex()]);
    return conflict.getId();
  }

  async mine(count: number): Promise<string[]> {
    // A new address each time: with the same one a block after a reorganisation could be the very block that went.
    return this.rpc("generatetoaddress", count, await this.newAddress());
  }

  async reorg(
    depth: number,
    options: { exclude?: readonly string[]; doubleSpend?: readonly string[] } = {},
  ): Promise<string[]> {
    const tip = await this.rpc<number>("getblockcount");
    await this.rpc("invalidateblock", await this.rpc<string>("getblockhash", tip - depth + 1));
    const conflicts: string[] = [];
    for (const txid of options.doubleSpend ?? []) conflicts.push((await this.conflictOf(txid)).toHex());
    const left = new Set<string>();
    for (const txid of [...(options.exclude ?? []), ...(options.doubleSpend ?? [])]) {
      left.add(txid);
      for (const id of await this.rpc<string[]>("getmempooldescendants", txid)) left.add(id);
    }
    const confirmed = (await this.mempoolInOrder()).filter((txid) => !left.has(txid));
    const hashes = [await this.generateBlock([...confirmed, ...conflicts])];
    while (hashes.length <= depth) hashes.push(await this.generateBlock([]));
    return hashes;
  }

  /** bitcoind has no call for it: it starts again without its mempool, and gets all the others back. */
  async dropFromMempool(txid: string): Promise<void> {
    const descendants = await this.rpc<string[]>("getmempooldescendants", txid);
    const kept: string[] = [];
    for (const id of await this.mempoolInOrder()) {
      if (id !== txid && !descendants.includes(id)) kept.push((await this.mempoolTx(id)).toHex());
    }
    await this.restart({ mempool: false });
    for (const hex of kept) await this.rpc("sendrawtransaction", hex);
  }

  async connect(peer: BitcoinNode): Promise<void> {
    if (!(peer instanceof RealNode)) throw new Error("a real node has real peers");
    const line = TcpGate.make(0);
    await line.open(peer.bitcoind.peerPort);
    this.lines.push(line);
    await this.rpc("addnode", `127.0.0.1:${line.port}`, "onetry");
  }

  async loseLine(): Promise<void> {
    for (const line of this.lines) line.freeze();
  }

  async standStill(): Promise<void> {
    this.bitcoind.signal("SIGSTOP");
  }

  async goOn(): Promise<void> {
    this.bitcoind.signal("SIGCONT");
  }

  async disconnect(): Promise<void> {
    for (const { id } of await this.rpc<{ id: number }[]>("getpeerinfo"))
      await this.rpc("disconnectnode", "", id).catch(ignoreGone);
    await this.closeLines();
  }

  async halt(): Promise<void> {
    await this.bitcoind.stop();
  }

  async restart({ mempool = true }: { mempool?: boolean } = {}): Promise<void> {
    await this.bitcoind.stop();
    if (!mempool) this.forgetMempool();
    await this.bitcoind.run();
  }

  async stop(): Promise<void> {
    await this.bitcoind.stop();
    await this.closeLines();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private async closeLines(): Promise<void> {
    for (const line of this.lines.splice(0)) await line.close();
  }

  private forgetMempool(): void {
    rmSync(path.join(this.dataDir, "regtest", "mempool.dat"), { force: true });
  }

  private async fundAndSend(tx: Transaction, options: Record<string, unknown>): Promise<string> {
    // iswitness false: a transaction without inputs looks like the head of a segwit one.
    const iswitness = tx.ins.length > 0;
    const params = { hexstring: tx.toHex(), options, iswitness };
    const { hex } = await callRpc<{ hex: string }>(this.rpcUrl, "fundrawtransaction", params);
    return this.rpc("sendrawtransaction", (await this.sign(hex)).toHex(), FEE_RATE_MAX_BTC, BURNT_MAX_BTC);
  }

  private async sign(hex: string): Promise<Transaction> {
    const signed = await this.rpc<{ hex: string; complete: boolean }>("signrawtransactionwithwallet", hex);
    if (!signed.complete) throw new Error("the customer's wallet could not sign");
    return Transaction.fromHex(signed.hex);
  }

  /** Spends the inputs of an unconfirmed transaction of the customer back to the customer. */
  private async conflictOf(txid: string): Promise<Transaction> {
    const old = await this.mempoolTx(txid);
    const entry = await this.rpc<MempoolEntry>("getmempoolentry", txid);
    const tx = new Transaction();
    tx.version = 2;
    let inSats = 0n;
    for (const { hash, index } of old.ins) {
      tx.addInput(hash, index, REPLACEABLE);
      const previous = Buffer.from(hash).reverse().toString("hex");
      const { hex } = await this.rpc<{ hex: string }>("gettransaction", previous);
      inSats += Transaction.fromHex(hex).outs[index]?.value ?? 0n;
    }
    const feeSats = BigInt(Math.round(entry.fees.base * 1e8)) + 1_000n;
    addPayTo(tx, { address: await this.newAddress(), amountSats: inSats - feeSats });
    return this.sign(tx.toHex());
  }

  private async foreignOutputs(txid: string, tx: Transaction): Promise<Transaction["outs"]> {
    const { details } = await this.rpc<{ details: { category: string; vout: number; address: string }[] }>(
      "gettransaction",
      txid,
    );
    // The wallet lists what it received itself twice: as sent and as received. Its change it lists not at all.
    const own = new Set(details.filter(({ category }) => category === "receive").map(({ vout }) => vout));
    const sent = new Set(details.filter(({ category }) => category === "send").map(({ vout }) => vout));
    return tx.outs.filter((_, vout) => sent.has(vout) && !own.has(vout));
  }

  /** An output that is the customer's own: received by an address of his, or change. */
  private async ownOutputOf(txid: string): Promise<number> {
    const coins = await this.rpc<{ txid: string; vout: number }[]>("listunspent", 0);
    const coin = coins.find((each) => each.txid === txid);
    if (!coin) throw new Error(`${txid} pays the customer nothing`);
    return coin.vout;
  }

  private async generateBlock(transactions: readonly string[]): Promise<string> {
    const { hash } = await this.rpc<{ hash: string }>("generateblock", await this.newAddress(), transactions);
    return hash;
  }

  private async mempoolTx(txid: string): Promise<Transaction> {
    return Transaction.fromHex(await this.rpc<string>("getrawtransaction", txid));
  }

  /** Txids, each after those that it spends from. */
  private async mempoolInOrder(): Promise<string[]> {
    const entries = await this.rpc<Record<string, MempoolEntry>>("getrawmempool", true);
    return Object.entries(entries)
      .sort(([, a], [, b]) => a.ancestorcount - b.ancestorcount)
      .map(([txid]) => txid);
  }
}

/** It has left on its own meanwhile. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof RpcError)) throw error;
}

function addPayTo(tx: Transaction, { address, amountSats }: PayTo): void {
  const script = scriptOfAddress(address, "regtest");
  if (script === null) throw new Error(`not a regtest address: ${address}`);
  tx.addOutput(script, amountSats);
}
