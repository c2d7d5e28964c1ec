import { setMaxListeners } from "node:events";
import type { Context } from "koa";
import type { EventStream } from "./event-stream";

type Answer = Pick<Context, "method" | "req" | "res" | "respond" | "set" | "status">;

/** Proxies must neither buffer nor cache it. A HEAD request gets only the headers. */
export function answerEvents(koa: Answer, stream: EventStream): void {
  koa.status = 200;
  koa.set("Content-Type", "text/event-stream; charset=utf-8");
  koa.set("X-Accel-Buffering", "no");
  koa.respond = false;
  if (koa.method === "HEAD") stream.end();
  stream.writeTo(koa.res);
}

const signals = new WeakMap<Context["res"], AbortSignal>();

/** The reader closed the connection. One for each request, also where it is asked for again and again. */
export function goneSignal(koa: Pick<Context, "req" | "res">): AbortSignal {
  const known = signals.get(koa.res);
  if (known !== undefined) return known;
  const made = newGoneSignal(koa);
  signals.set(koa.res, made);
  return made;
}

/** A pipelined answer gets no event of its own. */
function newGoneSignal({ req, res }: Pick<Context, "req" | "res">): AbortSignal {
  const gone = new AbortController();
  const { socket } = req;
  const close = (): void => {
    socket.off("close", close);
    gone.abort();
  };
  if (res.destroyed || socket.destroyed) gone.abort();
  else {
    res.once("close", close);
    if (res.socket === null) setMaxListeners(0, socket.once("close", close));
  }
  return gone.signal;
}

export function whenGone(gone: AbortSignal, then: () => void): void {
  if (gone.aborted) then();
  else gone.addEventListener("abort", then, { once: true });
}
