import type { DataSource } from "typeorm";

/** Tests use many. */
export function perDatabase<T>(make: (db: DataSource) => T): (db: DataSource) => T {
  const made = new WeakMap<DataSource, T>();
  return (db) => {
    const known = made.get(db) ?? make(db);
    made.set(db, known);
    return known;
  };
}
