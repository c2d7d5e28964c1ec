import { EventStream } from "../live/event-stream";
import { Places } from "./places";

interface OpenStreamsOptions {
  stopping: AbortSignal;
  heartbeatMs: number;
  counted: (by: 1 | -1) => void;
  mostOfOne: number;
  /** All streams; default: no limit. */
  most?: number;
}

interface Holder {
  key: string;
  gone: AbortSignal;
}

/** Each until its reader closes or reads too slowly, the process stops, or it is ended. */
export class OpenStreams {
  private readonly all = new Set<EventStream>();
  private readonly places: Places;

  constructor(private readonly options: OpenStreamsOptions) {
    const { stopping, mostOfOne: ofOne, most: total = Infinity } = options;
    this.places = new Places({ of: "live connections", total, ofOne, waitMs: 0 });
    stopping.addEventListener("abort", () => {
      for (const stream of this.all) stream.end();
    });
  }

  /** `beat` replaces the bare heartbeat. @throws DomainError `rate-limited` by holder, `unavailable` by all. */
  async open(
    { key, gone }: Holder,
    beat = (stream: EventStream): void => stream.heartbeat(),
  ): Promise<EventStream> {
    const { stopping, heartbeatMs, counted } = this.options;
    const giveBack = await this.places.take(key, gone);
    const stream = new EventStream();
    stream.whenEnded(giveBack);
    if (stopping.aborted || gone.aborted) {
      stream.end();
      return stream;
    }
    this.all.add(stream);
    counted(1);
    const timer = setInterval(() => beat(stream), heartbeatMs);
    stream.whenEnded(() => {
      clearInterval(timer);
      this.all.delete(stream);
      counted(-1);
    });
    gone.addEventListener("abort", () => stream.end());
    return stream;
  }
}
