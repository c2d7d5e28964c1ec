import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Lab } from "./bench";

interface Arrival {
  path: string;
  invoiceId: string;
  /** By performance.now(). */
  atMs: number;
}

const INVOICE_ID = /"invoiceId":"([^"]+)"/;

/** A merchant's server in this process. What begins with `/dead` is never answered. Ends with the bench. */
export class Receiver {
  onArrival: (arrival: Arrival) => void = () => undefined;
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy());
  });

  static async start(lab: Lab): Promise<Receiver> {
    const receiver = new Receiver();
    const { server } = receiver;
    server.listen(0, "127.0.0.1", 4_096);
    await once(server, "listening");
    lab.onEnd(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = performance.now();
    const body = await text(request);
    const path = request.url ?? "";
    if (path.startsWith("/dead")) return;
    response.writeHead(200).end();
    this.onArrival({ path, invoiceId: INVOICE_ID.exec(body)?.[1] ?? "", atMs });
  }
}

/** Resolves when what is expected arrives. */
export class Arrivals {
  private readonly waiting = new Map<string, (atMs: number) => void>();

  constructor(receiver: Receiver) {
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
