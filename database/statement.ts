import { type EntityManager, QueryFailedError, QueryRunnerAlreadyReleasedError } from "typeorm";

/** Postgres' answer: the rows that a statement returned, and how many it read or changed. */
export interface Answer<R> {
  rows: R[];
  count: number;
}

/** A handwritten statement. Its values are `$1`, `$2` and so on. @throws QueryFailedError */
export interface Statement<V extends readonly unknown[], R> {
  (manager: EntityManager, ...values: V): Promise<Answer<R>>;
  readonly text: string;
  readonly planned: PlanTime;
}

/**
 * When Postgres plans a statement. A prepared statement keeps its plan until new statistics exist, which may take
 * minutes after a table was empty: if the plan for an empty table reads all of it, use `each time`. Exceptions are listed in
 * test/commands/statements.test.ts.
 */
export type PlanTime = "once" | "each time";

interface Client {
  query(statement: { name?: string; text: string; values: readonly unknown[] }): Promise<{
    rows: unknown[];
    rowCount: number | null;
  }>;
}

/** Postgres truncates longer ones. */
const NAME_MAX_LENGTH = 63;

const named = new Set<string>();

/**
 * A statement of `queries.ts` or of `database/`, with the types of its values and of a returned row. Each
 * connection prepares it once by its name, so Postgres parses it once, unless it is to be planned each time. The
 * name is unique: `<area>.<what it does>`.
 */
export function statement<V extends readonly unknown[] = [], R = never>(
  name: string,
  text: string,
  planned: PlanTime = "once",
): Statement<V, R> {
  checkName(name);
  const prepared = planned === "once" ? { name, text } : { text };
  const run = (manager: EntityManager, ...values: V): Promise<Answer<R>> =>
    runPrepared<R>(manager, { ...prepared, values });
  return Object.assign(run, { text, planned });
}

/** @throws Error if the name is too long, or another statement has it. */
export function checkName(name: string): void {
  if (name.length > NAME_MAX_LENGTH) throw new Error(`the name of statement ${name} is too long`);
  if (named.has(name)) throw new Error(`there are two statements ${name}`);
  named.add(name);
}

/** Insertions generated from an entity's columns, by their text: one per shape. */
const made = new Map<string, string>();

/** Runs an insertion whose text was generated from an entity's columns. */
export async function runMade<R>(
  manager: EntityManager,
  text: string,
  values: readonly unknown[],
): Promise<R[]> {
  const name = made.get(text) ?? `made-${made.size + 1}`;
  made.set(text, name);
  return (await runPrepared<R>(manager, { name, text, values })).rows;
}

/** A statement of `database/`; without a name Postgres plans it each time. @throws QueryFailedError */
export async function runPrepared<R>(
  { queryRunner: given, dataSource }: EntityManager,
  prepared: { name?: string; text: string; values: readonly unknown[] },
): Promise<Answer<R>> {
  const { text, values } = prepared;
  // It would take another connection, run outside the transaction that has ended, and never return the
  // connection.
  if (given?.isReleased === true) throw new QueryRunnerAlreadyReleasedError();
  const runner = given ?? dataSource.createQueryRunner();
  try {
    const client = (await runner.connect()) as Client;
    dataSource.logger.logQuery(text, [...values], runner);
    const { rows, rowCount } = await client.query(prepared);
    return { rows: rows as R[], count: rowCount ?? 0 };
  } catch (error) {
    throw new QueryFailedError(text, [...values], error as Error);
  } finally {
    if (given === undefined) await runner.release();
  }
}
