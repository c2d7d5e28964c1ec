import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import pg from "pg";

/** A server connection that sessions borrow for one transaction. */
interface Backend {
  stream: Socket;
  borrower: Session | null;
}

interface Session {
  socket: Socket;
  backend: Backend | null;
  waiting: Buffer[];
}

const AUTHENTICATION_OK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY_IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Whether the bytes end in ReadyForQuery outside a transaction. */
function endsIdle(bytes: Buffer): boolean {
  return bytes.subarray(-READY_IDLE.length).equals(READY_IDLE);
}

async function openBackend(databaseUrl: string): Promise<Backend> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Logged in; from here on its bytes are the sessions'.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  for (const event of ["data", "error", "end", "close"]) stream.removeAllListeners(event);
  stream.on("error", () => undefined);
  return { stream, borrower: null };
}

/** PgBouncer's `pool_mode = transaction` in miniature: many sessions share `size` server connections, last used first. */
export async function startTransactionPooler(
  databaseUrl: string,
  size: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const backends = await Promise.all(Array.from({ length: size }, () => openBackend(databaseUrl)));
  const free = [...backends];
  const queue: Session[] = [];
  const sockets = new Set<Socket>();

  function lend(session: Session): void {
    const backend = free.pop();
    if (backend === undefined) return void queue.push(session);
    backend.borrower = session;
    session.backend = backend;
    for (const bytes of session.waiting.splice(0)) backend.stream.write(bytes);
  }

  for (const backend of backends)
    backend.stream.on("data", (bytes: Buffer) => {
      const session = backend.borrower;
      session?.socket.write(bytes);
      if (!endsIdle(bytes)) return;
      if (session) session.backend = null;
      backend.borrower = null;
      free.push(backend);
      const next = queue.shift();
      if (next) lend(next);
    });

  const server = createServer((socket) => {
    sockets.add(socket);
    const session: Session = { socket, backend: null, waiting: [] };
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(Buffer.concat([AUTHENTICATION_OK, READY_IDLE]));
      socket.on("data", (bytes: Buffer) => {
        if (bytes[0] === 0x58) return void socket.end(); // Terminate
        if (session.backend) return void session.backend.stream.write(bytes);
        session.waiting.push(bytes);
        if (!queue.includes(session)) lend(session);
      });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      for (const { stream } of backends) stream.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
