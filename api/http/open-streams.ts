import { DomainError } from "../../domain/errors";
import { EventStream } from "./event-stream";

export interface OpenStreamsOptions {
  stopping: AbortSignal;
  heartbeatMs: number;
  counted: (by: 1 | -1) => void;
  mostOfOne: number;
  /** All streams; default: no limit. */
  most?: number;
}

export interface Holder {
  key: string;
  gone: AbortSignal;
}

/** Each until its reader closes or reads too slowly, the process stops, or it is ended. */
export class OpenStreams {
  private readonly ofHolder = new Map<string, number>();
  private readonly all = new Set<EventStream>();

  constructor(private readonly options: OpenStreamsOptions) {
    options.stopping.addEventListener("abort", () => {
      for (const stream of this.all) stream.end();
    });
  }

  /** `beat` replaces the bare heartbeat. @throws DomainError `rate-limited` by holder, `unavailable` by all. */
  open({ key, gone }: Holder, beat = (stream: EventStream): void => stream.heartbeat()): EventStream {
    const { stopping, heartbeatMs, mostOfOne, most = Infinity } = this.options;
    if ((this.ofHolder.get(key) ?? 0) >= mostOfOne)
      throw new DomainError(
        "rate-limited",
        `At most ${mostOfOne} live connections per client. Close one first.`,
      );
    if (this.all.size >= most)
      throw new DomainError("unavailable", "Too many live connections. Try again later.");
    const stream = new EventStream();
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
