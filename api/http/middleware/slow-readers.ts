import { Stream } from "node:stream";
import type { Middleware } from "koa";

/** A reader that reads nothing of its answer for this long has gone, or holds our memory on purpose. */
const STALLED_MS = 15_000;
/** For the whole of an answer in memory, however slowly its reader reads. */
const LONGEST_MS = 60_000;
/** And for one that is made while it is read. */
const STREAM_LONGEST_MS = 3_600_000;

export interface SlowReaderLimits {
  stalledMs?: number;
  longestMs?: number;
  streamLongestMs?: number;
}

/** Cuts the connection of a reader that does not take its answer. Event streams see to their readers themselves. */
export function cutOffSlowReaders({
  stalledMs = STALLED_MS,
  longestMs = LONGEST_MS,
  streamLongestMs = STREAM_LONGEST_MS,
}: SlowReaderLimits = {}): Middleware {
  return async (koa, next) => {
    await next();
    if (koa.respond === false) return;
    const { res } = koa;
    // By the socket: it knows whether the system still accepts bytes, and closes the connection by default.
    res.setTimeout(stalledMs);
    // Of the next request on this connection, where that came before this one's answer had left, we know nothing yet.
    res.once("finish", () => {
      if (koa.req.socket.timeout === stalledMs) koa.req.socket.setTimeout(0);
    });
    const timer = setTimeout(() => res.destroy(), koa.body instanceof Stream ? streamLongestMs : longestMs);
    res.once("close", () => clearTimeout(timer));
  };
}
