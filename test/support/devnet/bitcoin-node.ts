/** The first byte of a script that nobody can spend. */
export const OP_RETURN = 0x6a;

/** Options of a payment beside its amount. */
export interface PayOptions {
  /** In sats per vbyte. */
  feeRate?: number;
  /** Whether it signals BIP 125. Default true, as wallets do. */
  replaceable?: boolean;
  /** Default 2; 3 may always be replaced (BIP 431). */
  version?: 2 | 3;
  /** Sats in an output that nobody can spend (OP_RETURN). */
  burnSats?: bigint;
  /** A payment of the customer to an address of his own, whose output is to be spent; unconfirmed ones too. */
  spending?: string;
}

export interface PayTo {
  address: string;
  amountSats: bigint;
}

/**
 * A regtest node and a customer with coins, the same for the simulated node and a real bitcoind: what the demo and
 * the tests play with.
 */
export interface BitcoinNode {
  /** With user and password. */
  readonly rpcUrl: string;
  readonly zmqUrls: { readonly rawtx: string; readonly hashblock: string };
  /** Any RPC, over HTTP; rejects with RpcError. */
  rpc<T>(method: string, ...params: unknown[]): Promise<T>;

  /** A new address of the customer's own. */
  newAddress(): Promise<string>;
  /** The customer pays; answers the txid. */
  pay(address: string, amountSats: bigint, options?: PayOptions): Promise<string>;
  /** One transaction that pays several. */
  payMany(outputs: readonly PayTo[], options?: PayOptions): Promise<string>;
  /** Replaces an unconfirmed payment by one with a higher fee: the same payments, or other ones. Answers the new txid. */
  bump(txid: string, options?: { to?: readonly PayTo[] }): Promise<string>;
  /** Mines a block whose only payment spends an unconfirmed transaction's inputs back to the customer. Answers the new txid. */
  doubleSpend(txid: string): Promise<string>;
  /** Mines blocks with all of the mempool; answers their hashes. */
  mine(count: number): Promise<string[]>;
  /**
   * Replaces the last `depth` blocks by `depth + 1` others; returns these. What was confirmed is confirmed again, but
   * `exclude` (and its descendants) stays in the mempool, and `doubleSpend` is spent back to the customer.
   */
  reorg(
    depth: number,
    options?: { exclude?: readonly string[]; doubleSpend?: readonly string[] },
  ): Promise<string[]>;
  /** The node forgets an unconfirmed transaction, as it does when its mempool is full. */
  dropFromMempool(txid: string): Promise<void>;
  /** Until `disconnect` or a restart of one of the two. Blocks come over it, and transactions that are new. */
  connect(peer: BitcoinNode): Promise<void>;
  /** From all peers. */
  disconnect(): Promise<void>;
  /** What peers send is lost, and no side notices: until `disconnect`. */
  loseLine(): Promise<void>;
  /** It answers nobody and reads nothing; its connections stay. Until `goOn`. */
  standStill(): Promise<void>;
  goOn(): Promise<void>;
  /** Stops and starts again with the same addresses, chain and mempool (or without what was in that), and no peers. */
  restart(options?: { mempool?: boolean }): Promise<void>;
  /** Stops; `restart` starts it again. */
  halt(): Promise<void>;
  /** Stops for good. */
  stop(): Promise<void>;
}
