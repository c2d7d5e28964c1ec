import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import type { LimitedHost, WebhookAnswer, WebhookRequest } from "../../commands/ports";
import { withDeadline } from "../../database/with-deadline";
import {
  isListedAddress,
  isAllowedAddress,
  isPublicAddress,
  addressRefused,
  endpointHost,
  endpointPort,
  parseEndpointUrl,
  type EndpointRules,
} from "../../domain/webhook/address";
import { invalidField } from "../../domain/errors";
import type { ProcessMetrics } from "../metrics/process-metrics";
import { limitAnswer } from "./send-request";
import { makeResolve, type Resolve, sharingLookups } from "./resolve-host";
import { errorCode, SendFailure } from "./send-failure";

const LOOKUP_MS = 10_000;
const ANSWER_LIMIT_BYTES = 4_096;
/**
 * How long one address of several may take to connect before the next is tried. Node's 250 ms is too short for
 * distant hosts.
 */
const CONNECT_ATTEMPT_MS = 2_500;

export interface WebhookClientOptions extends EndpointRules {
  resolve?: Resolve;
  /** A certificate authority (PEM) to trust instead of the system's. */
  ca?: string;
  metrics: Pick<ProcessMetrics, "webhook">;
}

const timedOut = (): Error => new SendFailure("timeout");

/** The exchange so far: filled while it runs, and kept if it is cut off. */
interface Exchange {
  httpStatus: number | null;
  /** Null also for an address that is not public: merchants see it, and internal addresses must not be revealed. */
  resolvedIp: string | null;
  host: LimitedHost | undefined;
  chunks: Buffer[];
}

/** An address literal needs no lookup. */
async function addressesOf(url: URL, resolve: Resolve): Promise<string[]> {
  const host = endpointHost(url);
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new SendFailure("dns-failed");
  return addresses;
}

/** A single forbidden address refuses the name, since the address of the connection is not chosen here. */
function judge(addresses: readonly string[], url: URL, { allowedCidrs }: EndpointRules): void {
  const port = endpointPort(url);
  if (!addresses.every((address) => isAllowedAddress(address, port, allowedCidrs))) {
    throw new SendFailure("address-refused");
  }
}

/** Node's lookup function for one request, which returns the checked addresses, so that no second query is made. */
function answering(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family);
  };
}

/**
 * Reads at most 4 KiB. Ends at the limit, at the body's end, or when the connection breaks, which no longer
 * matters.
 */
function captureBody(response: http.IncomingMessage, exchange: Exchange, done: () => void): void {
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    exchange.chunks.push(Buffer.from(chunk.subarray(0, Math.max(0, ANSWER_LIMIT_BYTES - bytes))));
    bytes += chunk.length;
    if (bytes >= ANSWER_LIMIT_BYTES) response.destroy();
  });
  response.on("error", done);
  response.on("close", done);
}

function noteAddress(exchange: Exchange, address: string | undefined): void {
  if (address !== undefined && isPublicAddress(address)) exchange.resolvedIp = address;
}

/**
 * Posts once to one of the checked addresses. Resolves when the status line and the required part of the body have
 * arrived.
 */
function post(
  url: URL,
  request: WebhookRequest,
  options: https.RequestOptions & { signal: AbortSignal },
  exchange: Exchange,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? https.request : http.request;
    const outgoing = send(url, {
      ...options,
      method: "POST",
      headers: { ...request.headers, "Content-Length": request.body.length },
      rejectUnauthorized: true,
    });
    outgoing.on("socket", (socket: Socket) =>
      socket.once("connect", () => noteAddress(exchange, socket.remoteAddress)),
    );
    limitAnswer(outgoing, ANSWER_LIMIT_BYTES);
    outgoing.on("response", (response) => {
      if (outgoing.destroyed) return; // it arrived together with what ended the request
      exchange.httpStatus = response.statusCode ?? null;
      captureBody(response, exchange, resolve);
    });
    // Without a listener Node would report the switch as a reset.
    outgoing.on("upgrade", (response, socket) => {
      exchange.httpStatus = response.statusCode ?? null;
      socket.destroy();
      resolve();
    });
    outgoing.on("error", reject);
    outgoing.end(request.body);
  });
}

/** Once the status line has arrived it decides, whatever happens to the rest. */
function answerOf(exchange: Exchange, failure: string | null, elapsedMs: number): WebhookAnswer {
  const { httpStatus, resolvedIp, host, chunks } = exchange;
  const delivered = httpStatus !== null && httpStatus >= 200 && httpStatus <= 299;
  return {
    outcome: delivered ? "delivered" : "failed",
    httpStatus,
    error: delivered ? null : httpStatus === null ? (failure ?? "connection-failed") : `http-${httpStatus}`,
    durationMs: Math.round(elapsedMs),
    responseBody: httpStatus === null ? null : Buffer.concat(chunks),
    resolvedIp,
    ...(host === undefined ? {} : { host }),
  };
}

/** Any address that the operator has not listed is enough for the limits to apply: the connection may go there. */
function limitedHost(url: URL, addresses: readonly string[], { allowedCidrs }: EndpointRules): LimitedHost {
  const port = endpointPort(url);
  const listed = addresses.every((address) => isListedAddress(address, port, allowedCidrs));
  return listed ? null : `${endpointHost(url).replace(/\.$/, "")}:${port}`;
}

/**
 * The client for merchants' endpoints. A name is resolved once, all its addresses are checked, and the connection
 * goes to one of those: a name that resolves differently a moment later is harmless. No socket is reused, no
 * redirect followed, and no proxy of the environment used.
 */
export function makeWebhookClient(options: WebhookClientOptions) {
  const resolve = options.resolve === undefined ? makeResolve() : sharingLookups(options.resolve);
  const agents = {
    "http:": new http.Agent({ keepAlive: false }),
    "https:": new https.Agent({ keepAlive: false, maxCachedSessions: 0 }),
  };

  async function attempt(request: WebhookRequest, exchange: Exchange, signal: AbortSignal): Promise<void> {
    const url = URL.canParse(request.url) ? new URL(request.url) : null;
    if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
      throw new SendFailure("invalid-url");
    const addresses = await addressesOf(url, resolve);
    judge(addresses, url, options);
    if (signal.aborted) return;
    exchange.host = limitedHost(url, addresses, options);
    noteAddress(exchange, addresses[0]); // in case none is reached
    const connection = {
      agent: agents[url.protocol],
      signal,
      lookup: answering(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    };
    await post(url, request, connection, exchange);
  }

  async function sendWebhook(request: WebhookRequest): Promise<WebhookAnswer> {
    const startedAt = performance.now();
    const exchange: Exchange = { httpStatus: null, resolvedIp: null, host: undefined, chunks: [] };
    let failure: string | null = null;
    try {
      await withDeadline(request.deadlineMs, (late) => attempt(request, exchange, late), timedOut);
    } catch (error) {
      failure = errorCode(error);
    }
    const answer = answerOf(exchange, failure, performance.now() - startedAt);
    options.metrics.webhook(answer.outcome, answer.durationMs / 1_000);
    return answer;
  }

  async function checkWebhookUrl(text: string): Promise<LimitedHost> {
    const url = parseEndpointUrl(text, options);
    try {
      const addresses = await withDeadline(LOOKUP_MS, () => addressesOf(url, resolve), timedOut);
      judge(addresses, url, options);
      return limitedHost(url, addresses, options);
    } catch (error) {
      if (errorCode(error) === "address-refused") throw addressRefused();
      throw invalidField("/url", "The URL's host does not resolve. Check its spelling and its DNS records.");
    }
  }

  return { sendWebhook, checkWebhookUrl };
}
