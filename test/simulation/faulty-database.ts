import type { Socket } from "node:net";
import type { Client, Pool } from "pg";
import type { DataSource } from "typeorm";
import type { Life } from "./faults";

/** The host of a database, as those see it who are connected to it. */
export interface DatabaseHost {
  /** It vanishes without a word, and another has taken its place. */
  vanish(): Promise<void>;
  /** So much time passes that everybody has noticed who can. */
  beNoticed(): Promise<void>;
}

/** Nothing depends on who is notified of a change, and notifications have times of their own. */
const UNCOUNTED = /pg_notify/;

const never = <T>(): Promise<T> => new Promise(() => undefined);

type Query = (...given: unknown[]) => Promise<unknown>;

/** A process's connections to a host that may vanish: then no byte leaves or arrives any more, and no error says so. */
export class DatabaseLine {
  readonly clients = new Set<Client>();
  private lost: Socket[] = [];

  lose(): void {
    this.lost = [...this.clients].map(streamOf).filter(({ destroyed }) => !destroyed);
    for (const stream of this.lost) {
      stream.cork();
      stream.pause();
    }
  }

  /** The system probes each connection on which nothing that was sent is unanswered. */
  probe(): void {
    for (const stream of this.lost) if (stream.writableLength === 0) stream.destroy();
  }

  /** So long nothing came. Answers whether somebody waits still. */
  stayedSilent(ms: number): boolean {
    for (const stream of this.lost)
      if (!stream.destroyed && stream.timeout && stream.timeout <= ms) stream.emit("timeout");
    return this.lost.some(({ destroyed }) => !destroyed);
  }

  /** As the system does in the end. */
  giveUp(): void {
    for (const stream of this.lost) stream.destroy();
  }
}

/** Has every statement of a data source be a call that may be hit: a statement that fails breaks its connection. */
export function faultyDatabase(db: DataSource, life: Life, host: DatabaseHost): DatabaseLine {
  const pool = (db.driver as unknown as { master: Pool & { _clients: Client[] } }).master;
  const line = new DatabaseLine();
  const { clients } = line;
  const wrap = (client: Client): void => {
    clients.add(client);
    if (life.over) cut(client);
    const query = (client.query as unknown as Query).bind(client);
    const transaction = { open: false };
    const wrapped: Query = (...given) => {
      const { name, sql } = textOf(given[0]);
      if (UNCOUNTED.test(sql)) return life.over ? never() : query(...given);
      return life.call(name, {
        effect: isEffect(sql, transaction),
        run: () => query(...given),
        failed: async () => {
          // Who hears of it finds the connection gone, as its pool does.
          const gone = new Promise((resolve) => client.once("end", resolve));
          if (cut(client)) await gone;
          return new Error("Connection terminated unexpectedly");
        },
        silent: async () => {
          await host.vanish();
          const answer = query(...given);
          answer.catch(() => undefined); // it may be heard while time passes
          await host.beNoticed();
          return answer;
        },
      });
    };
    Object.assign(client, { query: wrapped });
  };
  // Who waits for a connection is not done, though no statement is under way.
  const connect = pool.connect.bind(pool) as (then: (...given: unknown[]) => void) => void;
  const waiting = (then: (...given: unknown[]) => void): void => {
    life.open += 1;
    connect((...given) => {
      life.open -= 1;
      then(...given);
    });
  };
  Object.assign(pool, { connect: waiting });
  pool._clients.forEach(wrap);
  pool.on("connect", (client) => wrap(client as Client));
  pool.on("remove", (client) => clients.delete(client as Client));
  life.onEnd(() => clients.forEach((client) => cut(client)));
  return line;
}

function streamOf(client: Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** False where it was cut before. */
function cut(client: Client): boolean {
  const stream = streamOf(client);
  const before = stream.destroyed;
  stream.destroy();
  return !before;
}

/** That a process lives; nothing is decided by it. */
const HEARTBEAT = "INSERT INTO heartbeats";

/** What is written in a transaction is seen at its end. */
function isEffect(sql: string, transaction: { open: boolean }): boolean {
  if (sql.startsWith("START TRANSACTION")) transaction.open = true;
  else if (/^(COMMIT|ROLLBACK$)/.test(sql)) {
    transaction.open = false;
    return sql.startsWith("COMMIT");
  }
  return !transaction.open && !sql.startsWith(HEARTBEAT) && /\b(INSERT|UPDATE|DELETE)\b/.test(sql);
}

/** The name is for people: a statement's own, or how it begins. */
function textOf(given: unknown): { name: string; sql: string } {
  const { name = "made-", text: sql } = typeof given === "string" ? { text: given } : (given as Named);
  const shortly = sql.replaceAll(/\s+/g, " ").trim().slice(0, 70);
  return { sql, name: name.startsWith("made-") ? shortly : `statement ${name}` };
}

interface Named {
  name?: string;
  text: string;
}
