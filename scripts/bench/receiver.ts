import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Lab } from "./lab";

export interface Arrival {
  path: string;
  invoiceId: string;
  /** By performance.now(). */
  atMs: number;
}

/** A merchant's server in this process. What begins with `/dead` is never answered. */
export interface BenchReceiver {
  url: string;
  onArrival: (arrival: Arrival) => void;
}

const INVOICE_ID = /"invoiceId":"([^"]+)"/;

async function answer(request: IncomingMessage, response: ServerResponse, to: BenchReceiver): Promise<void> {
  const atMs = performance.now();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = request.url ?? "";
  if (path.startsWith("/dead")) return;
  response.writeHead(200).end();
  to.onArrival({ path, invoiceId: INVOICE_ID.exec(Buffer.concat(chunks).toString())?.[1] ?? "", atMs });
}

/** Ends with the bench. */
export async function startReceiver(lab: Lab): Promise<BenchReceiver> {
  const receiver: BenchReceiver = { url: "", onArrival: () => undefined };
  const server = createServer((request, response) => {
    answer(request, response, receiver).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1", 4_096);
  await once(server, "listening");
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  lab.onEnd(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return receiver;
}

/** Resolves when what is expected arrives. */
export class Arrivals {
  private readonly waiting = new Map<string, (atMs: number) => void>();

  constructor(receiver: BenchReceiver) {
    receiver.onArrival = ({ path, invoiceId, atMs }) => {
      const key = invoiceId === "" ? path : invoiceId;
      this.waiting.get(key)?.(atMs);
      this.waiting.delete(key);
    };
  }

  /** When the next one with this invoice or path comes. */
  next(key: string, withinMs = 30_000): Promise<number> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no webhook came for ${key}`)), withinMs);
      this.waiting.set(key, (atMs) => {
        clearTimeout(late);
        resolve(atMs);
      });
    });
  }
}
