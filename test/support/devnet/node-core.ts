import { type Block, Transaction } from "bitcoinjs-lib";
import type { Chain } from "../../../scripts/devnet/bitcoin/chain";
import type { MempoolEntry } from "../../../scripts/devnet/bitcoin/mempool";
import { NodeCore } from "../../../scripts/devnet/bitcoin/node-core";
import { RPC, RpcError } from "../../../scripts/devnet/bitcoin/rpc-error";
import { Peers } from "./peers";

/** What tests may break. All false, null or zero in a healthy node. */
export interface NodeFaults {
  /** ZMQ messages are counted but not sent. */
  dropZmq: boolean;
  /** RPC answers -28. */
  warmingUp: boolean;
  /** The mempool is still being read from disk. */
  mempoolLoading: boolean;
  initialBlockDownload: boolean;
  /** Blocks below this height were pruned. */
  prunedBelow: number;
  /** Sent in place of every RPC answer. */
  garbledRpc: string | null;
  /** The chain that the node says it is on. */
  chain: string;
  /** It relays no transactions. */
  blocksOnly: boolean;
  /** Why sendrawtransaction refuses what is not in the mempool. */
  refusal: string | null;
}

/** With peers, reorganisations, and what is lost. */
export class TestNodeCore extends NodeCore {
  readonly peers: Peers = new Peers(this);
  readonly faults: NodeFaults = {
    dropZmq: false,
    warmingUp: false,
    mempoolLoading: false,
    initialBlockDownload: false,
    prunedBelow: 0,
    garbledRpc: null,
    chain: "regtest",
    blocksOnly: false,
    refusal: null,
  };

  /** As from a peer: invalid ones are skipped. */
  receive(raw: Buffer): void {
    try {
      this.broadcast(Transaction.fromBuffer(raw));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }

  /** As from a peer: takes its blocks, and follows them where its chain is longer. */
  takeChainOf(other: Chain): void {
    const missing: Block[] = [];
    for (let at = other.tip; !this.chain.blocks.has(at.hash);) {
      missing.unshift(at.block);
      const previous = other.blocks.get(at.previousHash);
      if (previous === undefined) throw new Error("the peer's chain has a hole");
      at = previous;
    }
    for (const block of missing) this.keepBlock(block);
    if (missing.length > 0) this.apply(this.chain.activate());
  }

  /** Forgets all that is unconfirmed. */
  emptyMempool(): void {
    for (const txid of [...this.mempool.entries.keys()]) this.mempool.remove(txid);
    this.keepMempool();
  }

  /** Forgets an unconfirmed transaction and its descendants. */
  drop(txid: string): MempoolEntry[] {
    const gone = this.mempool.remove(txid);
    this.keepMempool();
    return gone;
  }

  invalidate(hash: string): void {
    this.mark(hash, true);
  }

  reconsider(hash: string): void {
    this.mark(hash, false);
  }

  /** A signed transaction that spends the inputs of `entry` back to the customer, for a higher fee. */
  conflictOf(entry: { spends: readonly string[]; feeSats: bigint }): { tx: Transaction; feeSats: bigint } {
    const coins = this.mempool.coinsOf(entry.spends);
    const feeAtLeastSats = entry.feeSats + 1_000n;
    const tx = this.wallet.fund({
      outputs: [],
      mustSpend: coins,
      feeRate: 5,
      replaceable: true,
      feeAtLeastSats,
    });
    const inSats = coins.reduce((sum, { valueSats }) => sum + valueSats, 0n);
    return { tx, feeSats: inSats - tx.outs.reduce((sum, { value }) => sum + value, 0n) };
  }

  protected override tipMoved(): void {
    if (this.faults.initialBlockDownload) this.keepMempool();
    else super.tipMoved();
    this.peers.announce();
  }

  protected override added(tx: Transaction): void {
    super.added(tx);
    this.peers.relay(Buffer.from(tx.toBuffer()));
  }

  /** A block, and all that follows it. */
  private mark(hash: string, invalid: boolean): void {
    const { blocks } = this.chain;
    if (!blocks.has(hash)) throw new RpcError(RPC.notFound, "Block not found");
    for (const block of blocks.values())
      for (let at = blocks.get(block.hash); at; at = blocks.get(at.previousHash))
        if (at.hash === hash) block.invalid = invalid;
    if (!invalid) for (let at = blocks.get(hash); at; at = blocks.get(at.previousHash)) at.invalid = false;
    this.apply(this.chain.activate());
  }
}
