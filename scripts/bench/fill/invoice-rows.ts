import { randomBytes } from "node:crypto";
import type { ClientBase, Pool } from "pg";

/** What one invoice is made of, in the order in which its rows refer to each other. */
const TABLES = [
  { table: "invoices", of: "id" },
  { table: "watched_scripts", of: "invoice_id" },
  { table: "invoice_payment_methods", of: "invoice_id" },
  { table: "invoice_history", of: "invoice_id" },
  { table: "invoice_events", of: "invoice_id" },
] as const;

interface Insert {
  name: string;
  text: string;
  values: (fresh: Fresh) => unknown[];
}

interface Fresh {
  invoiceId: string;
  eventId: string;
  script: Buffer;
  addressIndex: number;
}

const INDEXES_A_PROCESS = 1_000_000;
/** So that no two processes take the same one, and no sum is above the column's 2,147,483,647. */
let nextIndex = ((process.pid % 2_000) + 1) * INDEXES_A_PROCESS;

function freshOf(): Fresh {
  const id = randomBytes(12).toString("hex");
  nextIndex += 1;
  return {
    invoiceId: `inv_${id}`,
    eventId: `evt_${id}`,
    script: Buffer.concat([Buffer.from("0014", "hex"), randomBytes(20)]),
    addressIndex: nextIndex,
  };
}

/** A column's value in the copy: what must be its own is, the rest stays. */
function replacement(table: string, column: string): ((fresh: Fresh) => unknown) | null {
  if (column === "invoice_id" || (table === "invoices" && column === "id")) return (fresh) => fresh.invoiceId;
  if (table === "invoice_events" && column === "id") return (fresh) => fresh.eventId;
  if (column === "script_pub_key") return (fresh) => fresh.script;
  if (column === "address_index") return (fresh) => fresh.addressIndex;
  return null;
}

/** INSERTs of the rows that the service writes for an invoice, made from the one that is in the database. */
export async function invoiceInserts(pool: Pool): Promise<{ insert(client: ClientBase): Promise<string> }> {
  const inserts: Insert[] = [];
  for (const { table, of } of TABLES) {
    const columns = await pool.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name = $1 AND is_identity = 'NO' AND is_generated = 'NEVER'
          AND column_default IS DISTINCT FROM 'nextval'
          AND (column_default IS NULL OR column_default NOT LIKE 'nextval%')`,
      [table],
    );
    const names = columns.rows.map(({ name }) => name);
    const { rows } = await pool.query<Record<string, unknown>>(
      `SELECT ${names.map((name) => `"${name}"::text`).join()} FROM ${table}
        WHERE ${of} = (SELECT id FROM invoices LIMIT 1)`,
    );
    for (const row of rows) {
      const made = names.map((name) => replacement(table, name) ?? (() => row[name]));
      inserts.push({
        name: `${table}-${inserts.length}`,
        text: `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join()}) VALUES (${names.map((_, at) => `$${at + 1}`).join()})`,
        values: (fresh) => made.map((value) => value(fresh)),
      });
    }
  }
  return {
    async insert(client) {
      const fresh = freshOf();
      for (const { name, text, values } of inserts) await client.query({ name, text, values: values(fresh) });
      return fresh.invoiceId;
    },
  };
}
