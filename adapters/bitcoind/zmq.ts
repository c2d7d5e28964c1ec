import { setTimeout as sleep } from "node:timers/promises";
import { Subscriber } from "zeromq";
import type { Log } from "../../commands/ports";

export const ZMQ_TOPICS = ["rawtx", "hashblock"] as const;
export type ZmqTopic = (typeof ZMQ_TOPICS)[number];

export interface ZmqHandlers {
  onRawTx(rawTx: Buffer): void;
  /** `hash` in the usual notation. */
  onBlock(hash: string): void;
  /** Messages of the topic were lost, or its publisher restarted. */
  onGap(topic: ZmqTopic): void;
  /** A lost or silent connection was replaced: messages in between may be lost. */
  onReconnected(topic: ZmqTopic): void;
  onMalformed(topic: ZmqTopic): void;
}

export interface ZmqSettings {
  /** `tcp://host:port` of each topic; null for one that is not published. */
  addresses: Record<ZmqTopic, string | null>;
  /** A topic that is silent for longer is treated as a dead connection. */
  silenceMs?: Partial<Record<ZmqTopic, number>>;
  /** First and longest wait between attempts to reconnect. */
  reconnectMs?: { first: number; most: number };
}

export interface ZmqSubscription {
  close(): Promise<void>;
}

/** Transactions come all the time, while a block may take an hour. */
const SILENCE_MS: Record<ZmqTopic, number> = { rawtx: 5 * 60_000, hashblock: 60 * 60_000 };
const RECONNECT_MS = { first: 1_000, most: 30_000 };
/** No transaction or hash is larger (a block's weight limit). */
const MESSAGE_BYTES_MAX = 4_000_000;
const SEQUENCE_MODULUS = 2 ** 32;

/**
 * Listens to bitcoind's publishers. Every message is a hint: the sockets have no authentication and drop messages
 * when they are full.
 */
export function subscribeZmq(settings: ZmqSettings, handlers: ZmqHandlers, log: Log): ZmqSubscription {
  const stop = new AbortController();
  const loops = ZMQ_TOPICS.flatMap((topic) => {
    const address = settings.addresses[topic];
    return address === null ? [] : [listen({ topic, address }, settings, handlers, log, stop.signal)];
  });
  return {
    async close() {
      stop.abort();
      await Promise.all(loops);
    },
  };
}

interface Source {
  topic: ZmqTopic;
  address: string;
}

/** Listens to one topic while the subscription lives: with a new socket after each silence or failure. */
async function listen(
  { topic, address }: Source,
  settings: ZmqSettings,
  handlers: ZmqHandlers,
  log: Log,
  stop: AbortSignal,
): Promise<void> {
  const { first, most } = settings.reconnectMs ?? RECONNECT_MS;
  let waitMs = first;
  for (let again = false; !stop.aborted; again = true) {
    try {
      const connection = new Connection({ topic, address }, settings, handlers, again);
      const heard = await connection.run(stop);
      if (heard) waitMs = first;
      if (!stop.aborted) log.info({ topic }, "zmq: silent, reconnecting");
    } catch (error) {
      log.warn({ topic, err: error }, "zmq: connection failed, reconnecting");
    }
    await sleep(waitMs, undefined, { signal: stop }).catch(() => undefined); // stopped
    waitMs = Math.min(waitMs * 2, most);
  }
}

class Connection {
  readonly #topic: ZmqTopic;
  readonly #address: string;
  readonly #settings: ZmqSettings;
  readonly #handlers: ZmqHandlers;
  readonly #socket: Subscriber;
  #connectedBefore: boolean;
  #lastSequence: number | null = null;

  constructor({ topic, address }: Source, settings: ZmqSettings, handlers: ZmqHandlers, again: boolean) {
    this.#topic = topic;
    this.#address = address;
    this.#settings = settings;
    this.#handlers = handlers;
    this.#connectedBefore = again;
    this.#socket = new Subscriber({
      ipv6: true,
      receiveHighWaterMark: 0,
      tcpKeepalive: 1,
      tcpKeepaliveIdle: 60,
      tcpKeepaliveInterval: 10,
      maxMessageSize: MESSAGE_BYTES_MAX,
      linger: 0,
    });
  }

  /** Until silence or stop. Returns whether any message came. */
  async run(stop: AbortSignal): Promise<boolean> {
    const socket = this.#socket;
    const close = (): void => socket.close();
    stop.addEventListener("abort", close);
    let heard = false;
    try {
      // libzmq reconnects when the publisher comes back; only this event reports it.
      socket.events.on("connect", () => {
        if (this.#connectedBefore && !stop.aborted) this.#handlers.onReconnected(this.#topic);
        this.#connectedBefore = true;
      });
      socket.connect(this.#address);
      socket.subscribe(this.#topic);
      socket.receiveTimeout = this.#settings.silenceMs?.[this.#topic] ?? SILENCE_MS[this.#topic];
      while (!stop.aborted) {
        this.#take(await socket.receive());
        heard = true;
      }
    } catch (error) {
      // EAGAIN: the receive timeout, which is our silence limit.
      if (!stop.aborted && (error as { code?: string }).code !== "EAGAIN") throw error;
    } finally {
      stop.removeEventListener("abort", close);
      if (!socket.closed) socket.close();
    }
    return heard;
  }

  /** [topic, body, sequence as uint32 little-endian] */
  #take(parts: Buffer[]): void {
    const topic = this.#topic;
    const [name, body, counter] = parts;
    const wellFormed =
      parts.length === 3 &&
      name?.toString() === topic &&
      counter?.length === 4 &&
      (topic === "hashblock" ? body?.length === 32 : (body?.length ?? 0) > 0);
    if (!wellFormed || !body || !counter) return this.#handlers.onMalformed(topic);
    const sequence = counter.readUInt32LE();
    const expected = this.#lastSequence === null ? sequence : (this.#lastSequence + 1) % SEQUENCE_MODULUS;
    this.#lastSequence = sequence;
    if (sequence !== expected) this.#handlers.onGap(topic);
    if (topic === "hashblock") this.#handlers.onBlock(body.toString("hex"));
    else this.#handlers.onRawTx(body);
  }
}
