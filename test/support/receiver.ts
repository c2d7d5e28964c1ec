import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook as StandardWebhook } from "standardwebhooks";

/** A POST as it came over the wire. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** `performance.now()` when its last byte was here. */
  atMs: number;
  /** Requests of this path that were open when it came, itself counted. */
  open: number;
  /** The status that was written; null while (or for ever if) none was. */
  answered: number | null;
}

/** What a path answers. `holdMs` and `holdUntil` come first in any case. */
export type Answer =
  | {
      kind: "status";
      status: number;
      body?: string;
      headers?: Record<string, string>;
      holdMs?: number;
      holdUntil?: Promise<void>;
    }
  /** Does something with the request first, and answers the status that it returns; 500 where it fails. */
  | { kind: "act"; act: (received: Received) => Promise<number> }
  /** Never answers. */
  | { kind: "hang" }
  /** 200 and then a byte each `everyMs`, without an end. */
  | { kind: "drip"; everyMs: number }
  /** Breaks the connection without an answer. */
  | { kind: "reset"; holdMs?: number };

export interface Receiver {
  /** `http://127.0.0.1:<port>` */
  url: string;
  requests: readonly Received[];
  /** What a path answers from now on; 200 where nothing is set. */
  answer(path: string, answer: Answer): void;
  at(path: string): Received[];
  /** By `X-Service-Delivery-Id`. */
  of(deliveryId: string): Received[];
  /** The most requests of a path that were ever open at once. */
  mostOpen(path: string): number;
  close(): Promise<void>;
}

/** A merchant's server: records every POST with its exact bytes, and misbehaves on demand. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const answers = new Map<string, Answer>();
  const open = new Map<string, number>();

  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    open.set(path, (open.get(path) ?? 0) + 1);
    response.once("close", () => open.set(path, (open.get(path) ?? 1) - 1));
    void readAll(request).then((body) => {
      if (body === null) return; // its sender died half-way: no receiver acts on that
      const received: Received = {
        path,
        headers: headersOf(request),
        body,
        atMs: performance.now(),
        open: open.get(path) ?? 0,
        answered: null,
      };
      requests.push(received);
      give(answers.get(path) ?? { kind: "status", status: 200 }, response, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (path, answer) => void answers.set(path, answer),
    at: (path) => requests.filter((request) => request.path === path),
    of: (deliveryId) => requests.filter((request) => request.headers["x-service-delivery-id"] === deliveryId),
    mostOpen: (path) => Math.max(0, ...requests.filter((r) => r.path === path).map((r) => r.open)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Null when the connection broke before the body's end. */
async function readAll(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

function give(answer: Answer, response: ServerResponse, received: Received): void {
  switch (answer.kind) {
    case "hang":
      return;
    case "act":
      void answer
        .act(received)
        .catch(() => 500)
        .then((status) => {
          received.answered = status;
          response.writeHead(status).end();
        });
      return;
    case "drip": {
      received.answered = 200;
      response.writeHead(200);
      const timer = setInterval(() => response.write("."), answer.everyMs);
      response.once("close", () => clearInterval(timer));
      return;
    }
    case "reset":
      setTimeout(() => response.socket?.resetAndDestroy(), answer.holdMs ?? 0);
      return;
    case "status":
      setTimeout(() => {
        void (answer.holdUntil ?? Promise.resolve()).then(() => {
          received.answered = answer.status;
          response.writeHead(answer.status, answer.headers);
          response.end(answer.body ?? "ok");
        });
      }, answer.holdMs ?? 0);
  }
}

/** As the interface's example receiver does: the HMAC of the exact bytes, compared whole and in constant time. */
export function serviceSignatureHolds(received: Received, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(received.body).digest("hex")}`);
  const given = Buffer.from(received.headers["x-service-sig"] ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** By the Standard Webhooks library: signature, id and a timestamp within five minutes. */
export function standardSignatureHolds(received: Received, secret: string): boolean {
  try {
    new StandardWebhook(secret).verify(received.body, received.headers);
    return true;
  } catch {
    return false;
  }
}
