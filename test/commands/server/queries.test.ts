import { expect } from "chai";
import type { DataSource } from "typeorm";
import { PRUNE_RECORDS, PRUNE_REST } from "../../../commands/installation/queries";
import type { Statement } from "../../../database/statement";
import { breaksInvariants } from "../../support/invariants-always";
import { testDatabase } from "../../support/database";

describe("SQL statements of the server", () => {
  let db: DataSource;
  beforeEach(async () => {
    db = await testDatabase(1);
  });
  afterEach(() => db.destroy());

  /** As Postgres plans it once for all times, which it does for what a connection has asked often. */
  async function genericPlanOf({ text }: Statement<[Date], never>): Promise<string> {
    return db.transaction(async (manager) => {
      await manager.query("SET LOCAL plan_cache_mode = force_generic_plan");
      await manager.query(`PREPARE pruning AS ${text}`);
      const rows = await manager.query<Record<"QUERY PLAN", string>[]>("EXPLAIN EXECUTE pruning (now())");
      await manager.query("DEALLOCATE pruning");
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    });
  }

  /** Rows lie in no order of their times, as where many were changed since. */
  const AT = "now() - n * 7919 % 20000 * interval '1 second'";

  it("find old rows by their time among many that are kept, also by a generic plan", async () => {
    breaksInvariants(db, "events and attempts without what they belong to");
    await db.query(
      `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, round, by_hand, body, created_at)
       SELECT 'evt_' || n, 'str', 'inv_' || n, 'Settled', 'None', 1, false, '{}', ${AT} FROM generate_series(1, 20000) AS n`,
    );
    await db.query(
      `INSERT INTO webhook_attempts (delivery_id, number, webhook_id, cause, started_at, sent_headers, claim, state)
       SELECT 'whd_' || n, 1, 'wh', 'automatic', ${AT}, '{}', gen_random_uuid(), 'delivered'
         FROM generate_series(1, 20000) AS n`,
    );
    await db.query(
      `INSERT INTO idempotency_keys (store_id, key, request_hash, claim, claimed_until, expires_at)
       SELECT 'str', n::text, '', '', now(), ${AT} + interval '1 day' FROM generate_series(1, 20000) AS n`,
    );
    await db.query("ANALYZE");
    let text = "";
    for (const each of [...PRUNE_RECORDS, ...PRUNE_REST]) text += `${await genericPlanOf(each)}\n`;
    for (const index of ["invoice_events_kept", "webhook_attempts_started", "idempotency_keys_expires"])
      expect(text).to.include(`Index Scan using ${index}`);
  });
});
