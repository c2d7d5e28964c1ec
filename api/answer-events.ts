import type { Context } from "koa";
import type { EventStream } from "./presenters/event-stream";

/** It stays open: what stands between must not gather it, nor keep it. */
export function answerEvents(koa: Pick<Context, "body" | "set">, { body }: EventStream): void {
  koa.body = body;
  koa.set("Content-Type", "text/event-stream; charset=utf-8");
  koa.set("X-Accel-Buffering", "no");
}

/** Tells that the reader of an answer has closed the connection. */
export function goneSignal({ res }: Pick<Context, "res">): AbortSignal {
  const gone = new AbortController();
  if (res.destroyed) gone.abort();
  else res.once("close", () => gone.abort());
  return gone.signal;
}
