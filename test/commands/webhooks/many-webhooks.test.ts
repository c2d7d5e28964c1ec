import { expect } from "chai";
import { webhookSecretPlace } from "../../../commands/server/sealed-places";
import type { DataSource } from "typeorm";
import type { Store } from "../../../entities/store";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore } from "../../support/factories";

const WEBHOOKS = 300;

/** Of a store that had them before there was a limit. */
describe("a store with hundreds of webhooks", () => {
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    store = await buildStore(ctx);
    // Of none of them: nothing is sent here.
    const sealed = ctx.secrets.encrypt("whsec_", webhookSecretPlace("wh_0"));
    await db.query(
      `INSERT INTO webhooks (id, store_id, url, events, secret_encrypted, created_at)
       SELECT 'wh_' || n, $1, 'http://127.0.0.1:1/' || n, '{New,Expired}', $2, clock_timestamp()
         FROM generate_series(1, $3::int) AS n`,
      [store.id, sealed, WEBHOOKS],
    );
  });
  afterEach(() => db.destroy());

  const transactionsOf = async (type: string): Promise<number[]> => {
    const rows = await db.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM webhook_deliveries d JOIN invoice_events e ON e.id = d.event_id
        WHERE e.type = $1 GROUP BY d.xmin::text`,
      [type],
    );
    return rows.map(({ count }) => count);
  };
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

  it("writes the deliveries of invoices created at once in batches of some thousands, without a loss", async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => buildInvoice(ctx, { store })));
    const counts = await transactionsOf("New");
    expect(sum(counts)).to.equal(made.length * WEBHOOKS);
    expect(Math.max(...counts)).to.be.at.most(5_000);
  });
});
