/** A peer of a Bitcoin node, as getpeerinfo reports it. */
export interface Peer {
  /** Identifies the connection until the node is restarted. */
  id: number;
  /** Unix seconds, by the node's clock. */
  connectedAtSeconds: number;
  /** False when the peer requests blocks only, or has not said yet. */
  relaysTransactions: boolean;
  /** The height up to which it has sent its headers to the node; -1 before. */
  syncedHeaders: number;
  /** All pings that the node has sent it. */
  pingBytesSent: number;
  /** Whether the last of them is unanswered. */
  pongAwaited: boolean;
  /** From the last ping that was answered to its pong. */
  roundTripMs: number;
}

interface Question {
  /** BITCOIND_MIN_PEERS */
  least: number;
  now: Date;
  caughtUpTo: Date | null;
}

/** Since the pong. What was announced before it is in the mempool by then: nodes request that of some peers 2 s later. */
export const SETTLED_AFTER_MS = 4_000;
/** Peers are not heard when this many times `settledAfterMs` passed without a pong: over Tor a round trip takes seconds. */
const SILENT_AFTER_TIMES = 5;
/** Uptimes are whole seconds. */
const UPTIME_SLACK_MS = 1_000;

/**
 * Proves by answered pings that a node receives: a peer's messages are processed in their order, so what it
 * announced before its pong was received. A list of peers proves nothing, since dead ones stay in it for twenty
 * minutes. All of this may be lost.
 */
export class PeerEcho {
  /**
   * Peers that once sent their headers up to the node's height. They count while they are connected: they do not
   * announce blocks that came from the node.
   */
  readonly #heard = new Set<number>();
  #ping: { sentAt: Date; bytesSent: ReadonlyMap<number, number> } | null = null;
  #silent = false;
  #run = { uptimeSeconds: 0, at: new Date(0) };
  /** Peers that got the last ping that proved something; null before that. */
  #proven: ReadonlySet<number> | null = null;

  constructor(private readonly settledAfterMs = SETTLED_AFTER_MS) {}

  /** Peers that relay transactions and have the chain. */
  counting(peers: readonly Peer[], height: number): Peer[] {
    const connected = new Set(peers.map(({ id }) => id));
    for (const id of this.#heard) if (!connected.has(id)) this.#heard.delete(id);
    for (const { id, syncedHeaders } of peers) if (syncedHeaders >= height) this.#heard.add(id);
    return peers.filter(({ id, relaysTransactions }) => relaysTransactions && this.#heard.has(id));
  }

  /**
   * The ping that `least` peers have answered; null while that is uncertain. `unbroken`: so many were connected when the
   * last complete check began, so that nothing was missed in between.
   */
  read(
    counting: readonly Peer[],
    { least, now, caughtUpTo }: Question,
  ): { sentAt: Date; unbroken: boolean } | null {
    if (this.#ping === null) return null;
    const { sentAt, bytesSent } = this.#ping;
    const age = now.getTime() - sentAt.getTime();
    const pinged = counting.filter(({ id }) => bytesSent.has(id));
    const answered = pinged.filter(
      ({ id, pingBytesSent, pongAwaited, roundTripMs }) =>
        !pongAwaited && pingBytesSent > (bytesSent.get(id) ?? 0) && age >= roundTripMs + this.settledAfterMs,
    );
    const enough = answered.length >= least;
    const unbroken = answered.filter((peer) => this.#wasThere(peer, caughtUpTo)).length >= least;
    const final = unbroken || (enough && answered.length === pinged.length);
    // Too few of them are left, or the clock was set back: another ping is to be sent.
    const useless = pinged.length < least || age < 0;
    if (!useless && !final && age < SILENT_AFTER_TIMES * this.settledAfterMs) return null;
    this.#ping = null;
    if (useless) return null;
    this.#silent = !enough;
    if (!enough) return null;
    this.#proven = new Set(bytesSent.keys());
    return { sentAt, unbroken };
  }

  /** By a ping of this process, or by the node's clock. */
  #wasThere({ id, connectedAtSeconds }: Peer, caughtUpTo: Date | null): boolean {
    return (
      caughtUpTo === null ||
      this.#proven?.has(id) === true ||
      connectedAtSeconds * 1_000 <= caughtUpTo.getTime()
    );
  }

  /** Whether nobody answers; the next ping that is answered ends it. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Whether a new ping is to be sent. */
  get pingIsDue(): boolean {
    return this.#ping === null;
  }

  /** A ping is about to be sent to these peers. */
  ping(peers: readonly Peer[], sentAt: Date): void {
    this.#ping = { sentAt, bytesSent: new Map(peers.map(({ id, pingBytesSent }) => [id, pingBytesSent])) };
  }

  /** The node did not answer in between: it may have stood still, with what peers sent unread. */
  interrupt(): void {
    this.#ping = null;
  }

  /**
   * Whether the node has run since this has proven something. If not, it numbers its peers from the start. `now`: the
   * database's clock.
   */
  noteUptime(seconds: number, now: Date): boolean {
    const { uptimeSeconds, at } = this.#run;
    const ran = (seconds - uptimeSeconds) * 1_000 > now.getTime() - at.getTime() - UPTIME_SLACK_MS;
    this.#run = { uptimeSeconds: seconds, at: now };
    if (ran) return this.#proven !== null;
    this.#proven = null;
    this.#heard.clear();
    this.interrupt();
    return false;
  }
}
