import { Publisher } from "zeromq";
import { bindWhenFree } from "./bind";

export type ZmqTopic = "rawtx" | "hashblock";

/** One topic as bitcoind publishes it: topic, body, and a counter of its own (uint32, little-endian). */
export class ZmqPublisher {
  private readonly socket = new Publisher({ linger: 0, sendHighWaterMark: 0 });
  private sequence = 0;
  /** zeromq takes one send at a time. */
  private sending: Promise<void> = Promise.resolve();

  private constructor(readonly topic: ZmqTopic) {}

  /** @param endpoint tcp://host:port; port * for a free one. */
  static async bind(topic: ZmqTopic, endpoint: string): Promise<ZmqPublisher> {
    const publisher = new ZmqPublisher(topic);
    await bindWhenFree(() => publisher.socket.bind(endpoint));
    return publisher;
  }

  get url(): string {
    const endpoint = this.socket.lastEndpoint;
    if (endpoint === null) throw new Error("the publisher is not bound");
    return endpoint;
  }

  publish(body: Buffer): void {
    const counter = Buffer.alloc(4);
    counter.writeUInt32LE(this.sequence);
    this.skip();
    this.publishRaw([this.topic, body, counter]);
  }

  /** Counts a message that is not delivered. */
  skip(): void {
    this.sequence = (this.sequence + 1) % 2 ** 32;
  }

  /** Any frames at all, to test a subscriber with invalid messages. */
  publishRaw(frames: (string | Buffer)[]): void {
    this.sending = this.sending.then(() => this.socket.send(frames)).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.sending;
    this.socket.close();
  }
}
