import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export const SHOP_PATH = "/webhook";
export const ACCOUNTING_PATH = "/accounting";
/** The accounting fails at this order the first time, so that a user can redeliver it. */
export const FAILS_ONCE = "example-overpaid";

export interface WebhookEvent {
  type: string;
  additionalStatus: string;
  invoiceId: string;
  metadata: { orderId?: unknown };
}

/** What came: null for a signature that is wrong. */
export interface Heard {
  path: string;
  event: WebhookEvent | null;
  /** What it was answered. */
  status: number;
  /** 1, or more when it was redelivered. */
  attempt: number;
}

export interface Receiver {
  port: number;
  /** Which key the signatures at a path must have. Until it is given every request is refused. */
  trust(path: string, secret: string): void;
  close(): Promise<void>;
}

function signatureHolds(secret: string, body: Buffer, header: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

function statusFor(path: string, event: WebhookEvent | null, attempt: number): number {
  if (event === null) return 401;
  return path === ACCOUNTING_PATH && event.metadata.orderId === FAILS_ONCE && attempt === 1 ? 500 : 200;
}

const SAYS: Record<number, string> = { 200: "ok", 401: "invalid signature", 500: "the ledger is locked" };

/**
 * A merchant's server as docs/receivers has them: verifies the signature on the raw bytes, answers 401 when it is
 * wrong. On `port` when that is free, else on another.
 */
export async function startReceiver(port: number, onRequest: (heard: Heard) => void): Promise<Receiver> {
  const secrets = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    buffer(request).then(
      (body) => {
        const secret = secrets.get(path);
        const header = String(request.headers["x-service-sig"] ?? "");
        const holds = secret !== undefined && signatureHolds(secret, body, header);
        const event = holds ? (JSON.parse(body.toString("utf8")) as WebhookEvent) : null;
        const attempt = Number(request.headers["x-service-attempt"]);
        const status = statusFor(path, event, attempt);
        response.writeHead(status, { "content-type": "text/plain" });
        response.end(`${SAYS[status]}\n`);
        onRequest({ path, event, status, attempt });
      },
      () => response.destroy(),
    );
  });
  await listen(server, port).catch(() => listen(server, 0));
  return {
    port: (server.address() as AddressInfo).port,
    trust: (path, secret) => void secrets.set(path, secret),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
