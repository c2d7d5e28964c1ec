import { expect } from "chai";
import type { DataSource } from "typeorm";
import { openMail } from "../../../adapters/mail";
import { acceptRows } from "../../../commands/server/authentic-rows";
import { changeUser } from "../../../commands/accounts/change-user";
import type { CommandContext } from "../../../commands/context";
import { changeStore } from "../../../commands/stores/change-store";
import { createUser } from "../../../commands/accounts/create-user";
import { roleInStore } from "../../../commands/stores/store-access";
import {
  acceptInvitation,
  declineInvitation,
  listInvitations,
} from "../../../commands/accounts/store-invitations";
import {
  addStoreMember,
  changeStoreMember,
  listStoreMembers,
  removeStoreMember,
} from "../../../commands/accounts/store-members";
import { readUserLink, useUserLink } from "../../../commands/accounts/user-links";
import { DomainError } from "../../../domain/errors";
import { AuditEntry } from "../../../entities/audit-entry";
import { Store } from "../../../entities/store";
import { StoreInvitation } from "../../../entities/store-invitation";
import { StoreMember } from "../../../entities/store-member";
import { User } from "../../../entities/user";
import { UserLink } from "../../../entities/user-link";
import { testContext, type TestContext } from "../../support/context";
import { testDatabase } from "../../support/database";
import { PASSWORD, buildStore, buildUser } from "../../support/factories";
import { startMailbox } from "../../support/mailbox";
import { failureOf } from "../../support/refusal";

const origin = { ip: "192.0.2.1", userAgent: "" };
const tokenOf = (url = ""): string => url.split("#").at(-1) ?? "";

async function refusal(work: Promise<unknown>): Promise<string> {
  const { code, errors } = await failureOf(work, DomainError);
  return [code, ...errors.map(({ pointer }) => pointer)].join(" ");
}

const NOBODY = { userId: "", email: "", made: { apiKeys: 0, webhooks: 0 } };

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
    const { userId, email } = await buildUser(ctx, { admin });
    return { userId, email, as: { ...ctx, actor: { kind: "user", id: userId } } };
  }
  /** A store with one owner who can come in. */
  async function owned() {
    const { id: storeId } = await buildStore(ctx);
    const owner = await person();
    await addStoreMember(ctx, { storeId, email: owner.email, role: "owner" });
    return { storeId, owner };
  }

  it("invites an existing user, who sees nothing before accepting", async () => {
    const { storeId, owner } = await owned();
    const other = await person();
    const added = await addStoreMember(owner.as, { storeId, email: ` ${other.email} `, role: "viewer" });
    expect(added.member).to.include({ userId: other.userId, role: "viewer", pending: true });
    const role = () => roleInStore(ctx, { userId: other.userId, admin: false }, storeId);
    expect(await role()).to.equal(null);
    const [offered, ...rest] = await listInvitations(ctx, other.userId);
    expect(offered).to.include({ storeId, storeName: "A store", role: "viewer" });
    expect(rest).to.deep.equal([]);
    await acceptInvitation(other.as, { storeId, userId: other.userId });
    expect(await role()).to.deep.equal({ role: "viewer", member: true });
    const members = await listStoreMembers(ctx, storeId);
    expect(members.map(({ email, role: as, pending }) => [email, as, pending])).to.deep.equal([
      [owner.email, "owner", false],
      [other.email, "viewer", false],
    ]);
    const noted = await db.manager.find(AuditEntry, {
      where: { storeId, subject: other.userId },
      order: { at: "ASC" },
    });
    expect(noted.map(({ action, actorId }) => [action, actorId])).to.deep.equal([
      ["member.invited", owner.userId],
      ["member.added", other.userId],
    ]);
  });

  it("answers an owner the same for an address with an account, one invited elsewhere, and a new one", async () => {
    const mailbox = await startMailbox();
    const { storeId, owner } = await owned();
    const elsewhere = await owned();
    const waiting = newAddress();
    await addStoreMember(elsewhere.owner.as, { storeId: elsewhere.storeId, email: waiting, role: "viewer" });
    for (const sendMail of [openMail(mailbox.url).send, null]) {
      const as = { ...owner.as, sendMail };
      const answers = [];
      for (const email of [(await person()).email, newAddress(), waiting]) {
        const { member, invitation } = await addStoreMember(as, { storeId, email, role: "member" });
        const audit = await db.manager.find(AuditEntry, { where: { storeId, subject: member.userId } });
        expect(audit.map(({ action }) => action)).to.not.include("user.link-made");
        await removeStoreMember(ctx, { storeId, userId: member.userId });
        const days = Math.round(
          ((invitation?.expiresAt.getTime() ?? 0) - member.createdAt.getTime()) / 86_400_000,
        );
        expect(member.userId).to.match(/^usr_/);
        answers.push({
          member: { ...member, userId: "", email: "", createdAt: null },
          invitation: { ...invitation, expiresAt: days },
        });
      }
      expect(answers[0]).to.deep.equal({
        member: { ...NOBODY, role: "member", createdAt: null, pending: true },
        invitation: { mailed: sendMail !== null, url: null, expiresAt: 7 },
      });
      expect(answers[1]).to.deep.equal(answers[0]);
      expect(answers[2]).to.deep.equal(answers[0]);
    }
    await mailbox.stop();
  });

  it("withdraws an invitation, declines it, and lets it expire", async () => {
    const { storeId, owner } = await owned();
    const other = await person();
    const place = { storeId, userId: other.userId };
    const offer = () => addStoreMember(owner.as, { storeId, email: other.email, role: "owner" });
    const accept = () => refusal(acceptInvitation(other.as, place));
    await offer();
    expect(await refusal(offer())).to.equal("validation-failed /email");
    expect(await changeStoreMember(owner.as, { ...place, role: "viewer" })).to.include({
      role: "viewer",
      pending: true,
    });
    await removeStoreMember(owner.as, place);
    expect(await accept()).to.equal("invitation-not-found");
    await offer();
    await declineInvitation(other.as, place);
    expect(await accept()).to.equal("invitation-not-found");
    await offer();
    const later = { ...ctx, now: async () => new Date(Date.now() + 7 * 86_400_000 + 1_000) };
    expect(await refusal(acceptInvitation({ ...later, actor: other.as.actor }, place))).to.equal(
      "invitation-not-found",
    );
    expect(await listInvitations(later, other.userId)).to.deep.equal([]);
    expect((await listStoreMembers(later, storeId)).map(({ email }) => email)).to.deep.equal([owner.email]);
    expect(await refusal(acceptInvitation(owner.as, { storeId, userId: owner.userId }))).to.equal(
      "invitation-not-found",
    );
  });

  /** A store with two owners, of whom one has invited somebody as owner. */
  async function invitedByLeaver() {
    const { storeId, owner } = await owned();
    const [leaver, friend] = [await person(), await person()];
    await addStoreMember(ctx, { storeId, email: leaver.email, role: "owner" });
    const offer = (as: CommandContext) => addStoreMember(as, { storeId, email: friend.email, role: "owner" });
    await offer(leaver.as);
    const place = { storeId, userId: friend.userId };
    const accept = () => acceptInvitation(friend.as, place);
    return { storeId, owner, leaver, friend, offer, place, accept };
  }

  it("withdraws the invitations of an owner who is removed, demoted or disabled", async () => {
    for (const end of ["removed", "demoted", "disabled"] as const) {
      const { storeId, owner, leaver, friend, offer, accept } = await invitedByLeaver();
      const elsewhere = await owned();
      const other = { storeId: elsewhere.storeId, userId: leaver.userId };
      await addStoreMember(ctx, { storeId: other.storeId, email: leaver.email, role: "owner" });
      await addStoreMember(leaver.as, { storeId: other.storeId, email: friend.email, role: "viewer" });
      if (end === "removed") await removeStoreMember(owner.as, { storeId, userId: leaver.userId });
      else if (end === "demoted")
        await changeStoreMember(owner.as, { storeId, userId: leaver.userId, role: "member" });
      else await changeUser(ctx, leaver.userId, { disabled: true });
      expect(await refusal(accept()), end).to.equal("invitation-not-found");
      expect((await listInvitations(ctx, friend.userId)).map((offered) => offered.storeId)).to.deep.equal(
        end === "disabled" ? [] : [other.storeId],
      );
      const noted = await db.manager.findBy(AuditEntry, {
        action: "member.removed",
        storeId,
        subject: friend.userId,
      });
      expect(noted.map(({ details }) => details)).to.deep.equal([
        { role: "owner", invited: true, of: leaver.userId },
      ]);
      if (end === "disabled") await changeUser(ctx, leaver.userId, { disabled: false });
      expect(await refusal(accept()), end).to.equal("invitation-not-found");
      await offer(owner.as);
      await accept();
    }
  });

  it("accepts no invitation whose maker is no owner or is disabled, whatever became of its row", async () => {
    for (const end of ["removed", "demoted", "disabled"] as const) {
      const { storeId, leaver, friend, offer, accept } = await invitedByLeaver();
      const { userId } = leaver;
      if (end === "removed") await db.manager.delete(StoreMember, { storeId, userId });
      else if (end === "demoted")
        await db.manager.update(StoreMember, { storeId, userId }, { role: "member" });
      else await db.manager.update(User, { id: userId }, { disabledAt: new Date() });
      await acceptRows(ctx);
      expect(await refusal(accept()), end).to.equal("invitation-not-found");
      expect(await listInvitations(ctx, friend.userId)).to.deep.equal([]);
      expect((await listStoreMembers(ctx, storeId)).filter(({ pending }) => pending)).to.deep.equal([]);
      await offer((await person(true)).as);
      await accept();
    }
  });

  it("makes a new user no member by the link of an owner who was disabled", async () => {
    const mailbox = await startMailbox();
    const { storeId, owner } = await owned();
    const as = { ...owner.as, sendMail: openMail(mailbox.url).send };
    const { member } = await addStoreMember(as, { storeId, email: newAddress(), role: "owner" });
    await db.manager.update(User, { id: owner.userId }, { disabledAt: new Date() });
    await acceptRows(ctx);
    const token = /\/setup#([\w-]{43})\s/.exec(mailbox.mails[0]?.text ?? "")?.[1] ?? "";
    await useUserLink(ctx, { token, password: PASSWORD, origin });
    expect(await roleInStore(ctx, { userId: member.userId, admin: false }, storeId)).to.equal(null);
    await mailbox.stop();
  });

  it("ends an invitation with whoever chose its role, and keeps those from before makers were recorded", async () => {
    const { storeId, owner, leaver, place, offer, accept } = await invitedByLeaver();
    await removeStoreMember(owner.as, place);
    await offer(owner.as);
    await changeStoreMember(leaver.as, { ...place, role: "viewer" });
    await removeStoreMember(owner.as, { storeId, userId: leaver.userId });
    expect(await refusal(accept())).to.equal("invitation-not-found");
    await offer(owner.as);
    await db.manager.update(StoreInvitation, place, { createdByUserId: null });
    await db.manager.update(StoreMember, { storeId, userId: owner.userId }, { role: "viewer" });
    await acceptRows(ctx);
    await accept();
  });

  it("lets a user change nobody who is no longer an owner or was disabled during the request", async () => {
    for (const [end, code] of [
      ["removed", "store-mismatch"],
      ["demoted", "store-mismatch"],
      ["disabled", "unauthenticated"],
    ] as const) {
      const { storeId, owner, leaver } = await invitedByLeaver();
      const [member, invited, stranger] = [await person(), await person(), await person()];
      await addStoreMember(ctx, { storeId, email: member.email, role: "viewer" });
      await addStoreMember(owner.as, { storeId, email: invited.email, role: "viewer" });
      if (end === "removed") await removeStoreMember(owner.as, { storeId, userId: leaver.userId });
      else if (end === "demoted")
        await changeStoreMember(owner.as, { storeId, userId: leaver.userId, role: "member" });
      else await changeUser(ctx, leaver.userId, { disabled: true });
      const before = await listStoreMembers(ctx, storeId);
      for (const late of [
        () => addStoreMember(leaver.as, { storeId, email: stranger.email, role: "owner" }),
        () => addStoreMember(leaver.as, { storeId, email: newAddress(), role: "owner" }),
        () => changeStoreMember(leaver.as, { storeId, userId: member.userId, role: "owner" }),
        () => changeStoreMember(leaver.as, { storeId, userId: invited.userId, role: "owner" }),
        () => removeStoreMember(leaver.as, { storeId, userId: owner.userId }),
        () => removeStoreMember(leaver.as, { storeId, userId: invited.userId }),
      ])
        expect(await refusal(late()), end).to.equal(code);
      expect(await listStoreMembers(ctx, storeId)).to.deep.equal(before);
      const admin = await person(true);
      await changeStoreMember(admin.as, { storeId, userId: member.userId, role: "member" });
    }
  });

  it("leaves no invitation of an owner who invites at the very moment of the removal or disabling", async () => {
    for (const end of ["removed", "disabled", "removed", "disabled"] as const) {
      const { storeId, owner, leaver } = await invitedByLeaver();
      const invite = () => addStoreMember(leaver.as, { storeId, email: newAddress(), role: "owner" });
      await Promise.allSettled([
        invite(),
        invite(),
        end === "removed"
          ? removeStoreMember(owner.as, { storeId, userId: leaver.userId })
          : changeUser(ctx, leaver.userId, { disabled: true }),
        invite(),
      ]);
      expect(await db.manager.countBy(StoreInvitation, { storeId }), end).to.equal(0);
    }
  });

  it("refuses names with line breaks and control characters, and mails none that older stores have", async () => {
    for (const name of ["Tea\nhttps://evil.example", "Tea\r\nshop", "a\u0000b", "a\u2028b", "a\u001b[31m"])
      expect(await refusal(changeStore(ctx, (await owned()).storeId, { name })), name).to.equal(
        "validation-failed /name",
      );
    const mailbox = await startMailbox();
    const { storeId, owner } = await owned();
    await db.manager.update(Store, { id: storeId }, { name: "Tea\n\nLog in here" });
    const as = { ...owner.as, sendMail: openMail(mailbox.url).send };
    for (const email of [(await person()).email, newAddress()])
      await addStoreMember(as, { storeId, email, role: "viewer" });
    expect(mailbox.mails).to.have.length(2);
    for (const { text } of mailbox.mails) expect(text).to.include('"Tea Log in here"');
    await mailbox.stop();
  });

  it("mails no store's name that programs would show as a link", async () => {
    const mailbox = await startMailbox();
    const { storeId, owner } = await owned();
    const as = { ...owner.as, sendMail: openMail(mailbox.url).send };
    for (const name of ["Log in at https://evil.example", "evil.example/login", "me@evil.example"]) {
      await changeStore(ctx, storeId, { name });
      await addStoreMember(as, { storeId, email: newAddress(), role: "viewer" });
    }
    expect(mailbox.mails).to.have.length(3);
    for (const { text } of mailbox.mails)
      expect(text).to.include("invited to a store").and.not.include("evil");
    await mailbox.stop();
  });

  it("lets a server admin hand over a new user's link, who is pending until it is used", async () => {
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

  it("makes no link of a new user for an owner without mail: it would be the account", async () => {
    const { storeId, owner } = await owned();
    const email = newAddress();
    const { member, invitation } = await addStoreMember(owner.as, { storeId, email, role: "member" });
    expect(invitation).to.include({ mailed: false, url: null });
    expect(await db.manager.countBy(UserLink, { userId: member.userId })).to.equal(0);
    const { url } = await createUser(ctx, { email });
    await useUserLink(ctx, { token: tokenOf(url), password: PASSWORD, origin });
    expect(await listInvitations(ctx, member.userId)).to.have.length(1);
  });

  it("mails an owner's invitation and does not show the link, also for a user invited elsewhere", async () => {
    const mailbox = await startMailbox();
    const email = newAddress();
    for (const role of ["member", "viewer"] as const) {
      const { storeId, owner } = await owned();
      const as = { ...owner.as, sendMail: openMail(mailbox.url).send };
      const { invitation } = await addStoreMember(as, { storeId, email, role });
      expect(invitation).to.include({ mailed: true, url: null });
    }
    expect(mailbox.mails.map(({ to }) => to)).to.deep.equal([[email], [email]]);
    const tokens = mailbox.mails.map(({ text }) => /\/setup#([\w-]{43})\s/.exec(text)?.[1] ?? "");
    await useUserLink(ctx, { token: tokens[1] ?? "", password: PASSWORD, origin });
    expect(await refusal(readUserLink(ctx, tokens[0] ?? ""))).to.equal("link-not-found");
    const { id: userId } = await db.manager.findOneByOrFail(User, { email });
    expect(await db.manager.countBy(StoreMember, { userId })).to.equal(1);
    expect(await listInvitations(ctx, userId)).to.have.length(1);
    await mailbox.stop();
  });

  it("reports that the mail server did not accept an invitation", async () => {
    const mailbox = await startMailbox();
    mailbox.refuse();
    const { storeId, owner } = await owned();
    const as = { ...owner.as, sendMail: openMail(mailbox.url).send };
    const { invitation } = await addStoreMember(as, { storeId, email: newAddress(), role: "member" });
    expect(invitation).to.include({ mailed: false, url: null });
    await mailbox.stop();
  });

  it("keeps the last owner who can log in: neither demoted nor removed", async () => {
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

  it("removes a member, and an invitation that was not accepted", async () => {
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

  it("keeps the last admin who can log in, also when two remove each other's rights", async () => {
    const one = (await createUser(ctx, { email: "one@example.com", admin: true })).userId;
    expect(await refusal(changeUser(ctx, one, { admin: false }))).to.equal("last-owner");
    expect(await refusal(changeUser(ctx, one, { disabled: true }))).to.equal("last-owner");
    const two = (await createUser(ctx, { email: "two@example.com", admin: true })).userId;
    expect(await refusal(changeUser(ctx, one, { admin: false })), "two may never come").to.equal(
      "last-owner",
    );
    await db.query("UPDATE users SET password_hash = 'one'");
    await acceptRows(ctx);
    const answers = await Promise.allSettled([
      changeUser(ctx, one, { admin: false }),
      changeUser(ctx, two, { disabled: true }),
    ]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal(["fulfilled", "rejected"]);
  });

  it("records each change, and nothing without a change", async () => {
    const { userId } = await createUser(ctx, { email: "three@example.com" });
    for (const admin of [true, true, false]) await changeUser(ctx, userId, { admin });
    expect(await db.manager.countBy(AuditEntry, { action: "user.changed", subject: userId })).to.equal(2);
    expect(await refusal(changeUser(ctx, "usr_none", { admin: true }))).to.equal("user-not-found");
  });
});
