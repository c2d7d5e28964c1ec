import type { Context } from "koa";
import type { EventStream } from "./presenters/event-stream";

type Answer = Pick<Context, "method" | "req" | "res" | "respond" | "set" | "status">;

/** It stays open: what stands between must not gather it, nor keep it. Who asks for the head alone is sent that. */
export function answerEvents(koa: Answer, stream: EventStream): void {
  koa.status = 200;
  koa.set("Content-Type", "text/event-stream; charset=utf-8");
  koa.set("X-Accel-Buffering", "no");
  koa.respond = false;
  if (koa.method === "HEAD") stream.end();
  stream.writeTo(koa.res);
}

/** Tells that the reader of an answer has closed the connection. */
export function goneSignal({ res }: Pick<Context, "res">): AbortSignal {
  const gone = new AbortController();
  const end = (): void => gone.abort("gone"); // without a reason an error with a stack is made, at each request's end
  if (res.destroyed) end();
  else res.once("close", end);
  return gone.signal;
}
