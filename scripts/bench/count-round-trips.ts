import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { Lab } from "./bench";

const QUERY = "Q".charCodeAt(0);
const SYNC = "S".charCodeAt(0);
/** Of a message: its type, and its length without the type (PostgreSQL documentation, "Message Formats"). */
const HEAD_BYTES = 5;

/** The server has answered a simple query, or all up to a Sync. */
const READY_FOR_QUERY = "Z".charCodeAt(0);

/** Reads one direction of a connection and says the type of each message. */
class MessageStream {
  private rest: Buffer = Buffer.alloc(0);

  /** `started`: false where the first message has no type, as a client's. */
  constructor(
    private started: boolean,
    private readonly onMessage: (type: number) => void,
  ) {}

  read(chunk: Buffer): void {
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    for (;;) {
      const typeBytes = this.started ? 1 : 0;
      if (bytes.length < HEAD_BYTES) break;
      const length = typeBytes + bytes.readUInt32BE(typeBytes);
      if (bytes.length < length) break;
      if (this.started) this.onMessage(bytes[0] ?? 0);
      this.started = true;
      bytes = bytes.subarray(length);
    }
    this.rest = Buffer.from(bytes);
  }
}

export interface Counts {
  /** Statements that were sent. */
  statements: number;
  /**
   * How many round trips were waited for: statements that were sent before the previous one was answered share it.
   */
  roundTrips: number;
}

export interface CountedDatabase {
  /** The same database, by way of the counter. */
  url: string;
  /** So far, of all connections. */
  count(): Counts;
}

/** Counts what passes a connection. */
function countMessages(client: Socket, postgres: Socket, counts: Counts): void {
  let unanswered = 0;
  const asked = new MessageStream(false, (type) => {
    if (type !== QUERY && type !== SYNC) return;
    counts.statements += 1;
    if (unanswered === 0) counts.roundTrips += 1;
    unanswered += 1;
  });
  const answered = new MessageStream(true, (type) => {
    if (type === READY_FOR_QUERY && unanswered > 0) unanswered -= 1; // the first one greets
  });
  client.on("data", (chunk: Buffer) => asked.read(chunk));
  postgres.on("data", (chunk: Buffer) => answered.read(chunk));
}

/** A proxy between the service and Postgres that counts round trips. Ends with the bench. */
export async function countRoundTrips(
  lab: Pick<Lab, "onEnd">,
  databaseUrl: string,
): Promise<CountedDatabase> {
  const url = new URL(databaseUrl);
  const target = { host: url.hostname, port: Number(url.port || "5432") };
  const sockets = new Set<Socket>();
  const counts: Counts = { statements: 0, roundTrips: 0 };
  const server = createServer((client) => {
    const postgres = connect(target);
    countMessages(client, postgres, counts);
    for (const [from, to] of [
      [client, postgres],
      [postgres, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  lab.onEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, count: () => ({ ...counts }) };
}
