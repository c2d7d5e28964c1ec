import { once } from "node:events";
import { assertLease } from "../../database/lease";
import { createDataSource } from "../../database/data-source";
import { acquireLease } from "./leases";

/**
 * A leader in a process of its own: it opens a transaction, reports that, and continues after it has been stopped
 * and continued.
 */
const WRITE = `INSERT INTO payment_method_syncs (type, checked_at) VALUES ('BTC-CHAIN', clock_timestamp())`;

async function main(): Promise<void> {
  const databaseUrl = process.env.TEST_DATABASE_URL ?? "";
  const db = createDataSource({ databaseUrl, poolMax: 3, applicationName: "lease holder" });
  await db.initialize();
  const lease = await acquireLease(db, "watch", "first");
  if (lease === null) throw new Error("the lease is not free");
  const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));
  const first = await db
    .transaction(async (manager) => {
      await assertLease(manager, lease);
      const continued = once(process, "SIGCONT");
      process.send?.("in transaction");
      await continued;
      await manager.query(WRITE);
    })
    .then(() => "committed", nameOf);
  const second = await db
    .transaction(async (manager) => {
      await assertLease(manager, lease);
      await manager.query(WRITE);
    })
    .then(() => "committed", nameOf);
  process.send?.({ first, second });
  await db.destroy();
}

void main();
