import type { DataSource } from "typeorm";

/** Copies an invoice with new ids, each a second older. They have no events: the invariants do not hold for them. */
export async function copyInvoice(db: DataSource, invoiceId: string, copies: number): Promise<void> {
  const [{ columns }] = await db.query<[{ columns: string }]>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
      WHERE table_name = 'invoices' AND column_name NOT IN ('id', 'created_at')`,
  );
  await db.query(
    `INSERT INTO invoices (id, created_at, ${columns})
     SELECT 'inv_' || left(store_id, 16) || n, created_at - n * interval '1 second', ${columns}
       FROM invoices, generate_series(1, $2::int) n WHERE id = $1`,
    [invoiceId, copies],
  );
}
