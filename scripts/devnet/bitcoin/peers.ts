import type { Chain } from "./chain";

/** A peer as seen by another. */
interface Peer {
  readonly peers: Peers;
  readonly chain: Chain;
  receive(raw: Buffer): void;
  takeChainOf(other: Chain): void;
}

interface Link {
  id: number;
  /** The height of the last block that the peer has sent; -1 before. */
  syncedHeaders: number;
}

/**
 * A node's connections. They carry blocks, past ones too, and new transactions: a peer does not get what was in the
 * mempool when the connection was made.
 */
export class Peers {
  readonly #links = new Map<Peer, Link>();
  #nextId = 0;

  constructor(private readonly core: Peer) {}

  connect(other: Peer): void {
    this.add(other);
    other.peers.add(this.core);
    // A node without blocks has nothing to send.
    const [told, heard] = [this.core.chain.tip.height, other.chain.tip.height];
    if (told > 0) other.peers.hear(this.core);
    if (heard > 0) this.hear(other);
  }

  disconnect(): void {
    for (const other of this.#links.keys()) other.peers.#links.delete(this.core);
    this.#links.clear();
  }

  /** To all of them: the chain has grown. */
  announce(): void {
    // What a peer has sent us itself is not sent back.
    for (const other of [...this.#links.keys()])
      if (!other.chain.blocks.has(this.core.chain.tip.hash)) other.peers.hear(this.core);
  }

  relay(raw: Buffer): void {
    for (const other of [...this.#links.keys()]) other.receive(raw);
  }

  /** As getpeerinfo. */
  list(): Record<string, unknown>[] {
    return [...this.#links.values()].map(({ id, syncedHeaders }) => ({
      id,
      addr: `127.0.0.1:${20_000 + id}`,
      relaytxes: true,
      synced_headers: syncedHeaders,
      synced_blocks: syncedHeaders,
      connection_type: "manual",
    }));
  }

  private add(other: Peer): void {
    if (!this.#links.has(other)) this.#links.set(other, { id: this.#nextId++, syncedHeaders: -1 });
  }

  private note(other: Peer): void {
    const link = this.#links.get(other);
    if (link !== undefined) link.syncedHeaders = other.chain.tip.height;
  }

  private hear(other: Peer): void {
    this.note(other);
    this.core.takeChainOf(other.chain);
  }
}
