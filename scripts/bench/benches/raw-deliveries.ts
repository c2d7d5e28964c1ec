import { createHmac, randomBytes } from "node:crypto";
import pg from "pg";
import { send } from "../parts";

/**
 * The limit of a delivery: signed POSTs on fresh connections, each with one committed INSERT before it and one UPDATE
 * after it. `raw-deliveries.ts URL COUNT`, and DATABASE_URL. Prints how many there were a second.
 */
const AT_ONCE = 64;

async function main([url = "", count = "0"]: string[]): Promise<void> {
  const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"], max: 5 });
  await pool.query(
    "CREATE TABLE IF NOT EXISTS bench_attempts (id text PRIMARY KEY, headers jsonb NOT NULL, status integer)",
  );
  const secret = randomBytes(32);
  let left = Number(count);
  const body = { type: "New", invoiceId: "", metadata: { orderId: "order-1" }, additionalStatus: "None" };
  async function lane(): Promise<void> {
    for (; left > 0;) {
      left -= 1;
      const id = randomBytes(12).toString("hex");
      const text = JSON.stringify(body);
      const headers = { "x-service-sig": createHmac("sha256", secret).update(text).digest("hex") };
      await pool.query({
        ...{ name: "insert", text: "INSERT INTO bench_attempts (id, headers) VALUES ($1, $2)" },
        values: [id, headers],
      });
      const { status } = await send(url, "POST", headers, text);
      await pool.query({
        ...{ name: "update", text: "UPDATE bench_attempts SET status = $2 WHERE id = $1" },
        values: [id, status],
      });
    }
  }
  const begin = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  process.stdout.write(`${(Number(count) * 1_000) / (performance.now() - begin)}\n`);
  await pool.end();
}

void main(process.argv.slice(2));
