import { expect } from "chai";
import type { DataSource } from "typeorm";
import { openMail } from "../../adapters/mail";
import { changeUser } from "../../commands/change-user";
import type { CommandContext } from "../../commands/context";
import { createUser } from "../../commands/create-user";
import {
  addStoreMember,
  changeStoreMember,
  listStoreMembers,
  removeStoreMember,
} from "../../commands/store-members";
import { readUserLink, useUserLink } from "../../commands/user-links";
import { DomainError } from "../../domain/errors";
import { AuditEntry } from "../../entities/audit-entry";
import { User } from "../../entities/user";
import { testContext, type TestContext } from "../support/context";
import { testDatabase } from "../support/database";
import { buildStore } from "../support/factories";
import { startMailbox } from "../support/mailbox";

const PASSWORD = "seven unrelated giraffes";
const origin = { ip: "192.0.2.1", userAgent: "" };
const tokenOf = (url = ""): string => url.split("/").at(-1) ?? "";

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DomainError)) throw new Error(`not refused: ${String(error)}`);
  return [error.code, ...error.errors.map(({ pointer }) => pointer)].join(" ");
}

describe("store-members", () => {
  let db: DataSource;
  let ctx: TestContext;
  let made = 0;
  before(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  after(() => db.destroy());

  const newAddress = () => `member${++made}@example.com`;
  async function person(admin = false): Promise<{ userId: string; email: string; as: CommandContext }> {
    const email = newAddress();
    const { userId, url } = await createUser(ctx, { email, admin });
    await useUserLink(ctx, { token: tokenOf(url), password: PASSWORD, origin });
    return { userId, email, as: { ...ctx, actor: { kind: "user", id: userId } } };
  }
  /** A store with one owner who can come in. */
  async function owned() {
    const { id: storeId } = await buildStore(ctx);
    const owner = await person();
    await addStoreMember(ctx, { storeId, email: owner.email, role: "owner" });
    return { storeId, owner };
  }

  it("adds somebody who is there at once, lists all by address, and notes it", async () => {
    const { storeId, owner } = await owned();
    const other = await person();
    const added = await addStoreMember(owner.as, { storeId, email: ` ${other.email} `, role: "viewer" });
    expect(added.invitation).to.equal(null);
    expect(added.member).to.include({ userId: other.userId, role: "viewer", pending: false });
    const members = await listStoreMembers(ctx, storeId);
    expect(members.map(({ email, role }) => [email, role])).to.deep.equal([
      [owner.email, "owner"],
      [other.email, "viewer"],
    ]);
    const entry = await db.manager.findOneByOrFail(AuditEntry, {
      action: "member.added",
      storeId,
      subject: other.userId,
    });
    expect([entry.actorKind, entry.actorId]).to.deep.equal(["user", owner.userId]);
  });

  it("refuses a member twice, no address, and a store that is not there", async () => {
    const { storeId, owner } = await owned();
    const input = { storeId, email: owner.email, role: "viewer" } as const;
    expect(await refusal(addStoreMember(ctx, input))).to.equal("validation-failed /email");
    expect(await refusal(addStoreMember(ctx, { ...input, email: "me" }))).to.equal(
      "validation-failed /email",
    );
    expect(await refusal(addStoreMember(ctx, { ...input, storeId: "none" }))).to.equal("store-not-found");
  });

  it("lets a server admin hand over the link of somebody new, who is pending until it is used", async () => {
    const { storeId } = await owned();
    const admin = await person(true);
    const email = newAddress();
    const { invitation } = await addStoreMember(admin.as, { storeId, email, role: "member" });
    expect(invitation).to.include({ mailed: false });
    const pending = async () =>
      (await listStoreMembers(ctx, storeId)).filter((member) => member.pending).map((member) => member.email);
    expect(await pending()).to.deep.equal([email]);
    const token = tokenOf(invitation?.url ?? "");
    expect(await readUserLink(ctx, token)).to.include({ kind: "invitation", email, storeName: "A store" });
    await useUserLink(ctx, { token, password: PASSWORD, origin });
    expect(await pending()).to.deep.equal([]);
  });

  it("refuses an owner to invite somebody new without mail: the link would be the account", async () => {
    const { storeId, owner } = await owned();
    const email = newAddress();
    expect(await refusal(addStoreMember(owner.as, { storeId, email, role: "member" }))).to.equal(
      "admin-only",
    );
    expect(await db.manager.existsBy(User, { email })).to.equal(false);
    const asKey: CommandContext = { ...ctx, actor: { kind: "key", id: "key_1" } };
    expect(await refusal(addStoreMember(asKey, { storeId, email, role: "member" }))).to.equal("admin-only");
  });

  it("mails an owner's invitation and does not show the link, also of somebody who was invited elsewhere", async () => {
    const mailbox = await startMailbox();
    const email = newAddress();
    for (const role of ["member", "viewer"] as const) {
      const { storeId, owner } = await owned();
      const as = { ...owner.as, sendMail: openMail(mailbox.url).send };
      const { invitation } = await addStoreMember(as, { storeId, email, role });
      expect(invitation).to.include({ mailed: true, url: null });
    }
    expect(mailbox.mails.map(({ to }) => to)).to.deep.equal([[email], [email]]);
    const tokens = mailbox.mails.map(({ text }) => /\/setup\/([\w-]{43})\s/.exec(text)?.[1] ?? "");
    await useUserLink(ctx, { token: tokens[1] ?? "", password: PASSWORD, origin });
    expect(await refusal(readUserLink(ctx, tokens[0] ?? ""))).to.equal("link-not-found");
    await mailbox.stop();
  });

  it("says when the mail server did not take an invitation", async () => {
    const mailbox = await startMailbox();
    mailbox.refuse();
    const { storeId, owner } = await owned();
    const as = { ...owner.as, sendMail: openMail(mailbox.url).send };
    const { invitation } = await addStoreMember(as, { storeId, email: newAddress(), role: "member" });
    expect(invitation).to.include({ mailed: false, url: null });
    await mailbox.stop();
  });

  it("changes a role, and leaves the same one alone", async () => {
    const { storeId } = await owned();
    const { userId, email } = await person();
    await addStoreMember(ctx, { storeId, email, role: "viewer" });
    for (const role of ["member", "member"] as const)
      expect(await changeStoreMember(ctx, { storeId, userId, role })).to.include({ role });
    const noted = await db.manager.findBy(AuditEntry, { action: "member.changed", storeId, subject: userId });
    expect(noted.map(({ details }) => details)).to.deep.equal([{ email, from: "viewer", to: "member" }]);
  });

  it("keeps the last owner who can come in: neither made less nor removed", async () => {
    const { storeId, owner } = await owned();
    const change = () => changeStoreMember(ctx, { storeId, userId: owner.userId, role: "member" });
    const remove = () => removeStoreMember(ctx, { storeId, userId: owner.userId });
    expect(await refusal(change())).to.equal("last-owner");
    expect(await refusal(remove())).to.equal("last-owner");
    const { member: invited } = await addStoreMember(ctx, { storeId, email: newAddress(), role: "owner" });
    expect(await refusal(remove())).to.equal("last-owner");
    const disabled = await person();
    await addStoreMember(ctx, { storeId, email: disabled.email, role: "owner" });
    await changeUser(ctx, disabled.userId, { disabled: true });
    expect(await refusal(remove())).to.equal("last-owner");
    await removeStoreMember(ctx, { storeId, userId: invited.userId });
    await changeUser(ctx, disabled.userId, { disabled: false });
    await change();
    expect(await refusal(removeStoreMember(ctx, { storeId, userId: disabled.userId }))).to.equal(
      "last-owner",
    );
  });

  it("keeps one of two owners who remove each other at the same time", async () => {
    const { storeId, owner } = await owned();
    const other = await person();
    await addStoreMember(ctx, { storeId, email: other.email, role: "owner" });
    const answers = await Promise.allSettled([
      removeStoreMember(owner.as, { storeId, userId: other.userId }),
      removeStoreMember(other.as, { storeId, userId: owner.userId }),
    ]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal(["fulfilled", "rejected"]);
    expect(await listStoreMembers(ctx, storeId)).to.have.length(1);
  });

  it("removes a member, with an invitation that was not taken", async () => {
    const { storeId } = await owned();
    const { member, invitation } = await addStoreMember(ctx, {
      storeId,
      email: newAddress(),
      role: "viewer",
    });
    await removeStoreMember(ctx, { storeId, userId: member.userId });
    expect(await refusal(readUserLink(ctx, tokenOf(invitation?.url ?? "")))).to.equal("link-not-found");
    expect(await refusal(removeStoreMember(ctx, { storeId, userId: member.userId }))).to.equal(
      "user-not-found",
    );
    const role = "viewer";
    expect(await refusal(changeStoreMember(ctx, { storeId, userId: member.userId, role }))).to.equal(
      "user-not-found",
    );
  });
});

describe("change-user", () => {
  let db: DataSource;
  let ctx: TestContext;
  before(async () => {
    db = await testDatabase();
    ctx = await testContext({ db });
  });
  after(() => db.destroy());

  it("keeps the last admin who can come in, also when two take each other's rights", async () => {
    const one = (await createUser(ctx, { email: "one@example.com", admin: true })).userId;
    expect(await refusal(changeUser(ctx, one, { admin: false }))).to.equal("last-owner");
    expect(await refusal(changeUser(ctx, one, { disabled: true }))).to.equal("last-owner");
    const two = (await createUser(ctx, { email: "two@example.com", admin: true })).userId;
    const answers = await Promise.allSettled([
      changeUser(ctx, one, { admin: false }),
      changeUser(ctx, two, { disabled: true }),
    ]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal(["fulfilled", "rejected"]);
  });

  it("notes each change, and no change", async () => {
    const { userId } = await createUser(ctx, { email: "three@example.com" });
    for (const admin of [true, true, false]) await changeUser(ctx, userId, { admin });
    expect(await db.manager.countBy(AuditEntry, { action: "user.changed", subject: userId })).to.equal(2);
    expect(await refusal(changeUser(ctx, "usr_none", { admin: true }))).to.equal("user-not-found");
  });
});
