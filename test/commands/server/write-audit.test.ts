import { expect } from "chai";
import type { DataSource } from "typeorm";
import { createApiKey } from "../../../commands/stores/api-key";
import { createWebhook } from "../../../commands/webhooks/create-webhook";
import { deleteWebhook } from "../../../commands/webhooks/delete-webhook";
import { markInvoice } from "../../../commands/invoices/mark-invoice";
import { skipAddresses } from "../../../commands/wallets/skip-addresses";
import { writeAudit } from "../../../commands/server/write-audit";
import { AuditEntry } from "../../../entities/audit-entry";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildInvoice, buildStore } from "../../support/factories";
import { inTransaction } from "../../../commands/transaction";

describe("write-audit", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  after(() => db.destroy());

  const entries = (storeId: string) =>
    db.manager.find(AuditEntry, { where: { storeId }, order: { at: "ASC" } });

  it("records every change by the command line, without secrets", async () => {
    const store = await buildStore(ctx);
    const { invoice } = await buildInvoice(ctx, { store });
    const { apiKey, record } = await createApiKey(ctx, { storeId: store.id, name: "till" });
    const { webhook, secret } = await createWebhook(ctx, {
      storeId: store.id,
      url: "http://127.0.0.1:9/hook?token=hunter2",
    });
    await skipAddresses(ctx, store.id, 5);
    await markInvoice(ctx, store.id, invoice.id, { status: "Settled", note: "paid in cash by Jane" });
    await deleteWebhook(ctx, store.id, webhook.id);
    const found = await entries(store.id);
    expect(found.map(({ action, subject }) => [action, subject])).to.deep.equal([
      ["store.created", store.id],
      ["api-key.created", record.id],
      ["webhook.created", webhook.id],
      ["wallet.skipped", store.id],
      ["invoice.marked", invoice.id],
      ["webhook.deleted", webhook.id],
    ]);
    for (const entry of found) expect(entry).to.include({ actorKind: "cli", actorId: null });
    for (const hidden of [apiKey.slice(16), secret, "hunter2", "Jane"])
      expect(JSON.stringify(found)).not.to.include(hidden);
  });

  it("records nothing that was refused or rolled back", async () => {
    const store = await buildStore(ctx);
    const { invoice } = await buildInvoice(ctx, { store });
    await markInvoice(ctx, store.id, invoice.id, { status: "Invalid" });
    await markInvoice(ctx, store.id, invoice.id, { status: "Invalid" }).catch(() => null);
    await deleteWebhook(ctx, store.id, "wh_unknown").catch(() => null);
    await inTransaction(ctx, async (tx) => {
      await writeAudit(tx, { action: "store.changed", storeId: store.id, subject: store.id });
      throw new Error("rolled back");
    }).catch(() => null);
    expect((await entries(store.id)).map(({ action }) => action)).to.deep.equal([
      "store.created",
      "invoice.marked",
    ]);
  });
});
