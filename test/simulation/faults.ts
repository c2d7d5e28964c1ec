import type { Client, Pool } from "pg";
import type { DataSource } from "typeorm";

/** What happens at one call of a port, or one statement. */
export type FaultKind =
  /** It never leaves, and its caller hears so. */
  | "fails"
  /** It takes effect, and its caller hears that it failed. */
  | "answer lost"
  /** The process ends in front of it. */
  | "ends before"
  /** The process ends when it has taken effect. */
  | "ends after";
export const FAULT_KINDS: readonly FaultKind[] = ["fails", "answer lost", "ends before", "ends after"];

/** The fault of one story: at which call, counted over all processes, and what. */
export interface FaultPlan {
  at: number;
  kind: FaultKind;
}

/** Counts the calls of all processes of a world, and says where a fault is. */
export class Faults {
  /** Since the last plan. */
  calls = 0;
  /** Calls that were hit, of all plans. */
  hits = 0;
  /** The name of the call that was hit. */
  hit: string | null = null;
  private plan: FaultPlan | null = null;
  /** Of each call, whether something shall happen there; for random rounds. */
  chance: () => FaultKind | null = () => null;

  begin(plan: FaultPlan | null): void {
    this.calls = 0;
    this.hit = null;
    this.plan = plan;
  }

  /** Nothing happens any more. */
  end(): void {
    this.plan = null;
    this.chance = () => null;
  }

  next(name: string): FaultKind | null {
    this.calls += 1;
    const kind = this.plan?.at === this.calls ? this.plan.kind : this.chance();
    if (kind !== null) {
      this.hits += 1;
      this.hit = `${kind}: ${name}`;
    }
    return kind;
  }
}

const never = <T>(): Promise<T> => new Promise(() => undefined);

/** A process's life: what it calls hangs for ever once it has ended, so that none of its code goes on. */
export class Life {
  over = false;
  readonly ended: Promise<void>;
  private tellEnded: () => void = () => undefined;
  private readonly atEnd: (() => void)[] = [];
  /** Calls that are under way. */
  open = 0;

  constructor(
    readonly name: string,
    private readonly faults: Faults,
    private readonly tell: (what: string) => void,
  ) {
    this.ended = new Promise((resolve) => (this.tellEnded = resolve));
  }

  onEnd(then: () => void): void {
    this.atEnd.push(then);
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    for (const then of this.atEnd) then();
    this.tellEnded();
  }

  /** Makes a call that may be hit. `failed` is what the caller hears then; it may break what it was made by. */
  async call<T>(name: string, run: () => Promise<T>, failed: () => Error): Promise<T> {
    if (this.over) return never();
    const fault = this.faults.next(name);
    if (fault !== null) this.tell(`${this.name}: ${fault}: ${name}`);
    if (fault === "ends before") {
      this.end();
      return never();
    }
    if (fault === "fails") throw failed();
    this.open += 1;
    try {
      const answer = await run();
      if (fault === "ends after") this.end();
      if (this.over) return await never<T>();
      if (fault === "answer lost") throw failed();
      return answer;
    } catch (error) {
      if (this.over) return await never<T>();
      throw error;
    } finally {
      this.open -= 1;
    }
  }
}

/** A port whose every method may be hit. What it is, it is in production; `failed` is what its adapter throws. */
export function faultyPort<P extends object>(port: P, name: string, life: Life, failed: () => Error): P {
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) =>
        life.call(
          `${name}.${String(key)}`,
          async () => (await Reflect.apply(value, target, given)) as unknown,
          failed,
        );
    },
  });
}

/** Nothing depends on who is told of a change, and it is told at a time of its own. */
const UNCOUNTED = /pg_notify/;

type Query = (...given: unknown[]) => Promise<unknown>;

/** Has every statement of a data source be a call that may be hit: a statement that fails breaks its connection. */
export function faultyDatabase(db: DataSource, life: Life): void {
  const pool = (db.driver as unknown as { master: Pool & { _clients: Client[] } }).master;
  const clients = new Set<Client>();
  const wrap = (client: Client): void => {
    clients.add(client);
    if (life.over) return void cut(client);
    const query = (client.query as unknown as Query).bind(client);
    const wrapped: Query = (...given) => {
      const text = textOf(given[0]);
      if (UNCOUNTED.test(text)) return life.over ? never() : query(...given);
      return life.call(
        text,
        () => query(...given),
        () => {
          cut(client);
          return new Error("Connection terminated unexpectedly");
        },
      );
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
  life.onEnd(() => clients.forEach(cut));
}

function cut(client: Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** For people: a statement's name, or how it begins. */
function textOf(given: unknown): string {
  if (typeof given === "string") return shortly(given);
  const { name, text } = given as { name?: string; text: string };
  return name === undefined || name.startsWith("made-") || text.includes("pg_notify")
    ? shortly(text)
    : `statement ${name}`;
}

const shortly = (sql: string): string => sql.replaceAll(/\s+/g, " ").trim().slice(0, 70);
