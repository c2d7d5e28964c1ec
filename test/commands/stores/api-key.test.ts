import { createHash } from "node:crypto";
import { expect } from "chai";
import type { DataSource } from "typeorm";
import { createApiKey } from "../../../commands/stores/api-key";
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
});
