import { expect } from "chai";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { addStoreMember } from "../../../commands/accounts/store-members";
import type { StoreRole } from "../../../domain/account/store-role";
import { User } from "../../../entities/user";
import { startApi, type TestApi, type TestStore } from "../server";
import { logInAs, type BrowserAnswer } from "./browser";
import { buildUser } from "../../support/factories";

const codeOf = ({ status, json }: BrowserAnswer) => [status, json.code];
const NEEDED = [403, "second-factor-needed"];

describe("dashboard: a second factor that the server requires", () => {
  let api: TestApi;
  let shop: TestStore;
  before(async () => {
    api = await startApi();
    api.ctx.settings.requireSecondFactor = true;
    shop = await api.store();
  });
  after(() => api.stop());

  async function person({ role, admin = false }: { role?: StoreRole; admin?: boolean }) {
    const user = await buildUser(api.ctx, { admin });
    if (role !== undefined) await addStoreMember(api.ctx, { storeId: shop.storeId, email: user.email, role });
    return { ...user, browser: await logInAs(api.base, user.email) };
  }
  const setUp = async (userId: string): Promise<void> => {
    await api.db.manager.update(User, { id: userId }, { totpConfirmedAt: new Date() });
    await acceptRows(api.ctx);
  };

  it("denies an owner all of the store until it is set up", async () => {
    const { userId, browser } = await person({ role: "owner" });
    const store = `/stores/${shop.storeId}`;
    for (const [method, path, body] of [
      ["GET", store, undefined],
      ["GET", `${store}/invoices`, undefined],
      ["PATCH", store, { name: "Mine" }],
      ["GET", `${store}/api-keys`, undefined],
    ] as const)
      expect(codeOf(await browser.ask(method, path, body)), path).to.deep.equal(NEEDED);
    expect((await browser.ask("GET", "/session")).json).to.include({ owesSecondFactor: true });
    for (const path of ["/account", "/account/sessions"])
      expect((await browser.ask("GET", path)).status, path).to.equal(200);
    expect(codeOf(await browser.ask("GET", "/stores"))).to.deep.equal(NEEDED);
    expect((await browser.ask("POST", "/account/totp")).status).to.equal(200);
    await setUp(userId);
    expect((await browser.ask("GET", store)).status).to.equal(200);
    expect((await browser.ask("GET", "/session")).json).to.include({ owesSecondFactor: false });
  });

  it("denies an admin the server's pages and every store", async () => {
    const { userId, browser } = await person({ admin: true });
    for (const path of [
      "/admin/users",
      "/admin/audit",
      `/stores/${shop.storeId}`,
      "/stores",
      "/invoices/inv_1",
    ])
      expect(codeOf(await browser.ask("GET", path)), path).to.deep.equal(NEEDED);
    expect(codeOf(await browser.ask("POST", "/stores", { name: "Mine" }))).to.deep.equal(NEEDED);
    await setUp(userId);
    expect((await browser.ask("GET", "/admin/users")).status).to.equal(200);
  });

  it("is not required of members and viewers", async () => {
    for (const role of ["member", "viewer"] as const) {
      const { browser } = await person({ role });
      expect((await browser.ask("GET", `/stores/${shop.storeId}`)).status).to.equal(200);
      expect((await browser.ask("GET", "/session")).json).to.include({ owesSecondFactor: false });
    }
  });
});
