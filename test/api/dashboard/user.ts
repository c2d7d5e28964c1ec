import { insertUser } from "../../../commands/accounts/insert-user";
import { startSession } from "../../../commands/accounts/session";
import { insertAuthentic } from "../../../commands/server/authentic-rows";
import type { StoreRole } from "../../../domain/account/store-role";
import { StoreMember } from "../../../entities/store-member";
import { send, type Answer, type CallOptions, type TestApi } from "../server";
import { inTransaction } from "../../../commands/transaction";

export interface TestUser {
  userId: string;
  email: string;
  /** The session's cookie as a browser sends it. */
  cookie: string;
  sessionId: string;
  /** `path` below `/api/dashboard`, as a page of ours asks. */
  call(method: string, path: string, options?: Omit<CallOptions, "key">): Promise<Answer>;
}

let made = 0;

/** A user with a session that has just begun. */
export async function testUser(api: TestApi, { admin = false } = {}): Promise<TestUser> {
  const { ctx, base } = api;
  const userId = ctx.newId("usr");
  const email = `user-${(made += 1)}@example.com`;
  const { token, sessionId } = await inTransaction(ctx, async (tx) => {
    await insertUser({ ...tx, newId: () => userId }, { email, admin });
    const origin = { ip: "127.0.0.1", userAgent: "test" };
    return startSession(tx, { userId, stage: "full", origin });
  });
  const secure = ctx.settings.publicUrl.startsWith("https:");
  const cookie = `${secure ? "__Host-" : ""}quittance-session=${token}`;
  return {
    userId,
    email,
    cookie,
    sessionId,
    call: (method, path, { headers = {}, ...options } = {}) =>
      send(base, method, `/api/dashboard${path}`, {
        ...options,
        headers: { cookie, "sec-fetch-site": "same-origin", ...headers },
      }),
  };
}

export async function join(api: TestApi, user: TestUser, storeId: string, role: StoreRole): Promise<void> {
  const { userId } = user;
  await inTransaction(api.ctx, async (tx) => {
    await tx.manager.delete(StoreMember, { storeId, userId });
    await insertAuthentic(tx, StoreMember, [{ storeId, userId, role, createdAt: new Date() }]);
  });
}
