import Koa from "koa";
import pg from "pg";
import { invoiceInserts } from "./invoice-rows";

/**
 * The limit of creating an invoice: a bare Koa route that reads the JSON and INSERTs the same rows in one transaction.
 * Settings: DATABASE_URL of a database that holds one invoice, PORT, POOL_MAX.
 */
async function main(): Promise<void> {
  const { DATABASE_URL, PORT, POOL_MAX } = process.env;
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_MAX) });
  const inserts = await invoiceInserts(pool);
  const app = new Koa();
  app.use(async (koa) => {
    const chunks: Buffer[] = [];
    for await (const chunk of koa.req) chunks.push(chunk as Buffer);
    const { amount } = JSON.parse(Buffer.concat(chunks).toString()) as { amount: string };
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const invoiceId = await inserts.insert(client);
      await client.query("COMMIT");
      koa.status = 201;
      koa.body = { invoiceId, amount };
    } finally {
      client.release();
    }
  });
  app.listen(Number(PORT), "127.0.0.1", () => process.send?.("ready"));
  process.on("SIGTERM", () => process.exit(0));
}

void main();
