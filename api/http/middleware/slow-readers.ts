import { Stream } from "node:stream";
import type { Middleware } from "koa";

/** A reader that reads nothing of its answer for this long has gone, or occupies memory on purpose. */
const STALLED_MS = 15_000;
/** For all of an answer in memory, however slowly its reader reads. */
const LONGEST_MS = 60_000;
/** For an answer that is made while it is read. */
const STREAM_LONGEST_MS = 3_600_000;

export interface SlowReaderLimits {
  stalledMs?: number;
  longestMs?: number;
  streamLongestMs?: number;
}

/** Disconnects a reader that does not read its answer. Event streams handle their readers themselves. */
export function cutOffSlowReaders({
  stalledMs = STALLED_MS,
  longestMs = LONGEST_MS,
  streamLongestMs = STREAM_LONGEST_MS,
}: SlowReaderLimits = {}): Middleware {
  return async (koa, next) => {
    await next();
    if (koa.respond === false) return;
    const { res } = koa;
    // By the socket, which knows whether the system still accepts bytes, and closes the connection by default.
    res.setTimeout(stalledMs);
    // If the next request on this connection came before this answer had been sent, nothing is known about it yet.
    res.once("finish", () => {
      if (koa.req.socket.timeout === stalledMs) koa.req.socket.setTimeout(0);
    });
    const timer = setTimeout(() => res.destroy(), koa.body instanceof Stream ? streamLongestMs : longestMs);
    res.once("close", () => clearTimeout(timer));
  };
}
