import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A client that sends its request slower than this is cut off. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often such clients are cut off; by default every 30 s. */
const CHECK_TIMEOUTS_EVERY_MS = 1_000;
/** Longer than a reverse proxy's, so that this side never closes a connection just as it is used again. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/**
 * Connections that wait to be accepted, if the system allows as many: beyond them a client gets an error after
 * seconds.
 */
const BACKLOG = 4_096;
const CLOSE_IDLE_EVERY_MS = 100;
/** Longer than any request may take. */
const CLOSE_DEADLINE_MS = 35_000;

export interface Listening {
  port: number;
  /** Accepts no new connection, lets the requests in progress finish, and resolves when all connections are closed. */
  close(): Promise<void>;
}

export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    (request, response) => void handle(request, response),
  );
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      // Browsers connect in advance: connections without a request do not count as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      // A connection that was busy a moment ago becomes idle without being closed.
      const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
      const late = setTimeout(() => server.closeAllConnections(), CLOSE_DEADLINE_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
    },
  };
}
