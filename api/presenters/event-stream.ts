import { PassThrough } from "node:stream";

/** What a reader may leave lying before it is cut off; it comes back and reads all anew. */
const UNREAD_MAX_BYTES = 256 * 1024;

/** Server-sent events (WHATWG HTML, section 9.2) as the body of an answer. */
export class EventStream {
  readonly body = new PassThrough();

  constructor(private readonly unreadMaxBytes = UNREAD_MAX_BYTES) {}

  /** `data` must be plain JSON. */
  send(event: string, data: object): void {
    this.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** An event without a name. The reader says `id` when it comes back; `json` is on one line. */
  sendAt(id: string, json: string): void {
    this.write(`id: ${id}\ndata: ${json}\n\n`);
  }

  /** How long a reader waits before it comes back. */
  retryAfter(delayMs: number): void {
    this.write(`retry: ${delayMs}\n\n`);
  }

  /** Keeps proxies from closing a silent connection. */
  heartbeat(): void {
    this.write(":\n\n");
  }

  end(): void {
    this.body.end();
  }

  private write(text: string): void {
    if (this.body.writableEnded || this.body.destroyed) return;
    if (this.body.writableLength > this.unreadMaxBytes) this.body.destroy();
    else this.body.write(text);
  }
}
