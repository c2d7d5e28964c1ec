import { expect } from "chai";
import type { DataSource } from "typeorm";
import { makeSecretBox } from "../../adapters/crypto";
import { decideByJob } from "../../commands/invoices/decide-due";
import { readFeed } from "../../commands/webhooks/read-feed";
import { createDataSource } from "../../database/data-source";
import { PaymentMethodSync } from "../../entities/payment-method-sync";
import { Session } from "../../entities/session";
import type { Store } from "../../entities/store";
import { testContext, type TestContext } from "../support/context";
import { testDatabaseUrl } from "../support/database";
import { buildInvoice, buildPayment, buildStore, buildWebhook } from "../support/factories";
import { APP_SECRET, cliOn, type Ran, type Run } from "./support";

interface Finished {
  takenAt: string;
  wallets: { walletId: string; from: number; to: number }[];
  heldDeliveries: number;
  chainHeight: number | null;
  unknown: string[];
}

const LAST_WORK = new Date("2026-03-01T12:00:00Z");

describe("finish-restore on the command line, after a failover that lost commits", function () {
  this.timeout(60_000);
  let env: Record<string, string>;
  let cli: Run;
  let db: DataSource;
  let ctx: TestContext;
  let store: Store;

  const connect = (applicationName: string): Promise<DataSource> =>
    createDataSource({ databaseUrl: env["DATABASE_URL"] ?? "", poolMax: 2, applicationName }).initialize();

  beforeEach(async () => {
    env = {
      DATABASE_URL: await testDatabaseUrl(),
      NETWORK: "regtest",
      APP_SECRET,
      PUBLIC_URL: "https://pay.example.com",
    };
    cli = cliOn(env);
    expect((await cli("migrate")).code).to.equal(0);
    db = await connect("test");
    ctx = await testContext({ db, secrets: makeSecretBox({ appSecret: APP_SECRET }) });
    store = await buildStore(ctx);
    await buildWebhook(ctx, store);
  });
  afterEach(() => db.destroy());

  const finish = (...args: string[]): Promise<Ran> => cli("finish-restore", ...args, "--json");
  const count = async (table: string): Promise<number> =>
    (await db.query<{ n: number }[]>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? -1;
  const deliveries = (invoiceId: string): Promise<{ state: string; error: string | null }[]> =>
    db.query("SELECT state, error FROM webhook_deliveries WHERE invoice_id = $1 ORDER BY event_seq", [
      invoiceId,
    ]);
  const HELD = { state: "failed", error: "held-after-restore" };

  it("gives out no address and sends no webhook again, and lets feeds continue behind what was lost", async () => {
    const { invoice } = await buildInvoice(ctx, { store });
    await db.manager.insert(PaymentMethodSync, { type: "BTC-CHAIN", checkedAt: LAST_WORK });
    const answer = (await finish("--skip-addresses", "70")).json<Finished>();
    const [wallet] = await db.query<{ id: string; next: number }[]>(
      "SELECT id, next_index AS next FROM wallets",
    );
    expect(wallet?.next).to.equal(71);
    expect(answer.wallets).to.deep.equal([{ walletId: wallet?.id, from: 1, to: 71 }]);
    expect(answer).to.include({ takenAt: LAST_WORK.toISOString(), heldDeliveries: 1, chainHeight: null });
    expect(answer.unknown.join()).to.include("each wallet skips 70");

    // Decided again, and the shop may have it.
    await buildPayment(ctx, invoice.id, { state: "confirmed" });
    await decideByJob(ctx, invoice.id);
    expect(await deliveries(invoice.id)).to.deep.equal([HELD, HELD]);
    const { invoice: fresh } = await buildInvoice(ctx, { store });
    expect(await deliveries(fresh.id)).to.deep.equal([{ state: "queued", error: null }]);
    const [, , last] = await readFeed(ctx, store.id, { after: 0n, limit: 10 });
    expect(Number(last?.seq)).to.be.greaterThan(1_000_000_000);
  });

  it("ends all logins and one-time links", async () => {
    await cli("user", "create", "--email", "me@example.com");
    const [user] = await db.query<{ id: string }[]>("SELECT id FROM users");
    const now = new Date();
    await db.manager.insert(Session, {
      id: "ses_1",
      tokenHash: Buffer.of(1),
      userId: user?.id ?? "",
      stage: "full",
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + 3_600_000),
      authenticatedAt: now,
      ip: "127.0.0.1",
      userAgent: "a test",
    });
    expect([await count("sessions"), await count("user_links")]).to.deep.equal([1, 1]);
    expect((await finish()).code).to.equal(0);
    expect([await count("sessions"), await count("user_links")]).to.deep.equal([0, 0]);
    expect(await count("users")).to.equal(1);
  });

  it("raises an alert, writes the audit log, and skips 1,000 addresses where no number is given", async () => {
    await buildInvoice(ctx, { store });
    const { wallets } = (await finish()).json<Finished>();
    expect(wallets.map(({ from, to }) => [from, to])).to.deep.equal([[1, 1_001]]);
    const [alert, ...more] = await db.query<{ kind: string; message: string }[]>(
      "SELECT kind, message FROM alerts WHERE resolved_at IS NULL",
    );
    expect(more).to.deep.equal([]);
    expect(alert?.kind).to.equal("restored");
    expect(alert?.message).to.include("lost commits in a failover");
    expect(await db.query("SELECT action, actor_kind FROM audit_log")).to.deep.include({
      action: "database.restored",
      actor_kind: "cli",
    });
  });

  describe("refuses, and writes nothing:", () => {
    beforeEach(async () => {
      await buildInvoice(ctx, { store });
    });
    async function refuses(ran: Ran, code: string, says: string): Promise<void> {
      expect(ran.code).to.equal(1);
      expect(ran.error().code).to.equal(code);
      expect(ran.error().message).to.include(says);
      expect(await db.query("SELECT next_index FROM wallets")).to.deep.equal([{ next_index: 1 }]);
      expect(await db.query("SELECT state FROM webhook_deliveries")).to.deep.equal([{ state: "queued" }]);
      expect([await count("restores"), await count("alerts")]).to.deep.equal([0, 0]);
    }

    it("while an app is connected", async () => {
      const app = await connect("quittance api");
      const ran = await finish();
      await app.destroy();
      await refuses(ran, "wrong-installation", "Stop all apps first, on all hosts");
      expect(ran.error().message).to.include("quittance api");
    });
    it("under another APP_SECRET", async () => {
      const other = cliOn({ ...env, APP_SECRET: "another secret with more than 32 characters" });
      await refuses(
        await other("finish-restore", "--json"),
        "wrong-installation",
        "APP_SECRET is not the one",
      );
    });
    it("on a database of another network", async () => {
      const other = cliOn({ ...env, NETWORK: "signet" });
      await refuses(await other("finish-restore", "--json"), "wrong-installation", "made for regtest");
    });
    it("a database that is older than the service, before migrate", async () => {
      await db.query("DELETE FROM migrations WHERE id = (SELECT max(id) FROM migrations)");
      await refuses(await finish(), "database-refused", "migrate");
    });
    it("too many addresses", async () => {
      await refuses(
        await finish("--skip-addresses", "1000001"),
        "validation-failed",
        "--skip-addresses: Must be",
      );
    });
    it("half a restore of ours", async () => {
      await db.query("UPDATE installation SET network = 'unfinished-restore'");
      await refuses(await finish(), "wrong-installation", "did not finish");
    });
  });
});
