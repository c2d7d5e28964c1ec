import { expect } from "chai";
import { addStoreMember } from "../../../commands/accounts/store-members";
import type { StoreRole } from "../../../domain/account/store-role";
import { expectRefused, startApi, type TestApi } from "../server";
import { logInAs, openBrowser, type Browser, type BrowserAnswer } from "./browser";
import { buildUser, PASSWORD } from "../../support/factories";

const codeOf = ({ status, json }: BrowserAnswer) => [status, json.code];

describe("dashboard: roles", () => {
  let api: TestApi;
  let storeId = "";
  before(async () => {
    api = await startApi();
    storeId = (await api.store()).storeId;
  });
  after(() => api.stop());

  async function memberOf(
    role: StoreRole,
    id = storeId,
  ): Promise<Browser & { userId: string; email: string }> {
    const user = await buildUser(api.ctx);
    await addStoreMember(api.ctx, { storeId: id, email: user.email, role });
    return { ...user, ...(await logInAs(api.base, user.email)) };
  }

  it("shows a store's members to its owners only, who add, change and remove them", async () => {
    const owner = await memberOf("owner");
    const other = await buildUser(api.ctx);
    const path = `/stores/${storeId}/members`;
    await owner.ask("POST", path, { email: other.email, role: "viewer" });
    expect((await owner.ask("GET", path)).json.data.map(({ userId }) => userId)).to.include(other.userId);
    const invited = await logInAs(api.base, other.email);
    expectRefused(await invited.ask("GET", `/stores/${storeId}`), 403, "store-mismatch");
    const stranger = await logInAs(api.base, (await buildUser(api.ctx)).email);
    for (const [method, rest] of [
      ["POST", "/accept"],
      ["DELETE", ""],
    ] as const)
      expectRefused(
        await stranger.ask(method, `/account/invitations/${storeId}${rest}`),
        404,
        "invitation-not-found",
      );
    expect((await invited.ask("GET", "/account/invitations")).json.data).to.have.length(1);
    expect((await invited.ask("POST", `/account/invitations/${storeId}/accept`)).status).to.equal(204);
    expect((await invited.ask("GET", `/stores/${storeId}`)).status).to.equal(200);
    expect((await invited.ask("GET", "/account/invitations")).json.data).to.deep.equal([]);
    const changed = await owner.ask("PATCH", `${path}/${other.userId}`, { role: "member" });
    expect(changed.json).to.include({ userId: other.userId, role: "member" });
    expect((await owner.ask("DELETE", `${path}/${other.userId}`)).status).to.equal(204);
    expectRefused(await owner.ask("DELETE", `${path}/${other.userId}`), 404, "user-not-found");
    const bad = await owner.ask("POST", path, { email: other.email, role: "king" });
    expect([bad.status, bad.json.errors[0]?.pointer]).to.deep.equal([422, "/role"]);
  });

  it("lets one user invite 30 people an hour: each gets a mail with a store's name in it", async () => {
    const owner = await memberOf("owner");
    const path = `/stores/${storeId}/members`;
    const { email } = await buildUser(api.ctx);
    for (let i = 0; i < 30; i += 1)
      expect((await owner.ask("POST", path, { email, role: "viewer" })).status).not.to.equal(429);
    const refused = await owner.ask("POST", path, { email, role: "viewer" });
    expectRefused(refused, 429, "rate-limited");
    const another = await memberOf("owner");
    expect((await another.ask("POST", path, { email, role: "viewer" })).status).not.to.equal(429);
  });

  it("allows a server admin to create users, hand over links, and change their rights", async () => {
    const browser = await logInAs(api.base, (await buildUser(api.ctx, { admin: true })).email);
    const made = (await browser.ask("POST", "/admin/users", { email: "New@example.com" })).json;
    const token = String(made["url"]).split("#").at(-1);
    const person = openBrowser(api.base);
    expect((await person.ask("POST", "/links/use", { token, password: PASSWORD })).status).to.equal(200);
    const userId = String(made["userId"]);
    const listed = (await browser.ask("GET", "/admin/users?limit=200")).json.data;
    expect(listed.find((user) => user["userId"] === userId)).to.include({
      email: "new@example.com",
      admin: false,
      disabled: false,
      pending: false,
      totp: false,
      hasPasskey: false,
      stores: 0,
    });
    const reset = (await browser.ask("POST", `/admin/users/${userId}/reset`)).json;
    expect(reset["url"]).to.match(/\/setup#[\w-]{43}$/);
    const disabled = await browser.ask("PATCH", `/admin/users/${userId}`, { disabled: true });
    expect(disabled.json).to.include({ userId, disabled: true });
    expect((await person.ask("GET", "/session")).status).to.equal(401);
    for (const path of ["/admin/users/usr_none/reset", "/admin/users/usr_none"])
      expect(
        codeOf(await browser.ask(path.endsWith("reset") ? "POST" : "PATCH", path, {})),
        path,
      ).to.deep.equal([404, "user-not-found"]);
  });
});
