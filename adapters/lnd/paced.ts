import { InterceptingCall, type Interceptor } from "@grpc/grpc-js";
import type { Answer, CallName } from "./calls";

/** Some sixty invoices a second: hundreds of nodes that never stop leave the process most of its time. */
const BYTES_PER_MS = 64;

/** From a stream. Undefined: it cannot be read. */
export interface Arrived<N extends CallName> {
  length: number;
  answer: Answer<N> | undefined;
}

/** A message waits for the time of those before it, and the next is read after that: the rest stays with the node. */
export function paced(): Interceptor {
  let freeAt = 0;
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start(metadata, _, next) {
        next(metadata, {
          onReceiveMessage(message: Arrived<CallName>, pass) {
            const now = performance.now();
            const waitMs = Math.max(0, freeAt - now);
            freeAt = now + waitMs + message.length / BYTES_PER_MS;
            if (waitMs === 0) pass(message);
            else setTimeout(() => pass(message), waitMs);
          },
        });
      },
    });
}
