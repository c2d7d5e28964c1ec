import { type EntityManager, QueryFailedError } from "typeorm";

/** By their text. There are as many as places in the code that use this, times the shapes of what they write. */
const names = new Map<string, string>();

interface Client {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * `manager.query` for what runs hundreds of times a second: each connection keeps it prepared, so that Postgres parses
 * and plans it once. Answers the rows.
 * @throws QueryFailedError
 */
export async function queryPrepared<T>(
  manager: EntityManager,
  text: string,
  values: unknown[],
): Promise<T[]> {
  const { queryRunner: given } = manager;
  const runner = given ?? manager.dataSource.createQueryRunner();
  const name = names.get(text) ?? `quittance-${names.size + 1}`;
  names.set(text, name);
  try {
    const client = (await runner.connect()) as Client;
    return (await client.query({ name, text, values })).rows as T[];
  } catch (error) {
    throw new QueryFailedError(text, values, error as Error);
  } finally {
    if (given === undefined) await runner.release();
  }
}
