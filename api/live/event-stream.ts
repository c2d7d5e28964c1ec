import type { Writable } from "node:stream";

/** Then it is cut off, reconnects and loads everything. */
const UNREAD_MAX_BYTES = 256 * 1024;

/** WHATWG HTML, section 9.2. Without a stream in between: thousands are open. */
export class EventStream {
  ended = false;
  private reader: Writable | null = null;
  private waiting = "";
  private readonly atEnd: (() => void)[] = [];

  /** `data` must be plain JSON. */
  send(event: string, data: object): void {
    this.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  retryAfter(delayMs: number): void {
    this.write(`retry: ${delayMs}\n\n`);
  }

  /** Against proxies that close a silent connection. */
  heartbeat(): void {
    this.write(":\n\n");
  }

  writeTo(reader: Writable): void {
    this.reader = reader;
    reader.write(this.waiting);
    this.waiting = "";
    if (this.ended) reader.end();
  }

  /** At once if it has ended. */
  whenEnded(then: () => void): void {
    if (this.ended) then();
    else this.atEnd.push(then);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.reader?.end();
    for (const then of this.atEnd) then();
  }

  private write(text: string): void {
    if (this.ended) return;
    if (this.reader === null) this.waiting += text;
    else if (this.reader.writableLength <= UNREAD_MAX_BYTES) this.reader.write(text);
    else {
      this.reader.destroy();
      this.end();
    }
  }
}
