import type { DataSource } from "typeorm";

/** Postgres refuses to write rows for which this condition holds (SQL, of NEW and OLD), until `cure`. */
export async function poison(
  db: DataSource,
  table: string,
  events: string,
  condition: string,
  code = "raise_exception",
): Promise<void> {
  await db.query(
    `CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN IF ${condition} THEN RAISE EXCEPTION 'poison: ${code}' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$`,
  );
  await db.query(`CREATE TRIGGER poison BEFORE ${events} ON ${table} FOR EACH ROW EXECUTE FUNCTION poison()`);
}

export const cure = (db: DataSource): Promise<unknown> => db.query("DROP FUNCTION poison CASCADE");
