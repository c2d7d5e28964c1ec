import { expect } from "chai";
import type { DataSource } from "typeorm";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { authenticate, createApiKey } from "../../../commands/stores/api-key";
import { changeUser } from "../../../commands/accounts/change-user";
import type { CommandContext } from "../../../commands/context";
import { createWebhook } from "../../../commands/webhooks/create-webhook";
import { listUsers } from "../../../commands/accounts/list-users";
import {
  changeStoreMember,
  listStoreMembers,
  removeStoreMember,
} from "../../../commands/accounts/store-members";
import type { StoreRole } from "../../../domain/account/store-role";
import { ApiKey } from "../../../entities/api-key";
import { StoreMember } from "../../../entities/store-member";
import { Webhook } from "../../../entities/webhook";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { buildStore, buildUser } from "../../support/factories";
import { refusalCode } from "../../support/refusal";

const URL = "http://93.184.216.34/hook";

describe("API keys and webhooks, by who created them", () => {
  let db: DataSource;
  let ctx: TestContext;
  beforeEach(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
    await person(true); // the first user is an admin
  });
  afterEach(() => db.destroy());

  interface Person {
    userId: string;
    as: CommandContext;
  }
  async function person(admin = false): Promise<Person> {
    const { userId } = await buildUser(ctx, { admin });
    return { userId, as: { ...ctx, actor: { kind: "user", id: userId } } };
  }
  async function join(storeId: string, { userId }: Person, role: StoreRole = "owner"): Promise<void> {
    await db.manager.insert(StoreMember, { storeId, userId, role, createdAt: new Date() });
    await acceptRows(ctx);
  }
  /** A store with two owners. */
  async function shop(): Promise<{ storeId: string; one: Person; two: Person }> {
    const { id: storeId } = await buildStore(ctx);
    const [one, two] = [await person(), await person()];
    await join(storeId, one);
    await join(storeId, two);
    return { storeId, one, two };
  }
  const byKey = (keyId: string): CommandContext => ({ ...ctx, actor: { kind: "key", id: keyId } });
  const keysOf = async (storeId: string) =>
    (await db.manager.findBy(ApiKey, { storeId })).map(({ name, createdByUserId }) => [
      name,
      createdByUserId,
    ]);
  const webhooksOf = async (storeId: string) =>
    (await db.manager.findBy(Webhook, { storeId })).filter(({ deletedAt }) => deletedAt === null).length;
  /** A key, a key that it made, and a webhook of each. */
  async function makeAll({ as }: Person, storeId: string): Promise<{ texts: string[] }> {
    const first = await createApiKey(as, { storeId, name: "first" });
    const second = await createApiKey(byKey(first.record.id), { storeId, name: "second" });
    await createWebhook(as, { storeId, url: URL });
    await createWebhook(byKey(second.record.id), { storeId, url: URL });
    return { texts: [first.apiKey, second.apiKey] };
  }
  const live = async (texts: readonly string[]): Promise<boolean[]> =>
    Promise.all(texts.map(async (text) => (await authenticate(ctx, text)) !== null));

  it("record the user who created them, also by a key, and nobody for the command line", async () => {
    const { storeId, one, two } = await shop();
    await makeAll(one, storeId);
    await createApiKey({ ...ctx, actor: { kind: "cli", id: null } }, { storeId, name: "cli" });
    expect(await keysOf(storeId)).to.have.deep.members([
      ["first", one.userId],
      ["second", one.userId],
      ["cli", null],
    ]);
    const webhooks = await db.manager.findBy(Webhook, { storeId });
    expect(webhooks.map(({ createdByUserId }) => createdByUserId)).to.deep.equal([one.userId, one.userId]);
    const members = await listStoreMembers(ctx, storeId);
    expect(members.map(({ userId, made }) => [userId, made])).to.have.deep.members([
      [one.userId, { apiKeys: 2, webhooks: 2 }],
      [two.userId, { apiKeys: 0, webhooks: 0 }],
    ]);
  });

  it("end with their creator's membership on request, and others' stay", async () => {
    const { storeId, one, two } = await shop();
    const { texts } = await makeAll(one, storeId);
    const other = await createApiKey(two.as, { storeId, name: "other" });
    await removeStoreMember(two.as, { storeId, userId: one.userId, keysAndWebhooks: "delete" });
    expect(await live([...texts, other.apiKey])).to.deep.equal([false, false, true]);
    expect(await webhooksOf(storeId)).to.equal(0);
    const entries = await db.query<{ action: string; details: object }[]>(
      "SELECT action, details FROM audit_log WHERE actor_id = $1 AND action <> 'api-key.created' ORDER BY action",
      [two.userId],
    );
    expect(entries.map(({ action }) => action)).to.include.members([
      "api-key.deleted",
      "member.removed",
      "webhook.deleted",
    ]);
    expect(entries.filter(({ action }) => action.endsWith(".deleted"))).to.have.length(4);
    expect(entries.find(({ action }) => action === "member.removed")?.details).to.deep.include({
      deleted: { apiKeys: 2, webhooks: 2 },
    });
  });

  it("end when their creator is no longer owner, and stay when they are to be kept", async () => {
    const { storeId, one, two } = await shop();
    const { texts } = await makeAll(one, storeId);
    await changeStoreMember(two.as, { storeId, userId: one.userId, role: "member", keysAndWebhooks: "keep" });
    expect(await live(texts)).to.deep.equal([true, true]);
    const view = await changeStoreMember(two.as, {
      storeId,
      userId: one.userId,
      role: "viewer",
      keysAndWebhooks: "delete",
    });
    expect(view.made).to.deep.equal({ apiKeys: 0, webhooks: 0 });
    expect(await live(texts)).to.deep.equal([false, false]);
    expect(await webhooksOf(storeId)).to.equal(0);
  });

  it("end in every store when their creator is disabled and they are to be deleted", async () => {
    const [first, second] = [await shop(), await shop()];
    await join(second.storeId, first.one);
    const texts = [
      ...(await makeAll(first.one, first.storeId)).texts,
      ...(await makeAll(first.one, second.storeId)).texts,
    ];
    const kept = await createApiKey(second.one.as, { storeId: second.storeId, name: "kept" });
    const users = await listUsers(ctx, { limit: 50 });
    expect(users.items.find(({ user }) => user.id === first.one.userId)?.made).to.deep.equal({
      apiKeys: 4,
      webhooks: 4,
    });
    await changeUser(ctx, first.one.userId, { disabled: true, keysAndWebhooks: "delete" });
    expect(await live([...texts, kept.apiKey])).to.deep.equal([false, false, false, false, true]);
    expect((await webhooksOf(first.storeId)) + (await webhooksOf(second.storeId))).to.equal(0);
  });

  it("are not created by a user who lost the membership or was disabled during the request", async () => {
    const { storeId, one, two } = await shop();
    await removeStoreMember(two.as, { storeId, userId: one.userId });
    expect(await refusalCode(createApiKey(one.as, { storeId, name: "late" }))).to.equal("store-mismatch");
    expect(await refusalCode(createWebhook(one.as, { storeId, url: URL }))).to.equal("store-mismatch");
    const admin = await person(true);
    await createApiKey(admin.as, { storeId, name: "of an admin" });
    await changeUser(ctx, two.userId, { disabled: true });
    expect(await refusalCode(createApiKey(two.as, { storeId, name: "late" }))).to.equal("unauthenticated");
    expect(await refusalCode(createWebhook(two.as, { storeId, url: URL }))).to.equal("unauthenticated");
  });

  it("do not remain when they are created at the very moment of the removal", async () => {
    for (let tries = 0; tries < 3; tries += 1) {
      const { storeId, one, two } = await shop();
      const { record } = await createApiKey(one.as, { storeId, name: "before" });
      await Promise.allSettled([
        ...[1, 2, 3].map((n) => createApiKey(one.as, { storeId, name: `meanwhile ${n}` })),
        createWebhook(byKey(record.id), { storeId, url: URL }),
        removeStoreMember(two.as, { storeId, userId: one.userId, keysAndWebhooks: "delete" }),
        createWebhook(one.as, { storeId, url: URL }),
      ]);
      expect(await keysOf(storeId)).to.deep.equal([]);
      expect(await webhooksOf(storeId)).to.equal(0);
    }
  });
});
