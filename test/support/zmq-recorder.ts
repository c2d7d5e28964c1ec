import { Subscriber } from "zeromq";

/** What a publisher sent, frame by frame. */
export class ZmqRecorder {
  readonly messages: { topic: string; body: Buffer; sequence: number }[] = [];
  private readonly socket = new Subscriber({ receiveHighWaterMark: 0, linger: 0 });
  private readonly reading: Promise<void>;

  /** The publishers know of it a little later: what is sent until then is missed. */
  constructor(urls: readonly string[]) {
    this.socket.subscribe();
    for (const url of urls) this.socket.connect(url);
    this.reading = this.read();
  }

  bodies(topic: string): string[] {
    return this.messages.filter((message) => message.topic === topic).map(({ body }) => body.toString("hex"));
  }

  clear(): void {
    this.messages.length = 0;
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.reading;
  }

  private async read(): Promise<void> {
    try {
      for await (const [topic, body, counter] of this.socket) {
        this.messages.push({
          topic: topic?.toString() ?? "",
          body: body ?? Buffer.alloc(0),
          sequence: counter?.readUInt32LE() ?? -1,
        });
      }
    } catch (error) {
      if (!this.socket.closed) throw error;
    }
  }
}
