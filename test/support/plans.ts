import type { DataSource } from "typeorm";
import type { PlanTime } from "../../database/statement";

/** Tables that grow with every invoice, where a plan reads one of them as a whole. */
export const LARGE =
  /Seq Scan on (invoices|invoice_events|invoice_history|payments|payment_inputs|watched_scripts|webhook_deliveries|webhook_attempts|alerts)\b/;

/** The plans of all statements of the work, where Postgres reads a whole table only if no index serves. */
export async function plansOf(db: DataSource, work: () => Promise<unknown>): Promise<string[]> {
  const statements = await statementsOf(db, work);
  return db.transaction(async (manager) => {
    await manager.query("SET LOCAL enable_seqscan = off");
    const plans: string[] = [];
    for (const { sql, parameters } of statements.filter(({ sql }) =>
      /^\s*(SELECT|UPDATE|DELETE|WITH)/.test(sql),
    )) {
      const rows = await manager.query<Record<"QUERY PLAN", string>[]>(`EXPLAIN ${sql}`, parameters);
      plans.push(`${sql}\n${rows.map((row) => row["QUERY PLAN"]).join("\n")}`);
    }
    return plans;
  });
}

interface Logged {
  sql: string;
  parameters: unknown[];
}

/** Those that went through TypeORM's logger. */
export async function statementsOf(db: DataSource, work: () => Promise<unknown>): Promise<Logged[]> {
  const { logger } = db;
  const statements: Logged[] = [];
  db.setOptions({
    logging: ["query"],
    logger: {
      logQuery: (sql, parameters = []) => void statements.push({ sql, parameters: parameters as unknown[] }),
      logQueryError: () => undefined,
      logQuerySlow: () => undefined,
      logSchemaBuild: () => undefined,
      logMigration: () => undefined,
      log: () => undefined,
    },
  });
  try {
    await work();
    return statements;
  } finally {
    db.setOptions({ logging: false, logger });
  }
}

/** A statement as its area exports it. */
export type ExportedStatement = { planned: PlanTime } & (
  { text: string } | { textIn: (db: DataSource) => string }
);

const isStatement = (value: unknown): value is ExportedStatement =>
  typeof value === "function" && "planned" in value;

/** The statements of a `queries.ts`, also those in lists, by the names that it exports them by. */
export function statementsIn(exported: object): [name: string, statement: ExportedStatement][] {
  return Object.entries(exported).flatMap(
    ([name, value]: [string, unknown]): [string, ExportedStatement][] => {
      if (isStatement(value)) return [[name, value]];
      if (typeof value !== "object" || value === null) return [];
      return statementsIn(value).map(([inner, statement]) => [`${name}.${inner}`, statement]);
    },
  );
}

const textOf = (db: DataSource, statement: ExportedStatement): string =>
  "text" in statement ? statement.text : statement.textIn(db);

/** The plan that Postgres makes for any values, where it reads a whole table only if no index serves. */
export function planOfAny(db: DataSource, statement: ExportedStatement): Promise<string> {
  return genericPlan(db, textOf(db, statement), "off");
}

/** The plan that Postgres keeps of a prepared statement, in a database that is as empty as when a service is new. */
export function keptPlan(db: DataSource, statement: ExportedStatement): Promise<string> {
  return genericPlan(db, textOf(db, statement), "on");
}

function genericPlan(db: DataSource, text: string, seqScan: "on" | "off"): Promise<string> {
  return db.transaction(async (manager) => {
    await manager.query(`SET LOCAL enable_seqscan = ${seqScan}`);
    const rows = await manager.query<Record<"QUERY PLAN", string>[]>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    return `${text}\n${rows.map((row) => row["QUERY PLAN"]).join("\n")}`;
  });
}
