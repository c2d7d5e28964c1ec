import { expect } from "chai";
import type { DataSource } from "typeorm";
import { createApiKey } from "../../../commands/stores/api-key";
import type { CommandContext } from "../../../commands/context";
import { createStore } from "../../../commands/stores/create-store";
import { createUser } from "../../../commands/accounts/create-user";
import { createWebhook } from "../../../commands/webhooks/create-webhook";
import { deleteWebhook } from "../../../commands/webhooks/delete-webhook";
import { DomainError } from "../../../domain/errors";
import { ApiKey } from "../../../entities/api-key";
import { StoreMember } from "../../../entities/store-member";
import { Webhook } from "../../../entities/webhook";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildStore } from "../../support/factories";

const LIMIT = 3;
const URL = "http://127.0.0.1:1/hook";

describe("limits of what a client may create", () => {
  let db: DataSource;
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({
      db,
      settings: {
        storeCreation: "everyone",
        maxWebhooksPerStore: LIMIT,
        maxKeysPerStore: LIMIT,
        maxStoresPerUser: LIMIT,
      },
    });
  });
  afterEach(() => db.destroy());

  /** The codes by which they were refused; "" for those that were made. */
  async function codesOf(made: readonly Promise<unknown>[]): Promise<string[]> {
    const ends = await Promise.allSettled(made);
    return ends
      .map((end) =>
        end.status === "fulfilled" ? "" : end.reason instanceof DomainError ? end.reason.code : "defect",
      )
      .sort();
  }
  const atOnce = (count: number, make: () => Promise<unknown>): Promise<string[]> =>
    codesOf(Array.from({ length: count }, make));
  const as = (userId: string, settings: Partial<TestContext["settings"]> = {}): CommandContext => ({
    ...ctx,
    actor: { kind: "user", id: userId },
    settings: { ...ctx.settings, ...settings },
  });
  async function users(): Promise<{ admin: string; other: string }> {
    const { userId: admin } = await createUser(ctx, { email: "first@shop.example" });
    const { userId: other } = await createUser(ctx, { email: "second@shop.example" });
    return { admin, other };
  }

  it("allow a store its number of webhooks, and no more when several are created at once", async () => {
    const { id: storeId } = await buildStore(ctx);
    const codes = await atOnce(LIMIT + 3, () => createWebhook(ctx, { storeId, url: URL }));
    expect(codes).to.deep.equal(["", "", "", ...Array<string>(3).fill("limit-reached")]);
    expect(await db.manager.countBy(Webhook, { storeId })).to.equal(LIMIT);
    const [webhook] = await db.manager.findBy(Webhook, { storeId });
    await deleteWebhook(ctx, storeId, webhook?.id ?? "");
    expect(await atOnce(2, () => createWebhook(ctx, { storeId, url: URL }))).to.deep.equal([
      "",
      "limit-reached",
    ]);
  });

  it("allow a store its number of API keys, and no more when several are created at once", async () => {
    const { id: storeId } = await buildStore(ctx);
    const codes = await atOnce(LIMIT + 3, () => createApiKey(ctx, { storeId, name: "till" }));
    expect(codes).to.deep.equal(["", "", "", ...Array<string>(3).fill("limit-reached")]);
    expect(await db.manager.countBy(ApiKey, { storeId })).to.equal(LIMIT);
  });

  it("allow a user to own their number of stores, and no more when several are created at once", async () => {
    const { other: userId } = await users();
    const codes = await atOnce(LIMIT + 3, () => createStore(as(userId), { name: "A store" }));
    expect(codes).to.deep.equal(["", "", "", ...Array<string>(3).fill("limit-reached")]);
    expect(await db.manager.countBy(StoreMember, { userId })).to.equal(LIMIT);
    await db.query("UPDATE stores SET archived_at = clock_timestamp()");
    expect(await codesOf([createStore(as(userId), { name: "Another" })])).to.deep.equal(["limit-reached"]);
  });
});
