import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { type Client, InterceptingCall, type Interceptor, type Metadata } from "@grpc/grpc-js";
import { type Answer, CALLS, type CallName, readAnswer } from "./calls";
import { LndFailure } from "./failure";
import { clientMethod } from "./protos";

/** Hundreds of nodes that never stop leave the process most of its time. */
const BYTES_PER_MS = 64;
/** Times what the last message took. */
const REST = 10;
const REST_MAX_MS = 2_000;

interface Arrived<N extends CallName> {
  length: number;
  /** Undefined: it cannot be read. */
  answer: Answer<N> | undefined;
}

export interface Message<N extends CallName> {
  answer: Answer<N>;
  /** The reader sets it: the next comes at once. */
  useful: boolean;
}

interface Reading {
  request: object;
  metadata: Metadata;
  signal: AbortSignal;
  /** Rests after each message that was not useful: others have most of the time. */
  rests: boolean;
  /** Cancels it, while it lasts. */
  cancels: Set<() => void>;
}

/**
 * In order, one at a time, without what cannot be read. Ends without an error only by the signal.
 * @throws LndFailure, or an error of grpc-js
 */
export async function* readStream<N extends CallName>(
  client: Client,
  name: N,
  { request, metadata, signal, rests, cancels }: Reading,
): AsyncGenerator<Message<N>, void> {
  const { service, method } = CALLS[name];
  const { path, requestSerialize, responseDeserialize } = clientMethod(service, method);
  const turns = inTurn();
  const stream = client.makeServerStreamRequest(
    path,
    requestSerialize,
    (bytes): Arrived<N> => ({
      length: bytes.length,
      answer: readAnswer(name, responseDeserialize(bytes)).data,
    }),
    request,
    metadata,
    { interceptors: [turns.interceptor] },
  );
  const cancel = (): void => stream.cancel();
  signal.addEventListener("abort", cancel);
  cancels.add(cancel);
  try {
    for await (const { length, answer } of stream as AsyncIterable<Arrived<N>>) {
      if (signal.aborted) return;
      const began = performance.now();
      const message = answer !== undefined && { answer, useful: false };
      if (message) yield message;
      if (rests && !(message && message.useful)) await rest(began, length, signal);
      turns.next();
    }
    throw new LndFailure("away", "LND ended the stream");
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancels.delete(cancel);
    stream.on("error", () => undefined); // the error of its cancellation, which nobody reads any more
    stream.cancel();
  }
}

async function rest(began: number, bytes: number, signal: AbortSignal): Promise<void> {
  await turn(); // however busy the process is
  const ms = Math.max(REST * (performance.now() - began), bytes / BYTES_PER_MS);
  await sleep(Math.min(REST_MAX_MS, ms), undefined, { signal }).catch(() => undefined);
}

/** A message waits for its turn, and the next is read after that: the rest stays with the node. */
function inTurn(): { interceptor: Interceptor; next(): void } {
  let free = true;
  let waiting: (() => void) | null = null;
  const interceptor: Interceptor = (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start(metadata, _, next) {
        next(metadata, {
          onReceiveMessage(message: unknown, pass) {
            if (free) pass(message);
            else waiting = () => pass(message);
            free = false;
          },
        });
      },
    });
  return {
    interceptor,
    next() {
      const pass = waiting;
      waiting = null;
      free = pass === null;
      pass?.();
    },
  };
}
