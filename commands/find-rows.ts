import type { EntityManager, EntityTarget, ObjectLiteral } from "typeorm";
import { queryPrepared } from "./query-prepared";

/**
 * Rows of an entity as `find` has them, but by one prepared statement that TypeORM does not build: keys go by one array
 * and not by a parameter each. `rest` is SQL after the table's name.
 */
export async function findRows<E extends ObjectLiteral, K extends keyof E>(
  manager: EntityManager,
  entity: EntityTarget<E>,
  { select, rest, values }: { select: readonly K[]; rest: string; values: unknown[] },
): Promise<Pick<E, K>[]> {
  const { dataSource } = manager;
  const metadata = dataSource.getMetadata(entity);
  const columns = metadata.columns.filter(({ propertyName }) => select.includes(propertyName as K));
  const names = columns.map(({ databaseName }) => `"${databaseName}"`).join();
  const rows = await queryPrepared<Record<string, unknown>>(
    manager,
    `SELECT ${names} FROM ${metadata.tablePath} ${rest}`,
    values,
  );
  return rows.map((row) => {
    const made = metadata.create() as E;
    for (const column of columns)
      column.setEntityValue(made, dataSource.driver.prepareHydratedValue(row[column.databaseName], column));
    return made;
  });
}
