import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Node's default is every 30 s. */
const CHECK_TIMEOUTS_EVERY_MS = 1_000;
/** Above a reverse proxy's: this side never closes a connection that is just used again. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Waiting to be accepted, if the system allows as many: beyond them clients get errors after seconds. */
const BACKLOG = 4_096;
/** A connection on which nothing moves is cut off, such as that of a client that reads nothing; an event stream beats. */
const SILENT_TIMEOUT_MS = 40_000;
const CLOSE_IDLE_EVERY_MS = 100;
const CLOSE_DEADLINE_MS = 35_000;

export type Listening = Awaited<ReturnType<typeof listen>>;

export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { host, port }: { host: string; port: number },
) {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    (request, response) => void handle(request, response),
  );
  server.timeout = SILENT_TIMEOUT_MS;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    /** Lets requests finish, and resolves when all connections are closed. */
    async close(): Promise<void> {
      const closed = once(server, "close");
      server.close();
      // Browsers connect in advance: such connections do not count as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      // A busy connection becomes idle without being closed.
      const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
      const late = setTimeout(() => server.closeAllConnections(), CLOSE_DEADLINE_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
    },
  };
}
