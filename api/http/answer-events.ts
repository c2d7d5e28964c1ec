import { setMaxListeners } from "node:events";
import type { Context } from "koa";
import type { EventStream } from "./event-stream";

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

/**
 * Tells that the reader of an answer has closed the connection. An answer that waits for the one before it on the same
 * connection (pipelining) is not told by itself.
 */
export function goneSignal({ req, res }: Pick<Context, "req" | "res">): AbortSignal {
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
