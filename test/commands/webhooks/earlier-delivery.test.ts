import { expect } from "chai";
import type { DataSource } from "typeorm";
import { HAS_EARLIER_UNFINISHED_DELIVERY } from "../../../commands/webhooks/queries";
import { breaksInvariants } from "../../support/invariants-always";
import { testDatabase } from "../../support/database";

const MANY = 3_000;

describe("whether an earlier delivery is open", () => {
  let db: DataSource;
  beforeEach(async () => {
    db = await testDatabase();
    breaksInvariants(db, "deliveries without their webhooks and events");
  });
  afterEach(() => db.destroy());

  const deliver = (from: number, state: string): Promise<unknown> =>
    db.query(
      `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at, state)
       SELECT 'whd_' || n, 'evt_' || n, n, 'wh_1', 'str_1', 'inv_' || n, clock_timestamp(), $2
         FROM generate_series($1::int, $1::int + ${MANY} - 1) AS n`,
      [from, state],
    );
  const FIRST = `SELECT d.id FROM webhook_deliveries d
    WHERE d.webhook_id = 'wh_1' AND d.state = 'pending' AND NOT ${HAS_EARLIER_UNFINISHED_DELIVERY} ORDER BY d.event_seq LIMIT 4`;

  it("uses the invoice's index, though statistics are from an hour without pending deliveries", async () => {
    await deliver(0, "delivered");
    await db.query("ANALYZE webhook_deliveries");
    await deliver(MANY, "pending");
    const [row] = await db.query<{ "QUERY PLAN": { Plan: { "Shared Hit Blocks": number } }[] }[]>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${FIRST}`,
    );
    expect(row?.["QUERY PLAN"][0]?.Plan["Shared Hit Blocks"]).to.be.within(1, 60);
  });

  it("is true for the same invoice and webhook only, while that delivery is pending or being sent", async () => {
    const add = (id: string, seq: number, webhookId: string, invoiceId: string, state: string) =>
      db.query(
        `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, created_at, state)
         VALUES ($1, 'evt_' || $1, $2, $3, 'str_1', $4, clock_timestamp(), $5)`,
        [id, seq, webhookId, invoiceId, state],
      );
    await add("sending", 1, "wh_1", "inv_a", "sending");
    await add("behind sending", 2, "wh_1", "inv_a", "pending");
    await add("delivered", 3, "wh_1", "inv_b", "delivered");
    await add("behind delivered", 4, "wh_1", "inv_b", "pending");
    await add("behind pending", 5, "wh_1", "inv_b", "pending");
    await add("elsewhere", 6, "wh_2", "inv_c", "pending");
    await add("beside it", 7, "wh_1", "inv_c", "pending");
    const rows = await db.query<{ id: string }[]>(FIRST);
    expect(rows.map(({ id }) => id)).to.deep.equal(["behind delivered", "beside it"]);
  });
});
