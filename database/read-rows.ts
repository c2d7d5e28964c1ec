import type { DataSource, EntityManager, EntityTarget, ObjectLiteral } from "typeorm";
import { perDatabase } from "./per-database";
import { checkName, type PlanTime, runPrepared } from "./statement";

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
