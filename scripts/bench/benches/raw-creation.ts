import { createHmac } from "node:crypto";
import { json } from "node:stream/consumers";
import Koa from "koa";
import pg from "pg";
import { invoiceInserts } from "../fill/invoice-rows";
import { send } from "../parts";

async function sendSigned(url: string, body: unknown): Promise<void> {
  const text = JSON.stringify(body);
  const signature = createHmac("sha256", "secret").update(text).digest("hex");
  const { status } = await send(url, "POST", { "x-service-sig": signature }, text);
  if (status !== 200) throw new Error(`the endpoint answered ${status}`);
}

/**
 * The limit of creating an invoice: a bare Koa route that reads the JSON and INSERTs the same rows in one transaction.
 * With a WEBHOOK_URL it makes one signed POST, too, before it answers.
 * Settings: DATABASE_URL of a database that holds one invoice, PORT, POOL_MAX, WEBHOOK_URL.
 */
async function main(): Promise<void> {
  const { DATABASE_URL, PORT, POOL_MAX, WEBHOOK_URL = "" } = process.env;
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_MAX) });
  const inserts = await invoiceInserts(pool);
  const app = new Koa();
  app.use(async (koa) => {
    const { amount } = (await json(koa.req)) as { amount: string };
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
    if (WEBHOOK_URL !== "") await sendSigned(WEBHOOK_URL, koa.body);
  });
  app.listen(Number(PORT), "127.0.0.1", () => process.send?.("ready"));
  process.on("SIGTERM", () => process.exit(0));
}

void main();
