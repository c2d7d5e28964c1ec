import { expect } from "chai";
import { createDataSource } from "../../database/data-source";
import { testDatabaseUrl } from "../support/database";

const BEFORE = "ReleaseDeliveries1796000400000";

describe("an upgrade to reviews", () => {
  it("asks about what reached such a state within thirty days, and ends the alerts that did before", async () => {
    const databaseUrl = await testDatabaseUrl({ empty: true });
    const connect = (lastMigration?: string) =>
      createDataSource({
        databaseUrl,
        poolMax: 1,
        applicationName: "test",
        ...(lastMigration && { lastMigration }),
      }).initialize();
    const old = await connect(BEFORE);
    await old.runMigrations();
    const cases = [
      ["late", "Settled", "PaidAfterExpiration", 1_000, 1],
      ["excess", "Settled", "Overpaid", 1_500, 29],
      ["part", "Expired", "Underpaid", 400, 29],
      ["invalid", "Invalid", "None", 400, 1],
      ["paid", "Settled", "None", 1_000, 1],
      ["unpaid", "Expired", "None", 0, 1],
      ["long ago", "Expired", "Underpaid", 400, 31],
    ] as const;
    for (const [id, status, additional, paid, days] of cases) {
      await old.query(
        `INSERT INTO invoices (id, store_id, status, additional_status, amount, currency, due_sats, min_due_sats,
           paid_sats, confirmed_sats, metadata, order_id, required_confirmations, created_at, expires_at, monitoring_until)
         VALUES ($1, 'shop', $2, $3, '1000', 'SATS', 1000, 1000, $4, $4, '{}', $1, 1, now(), now(), now())`,
        [id, status, additional, paid],
      );
      await old.query(
        `INSERT INTO payments (id, invoice_id, store_id, type, amount_sats, state, first_seen_at)
         SELECT $1, $1, 'shop', 'BTC-LN', $2, 'confirmed', now() WHERE $2::bigint > 0`,
        [id, paid],
      );
      await old.query(
        `INSERT INTO invoice_events (id, store_id, invoice_id, type, additional_status, created_at)
         VALUES ($1, 'shop', $1, $2, $3, now() - $4::int * interval '1 day')`,
        [id, status, additional, days],
      );
    }
    await old.query(
      `INSERT INTO alerts (id, kind, severity, subject, message)
       VALUES ('a', 'late-payment', 'warning', 's', 'm'), ('b', 'gap-limit', 'warning', 's', 'm')`,
    );
    await old.destroy();

    const db = await connect();
    await db.runMigrations();
    const asked: { text: string }[] = await db.query(
      "SELECT invoice_id || ': ' || reason || ' ' || received_sats AS text FROM reviews ORDER BY 1",
    );
    expect(asked.map(({ text }) => text)).to.deep.equal([
      "excess: overpaid 1500",
      "invalid: paid-invalid 400",
      "late: paid-late 1000",
      "part: underpaid 400",
    ]);
    const ids: { id: string }[] = await db.query("SELECT id FROM reviews");
    for (const { id } of ids) expect(id).to.match(/^rev_[1-9a-z]{24}$/);
    expect(await db.query("SELECT id FROM alerts")).to.deep.equal([{ id: "b" }]);
    await db.destroy();
  });
});
