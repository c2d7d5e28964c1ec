import type { Chain } from "../../../scripts/devnet/bitcoin/chain";

/** A peer as seen by another. */
interface Peer {
  readonly peers: Peers;
  readonly chain: Chain;
  clock(): number;
  receive(raw: Buffer): void;
  takeChainOf(other: Chain): void;
}

interface Link {
  id: number;
  /** Unix seconds. */
  connectedAt: number;
  pingBytesSent: number;
  /** Unix seconds; null where no pong is awaited. */
  pingedAt: number | null;
  /** The height of the last block that the peer has sent; -1 before. */
  syncedHeaders: number;
}

/** As Bitcoin's wire has it: a header and a nonce. */
const PING_BYTES = 32;

/**
 * A node's connections. They carry blocks, past ones too, and new transactions: a peer does not get what was in the
 * mempool when the connection was made.
 */
export class Peers {
  readonly #links = new Map<Peer, Link>();
  #nextId = 0;
  /** What came while the node did not read; null while it reads. */
  #unread: (() => void)[] | null = null;
  #dead = false;

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
    this.#unread = null;
    this.#dead = false;
  }

  /** The line is dead: nothing passes in either direction, and no side notices. Until `disconnect`. */
  loseLine(): void {
    this.#dead = true;
  }

  /** What peers send waits, until `readOn`. */
  stopReading(): void {
    this.#unread ??= [];
  }

  readOn(): void {
    const waiting = this.#unread ?? [];
    this.#unread = null;
    for (const take of waiting) take();
  }

  /** As ping: each answers when it has come to it. */
  ping(): void {
    for (const [other, link] of this.#links) {
      link.pingBytesSent += PING_BYTES;
      link.pingedAt = this.core.clock();
      other.peers.send(this.core, () => void (link.pingedAt = null));
    }
  }

  /** To all of them: the chain has grown. */
  announce(): void {
    // What a peer has sent us itself is not sent back.
    for (const other of [...this.#links.keys()])
      if (!other.chain.blocks.has(this.core.chain.tip.hash))
        this.send(other, () => other.peers.hear(this.core));
  }

  relay(raw: Buffer): void {
    for (const other of [...this.#links.keys()]) this.send(other, () => other.receive(raw));
  }

  /** As getpeerinfo. */
  list(): Record<string, unknown>[] {
    return [...this.#links.values()].map(({ id, syncedHeaders, connectedAt, pingBytesSent, pingedAt }) => ({
      id,
      conntime: connectedAt,
      bytessent_per_msg: pingBytesSent > 0 ? { ping: pingBytesSent } : {},
      ...(pingedAt === null ? {} : { pingwait: this.core.clock() - pingedAt }),
      addr: `127.0.0.1:${20_000 + id}`,
      relaytxes: true,
      synced_headers: syncedHeaders,
      synced_blocks: syncedHeaders,
      connection_type: "manual",
    }));
  }

  private add(other: Peer): void {
    if (this.#links.has(other)) return;
    const connectedAt = this.core.clock();
    const id = this.#nextId++;
    this.#links.set(other, { id, connectedAt, pingBytesSent: 0, pingedAt: null, syncedHeaders: -1 });
  }

  private send(other: Peer, take: () => void): void {
    const { peers } = other;
    if (this.#dead || peers.#dead) return;
    if (peers.#unread === null) take();
    else peers.#unread.push(take);
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
