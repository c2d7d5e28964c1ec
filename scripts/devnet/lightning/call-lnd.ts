import { once } from "node:events";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";

/** How to reach an LND by REST. */
export interface LndRest {
  /** Default: this one. */
  host?: string;
  port: number;
  /** PEM of the certificate that it shows. */
  tlsCert: string;
  /** Absent for the calls that work while its wallet is locked. */
  macaroon?: Buffer;
}

/** What LND refuses, in its own words. */
export class LndError extends Error {
  constructor(
    /** gRPC's. */
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = "LndError";
  }
}

interface ErrorJson {
  code: number;
  message: string;
}
/** A stream's lines are wrapped in `result` or `error`; an answer of one object is not. */
interface Line<T> {
  result?: T;
  error?: ErrorJson;
  code?: number;
  message?: string;
}

/**
 * One call of LND's REST: bytes are base64, 64-bit numbers are strings. Of a stream, which LND must end, the last
 * message is returned. Rejects with LndError for LND's refusals.
 */
export async function callLnd<T>(lnd: LndRest, method: string, path: string, body?: unknown): Promise<T> {
  const call = request({
    host: lnd.host ?? "127.0.0.1",
    port: lnd.port,
    servername: "localhost",
    ca: lnd.tlsCert,
    agent: false, // one connection a call: none is left over when LND restarts
    method,
    path,
    headers: lnd.macaroon ? { "grpc-metadata-macaroon": lnd.macaroon.toString("hex") } : {},
  });
  call.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const last = (await text(response)).trim().split("\n").at(-1) ?? "";
  const line = JSON.parse(last) as Line<T>;
  if (line.error) throw new LndError(line.error.code, line.error.message);
  if (response.statusCode !== 200) throw new LndError(line.code ?? 0, line.message ?? last);
  return line.result ?? (line as T);
}
