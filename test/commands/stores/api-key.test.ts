import { createHash } from "node:crypto";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { authenticate, createApiKey } from "../../../commands/stores/api-key";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { ApiKey } from "../../../entities/api-key";
import { buildStore } from "../../support/factories";

describe("api-key", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  after(() => db.destroy());

  it("stores the hash and the first characters, never the key", async () => {
    const store = await buildStore(ctx);
    const { apiKey, record } = await createApiKey(ctx, { storeId: store.id, name: " till " });
    expect(apiKey).to.match(/^sk_test_[0-9A-Za-z]{49}$/);
    const row = await db.manager.findOneByOrFail(ApiKey, { id: record.id });
    expect(row).to.deep.include({
      storeId: store.id,
      name: "till",
      prefix: apiKey.slice(8, 16),
      lastUsedAt: null,
    });
    expect(row.hash).to.deep.equal(createHash("sha256").update(apiKey).digest());
    const [text] = await db.query<[{ row: string }]>(
      "SELECT api_keys::text AS row FROM api_keys WHERE id = $1",
      [record.id],
    );
    expect(text.row).not.to.include(apiKey.slice(8, 30));
  });

  it("with permissions is found by no process that does not know them, nor without them", async () => {
    const store = await buildStore(ctx);
    const permissions = ["btcpay.store.canviewinvoices"] as const;
    const { apiKey, record } = await createApiKey(ctx, { storeId: store.id, name: "shop", permissions });
    const { record: native, apiKey: nativeKey } = await createApiKey(ctx, {
      storeId: store.id,
      name: "till",
    });
    expect(await authenticate(ctx, apiKey)).to.deep.include({ keyId: record.id, permissions });
    // The statement of an older version.
    const found = await db.query<unknown[]>("SELECT 1 FROM api_keys WHERE hash = $1", [
      createHash("sha256").update(apiKey).digest(),
    ]);
    expect(found).to.deep.equal([]);

    await db.query("UPDATE api_keys SET permissions = NULL WHERE id = $1", [record.id]);
    expect(await authenticate(ctx, apiKey)).to.equal(null);
    await db.query("UPDATE api_keys SET permissions = $2 WHERE id = $1", [native.id, permissions]);
    expect(await authenticate(ctx, nativeKey)).to.equal(null);
  });
});
