import { DomainError } from "../../domain/errors";
import { EventStream } from "./event-stream";

export interface OpenStreamsOptions {
  /** The process is about to end, and so do all streams; their readers reconnect to another one. */
  stopping: AbortSignal;
  heartbeatMs: number;
  /** Called for each stream that opens or closes. */
  counted: (by: 1 | -1) => void;
  /** The maximum number of streams of one holder. */
  mostOfOne: number;
  /** The maximum number of all streams; no limit by default. */
  most?: number;
  /** Unread bytes of a reader; see EventStream. */
  unreadMaxBytes?: number;
}

/** The holder of an open stream. */
export interface Holder {
  /** The key by which one holder's streams are counted. */
  key: string;
  gone: AbortSignal;
}

/**
 * The streams of one kind that are open at this process: each until its reader closes or reads too slowly, the process
 * stops, or it is ended.
 */
export class OpenStreams {
  private readonly ofHolder = new Map<string, number>();
  private readonly all = new Set<EventStream>();

  constructor(private readonly options: OpenStreamsOptions) {
    options.stopping.addEventListener("abort", () => {
      for (const stream of this.all) stream.end();
    });
  }

  /**
   * `beat` is called in place of the bare heartbeat.
   * @throws DomainError `rate-limited` when the holder has too many, `unavailable` when all together are.
   */
  open({ key, gone }: Holder, beat = (stream: EventStream): void => stream.heartbeat()): EventStream {
    const { stopping, heartbeatMs, mostOfOne, most = Infinity, unreadMaxBytes } = this.options;
    if ((this.ofHolder.get(key) ?? 0) >= mostOfOne)
      throw new DomainError(
        "rate-limited",
        `At most ${mostOfOne} live connections per client. Close one first.`,
      );
    if (this.all.size >= most)
      throw new DomainError("unavailable", "Too many live connections. Try again later.");
    const stream = new EventStream(unreadMaxBytes);
    if (stopping.aborted || gone.aborted) {
      stream.end();
      return stream;
    }
    this.all.add(stream);
    this.count(key, 1);
    this.options.counted(1);
    const timer = setInterval(() => beat(stream), heartbeatMs);
    stream.whenEnded(() => {
      clearInterval(timer);
      this.all.delete(stream);
      this.count(key, -1);
      this.options.counted(-1);
    });
    gone.addEventListener("abort", () => stream.end());
    return stream;
  }

  private count(key: string, by: 1 | -1): void {
    const streams = (this.ofHolder.get(key) ?? 0) + by;
    if (streams === 0) this.ofHolder.delete(key);
    else this.ofHolder.set(key, streams);
  }
}
