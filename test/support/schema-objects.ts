import type { EntityManager } from "typeorm";

/** Without names of not-null constraints (Postgres 18), which depend on how a column was created. */
const OBJECTS = `WITH tables AS (
    SELECT oid, relname AS name, relkind, relpersistence, relrowsecurity, reloptions FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname <> 'migrations')
  SELECT name AS "table", format('table %s of kind %s%s, row security %s, options %s',
      name, relkind, relpersistence, relrowsecurity, coalesce(reloptions::text, '{}')) AS object
    FROM tables
  UNION ALL
  SELECT t.name, concat('column ', t.name, '.', a.attname, ' ', format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attcollation <> y.typcollation THEN ' COLLATE ' || a.attcollation::regcollation END,
      CASE WHEN a.attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid),
      a.attidentity, a.attgenerated)
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type y ON y.oid = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  UNION ALL
  SELECT t.name, concat('constraint ', t.name, '.', c.conname, ' ', pg_get_constraintdef(c.oid, true))
    FROM tables t JOIN pg_constraint c ON c.conrelid = t.oid WHERE c.contype <> 'n'
  UNION ALL
  SELECT t.name, concat('index ', pg_get_indexdef(i.indexrelid, 0, true), CASE WHEN NOT i.indisvalid THEN ' (invalid)' END)
    FROM tables t JOIN pg_index i ON i.indrelid = t.oid
  UNION ALL
  SELECT t.name, concat('trigger ', pg_get_triggerdef(g.oid, true))
    FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid WHERE NOT g.tgisinternal`;

/** By table, a line each. */
export type SchemaObjects = ReadonlyMap<string, ReadonlySet<string>>;

export async function readSchemaObjects(manager: EntityManager): Promise<SchemaObjects> {
  const rows = await manager.query<{ table: string; object: string }[]>(OBJECTS);
  const objects = new Map<string, Set<string>>();
  for (const { table, object } of rows) objects.set(table, (objects.get(table) ?? new Set()).add(object));
  return objects;
}

/** Missing and additional, a line each. Foreign tables are ignored. */
export function differencesOf(expected: SchemaObjects, found: SchemaObjects): string[] {
  const differences: string[] = [];
  for (const [table, objects] of expected) {
    const present = found.get(table) ?? new Set();
    for (const object of objects) if (!present.has(object)) differences.push(`missing: ${object}`);
    for (const object of present) if (!objects.has(object)) differences.push(`too much: ${object}`);
  }
  return differences;
}
