import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebhookEvent {
  type: string;
  additionalStatus: string;
  invoiceId: string;
}

export interface Receiver {
  port: number;
  /** Which key the signatures must have. Until it is given every request is refused. */
  trust(secret: string): void;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
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

/**
 * A merchant's server as docs/receivers has them: verifies the signature on the raw bytes, answers 401 when it is
 * wrong. On `port` when that is free, else on another. `onEvent` is told null for a signature that is wrong.
 */
export async function startReceiver(
  port: number,
  onEvent: (event: WebhookEvent | null) => void,
): Promise<Receiver> {
  let secret: string | null = null;
  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => {
        const header = String(request.headers["x-service-sig"] ?? "");
        const holds = secret !== null && signatureHolds(secret, body, header);
        response.writeHead(holds ? 200 : 401, { "content-type": "text/plain" });
        response.end(holds ? "ok\n" : "invalid signature\n");
        onEvent(holds ? (JSON.parse(body.toString("utf8")) as WebhookEvent) : null);
      },
      () => response.destroy(),
    );
  });
  await listen(server, port).catch(() => listen(server, 0));
  return {
    port: (server.address() as AddressInfo).port,
    trust: (text) => void (secret = text),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
