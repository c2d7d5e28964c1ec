import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";
import { runMade } from "./statement";

/**
 * Reads rows of an entity like `find`, but with one prepared statement that TypeORM does not build: keys are one
 * array and not a parameter each. `rest` is SQL after the table's name.
 */
export async function findRows<E extends ObjectLiteral, K extends keyof E>(
  manager: EntityManager,
  entity: EntityTarget<E>,
  { select, rest, values }: { select: readonly K[]; rest: string; values: unknown[] },
): Promise<Pick<E, K>[]> {
  const metadata = manager.dataSource.getMetadata(entity);
  const columns = metadata.columns.filter(({ propertyName }) => select.includes(propertyName as K));
  const names = columns.map(({ databaseName }) => `"${databaseName}"`).join();
  const rows = await runMade<Record<string, unknown>>(
    manager,
    `SELECT ${names} FROM ${metadata.tablePath} ${rest}`,
    values,
  );
  return rows.map((row) => {
    const made = metadata.create() as E;
    for (const column of columns) {
      const value = row[column.databaseName];
      const { transformer } = column;
      if (Array.isArray(transformer)) throw new Error(`${column.propertyPath} has several transformers`);
      column.setEntityValue(made, transformer === undefined ? value : transformer.from(value));
    }
    return made;
  });
}
