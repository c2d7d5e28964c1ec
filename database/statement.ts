import type { Writable } from "node:stream";
import {
  type EntityManager,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  type DataSource,
  type EntityTarget,
  type ObjectLiteral,
} from "typeorm";
import { perDatabase } from "./batch";

export interface Answer<R> {
  rows: R[];
  count: number;
}

/** Values are `$1`, `$2` and so on. @throws QueryFailedError */
export interface Statement<V extends readonly unknown[], R> {
  (manager: EntityManager, ...values: V): Promise<Answer<R>>;
  readonly text: string;
  readonly planned: PlanTime;
}

/**
 * A prepared statement keeps its plan for minutes: if the plan for an empty table reads all of it, use `each time`.
 * test/commands/statements.test.ts lists exceptions.
 */
export type PlanTime = "once" | "each time";

/**
 * SQL: the array's elements. Of an array that it sees the length of, Postgres makes a prepared statement's plan for each
 * call: that takes longer than to run it.
 */
export const elementsOf = (array: string): string => `ARRAY(SELECT unnest(${array}))`;

/**
 * SQL: a text of each of the rows that are given as JSON. Postgres expects a hundred rows: to join them it would read all of
 * a table that has some thousand.
 */
export const keysOf = (rows: string, name: string): string =>
  `ARRAY(SELECT "${name}" FROM json_to_recordset(${rows}) AS given ("${name}" text))`;

interface Client {
  connection: { stream: Writable };
  query(statement: { name?: string; text: string; values: readonly unknown[] }): Promise<{
    rows: unknown[];
    rowCount: number | null;
  }>;
}

/** Postgres truncates longer ones. */
const NAME_MAX_LENGTH = 63;

const named = new Set<string>();

/** In `queries.ts` or `database/`. Prepared once per connection by its unique name `<area>.<what it does>`. */
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

/** @throws Error if too long, or another statement's. */
export function checkName(name: string): void {
  if (name.length > NAME_MAX_LENGTH) throw new Error(`the name of statement ${name} is too long`);
  if (named.has(name)) throw new Error(`there are two statements ${name}`);
  named.add(name);
}

const made = new Map<string, string>();

export async function runMade<R>(
  manager: EntityManager,
  text: string,
  values: readonly unknown[],
): Promise<R[]> {
  const name = made.get(text) ?? `made-${made.size + 1}`;
  made.set(text, name);
  return (await runPrepared<R>(manager, { name, text, values })).rows;
}

/** Statements of one tick are one write: each write is a call of the system, here and in Postgres. */
function writeTogether({ connection: { stream } }: Client): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Without a name Postgres plans it each time. @throws QueryFailedError */
export async function runPrepared<R>(
  { queryRunner: given, dataSource }: EntityManager,
  prepared: { name?: string; text: string; values: readonly unknown[] },
): Promise<Answer<R>> {
  const { text, values } = prepared;
  // It would run outside the ended transaction, on a connection that is never returned.
  if (given?.isReleased === true) throw new QueryRunnerAlreadyReleasedError();
  const runner = given ?? dataSource.createQueryRunner();
  try {
    const client = (await runner.connect()) as Client;
    dataSource.logger.logQuery(text, [...values], runner);
    writeTogether(client);
    const { rows, rowCount } = await client.query(prepared);
    return { rows: rows as R[], count: rowCount ?? 0 };
  } catch (error) {
    throw new QueryFailedError(text, [...values], error as Error);
  } finally {
    if (given === undefined) await runner.release();
  }
}

/** @throws QueryFailedError */
export interface RowStatement<V extends readonly unknown[], R> {
  (manager: EntityManager, ...values: V): Promise<R[]>;
  textIn(db: DataSource): string;
  readonly planned: PlanTime;
}

/**
 * Like `find`, into the same types, but with keys as one array; all columns, unless some are selected. `rest`: SQL
 * after the table's name.
 */
export function rowsOf<E extends ObjectLiteral, K extends keyof E = keyof E>(
  entity: EntityTarget<E>,
  select?: readonly K[],
): { statement<V extends readonly unknown[]>(name: string, rest: string): RowStatement<V, Pick<E, K>> } {
  return {
    statement<V extends readonly unknown[]>(name: string, rest: string): RowStatement<V, Pick<E, K>> {
      checkName(name);
      const shapeIn = perDatabase((db) => {
        const metadata = db.getMetadata(entity);
        const columns = metadata.columns.filter(
          ({ propertyName }) => select?.includes(propertyName as K) ?? true,
        );
        const names = columns.map(({ databaseName }) => `"${databaseName}"`).join();
        return { metadata, columns, text: `SELECT ${names} FROM ${metadata.tablePath} ${rest}` };
      });
      async function read(manager: EntityManager, ...values: V): Promise<Pick<E, K>[]> {
        const { metadata, columns, text } = shapeIn(manager.dataSource);
        const { rows } = await runPrepared<Record<string, unknown>>(manager, { name, text, values });
        return rows.map((row) => {
          const made = metadata.create() as E;
          for (const column of columns) {
            const value = row[column.databaseName];
            const { transformer } = column;
            if (Array.isArray(transformer))
              throw new Error(`${column.propertyPath} has several transformers`);
            column.setEntityValue(made, transformer === undefined ? value : transformer.from(value));
          }
          return made;
        });
      }
      return Object.assign(read, { textIn: (db: DataSource) => shapeIn(db).text, planned: "once" as const });
    },
  };
}
