import type { CallOptions, Client, Metadata } from "@grpc/grpc-js";
import { CALLS, type CallName } from "./calls";
import { LndFailure, NO_ANSWER } from "./failure";
import { clientMethod } from "./protos";

interface Unary {
  request: object;
  metadata: Metadata;
  withinMs: number;
  /** Aborted: the call is cancelled. */
  given: AbortSignal;
}

/** @throws LndFailure, or an error of grpc-js */
export async function unary(
  client: Client,
  name: CallName,
  { request, metadata, withinMs, given }: Unary,
): Promise<unknown> {
  // Its event is over.
  if (given.aborted) throw new LndFailure("away", NO_ANSWER);
  const { service, method } = CALLS[name];
  const { path, requestSerialize, responseDeserialize } = clientMethod(service, method);
  const options: CallOptions = { deadline: Date.now() + withinMs };
  return new Promise((resolve, reject) => {
    const cancel = (): void => call.cancel();
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      options,
      (error, answer) => {
        given.removeEventListener("abort", cancel);
        if (error === null) resolve(answer);
        else reject(error);
      },
    );
    given.addEventListener("abort", cancel);
  });
}
