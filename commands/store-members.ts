import { In, IsNull, Not, type EntityManager } from "typeorm";
import { checkedEmail } from "../domain/email";
import { DomainError, invalidField } from "../domain/errors";
import type { StoreRole } from "../domain/store-role";
import { StoreMember } from "../entities/store-member";
import { User } from "../entities/user";
import { UserLink } from "../entities/user-link";
import { lockStore } from "./change-store";
import type { CommandContext } from "./context";
import { mailLink } from "./mail-link";
import { makeUserLink, type MadeLink } from "./user-links";
import { writeAudit } from "./write-audit";

export interface MemberView {
  userId: string;
  email: string;
  role: StoreRole;
  /** Since when. */
  createdAt: Date;
  /** Invited, and has not chosen a password yet. */
  pending: boolean;
}

export interface AddedMember {
  member: MemberView;
  /** Of somebody who has no password yet. */
  invitation: Invitation | null;
}

export interface Invitation {
  /** Whether the mail server took it. */
  mailed: boolean;
  /** Only for who may see it: it is as good as the account. */
  url: string | null;
  expiresAt: Date;
}

const memberView = (member: StoreMember, user: User): MemberView => ({
  userId: user.id,
  email: user.email,
  role: member.role,
  createdAt: member.createdAt,
  pending: user.passwordHash === null,
});

/** By address. */
export async function listStoreMembers(ctx: CommandContext, storeId: string): Promise<MemberView[]> {
  const { manager } = ctx.db;
  const members = await manager.findBy(StoreMember, { storeId });
  const users = await manager.findBy(User, { id: In(members.map(({ userId }) => userId)) });
  const byId = new Map(users.map((user) => [user.id, user]));
  return members
    .flatMap((member) => {
      const user = byId.get(member.userId);
      return user === undefined ? [] : [memberView(member, user)];
    })
    .sort((a, b) => (a.email < b.email ? -1 : 1));
}

/**
 * Gives somebody a place in a store. Who is new gets a link by which a password is chosen: by mail, and shown to a server
 * admin. It is shown to nobody else, because whoever opens it has the account with that address.
 * @throws DomainError `store-not-found`; `validation-failed` at `/email`: no address, or a member already; `admin-only`
 * for somebody new where there is no mail server.
 */
export async function addStoreMember(
  ctx: CommandContext,
  input: { storeId: string; email: string; role: StoreRole },
): Promise<AddedMember> {
  const { storeId, role } = input;
  const email = checkedEmail(input.email);
  const maySee = await mayHandOverLinks(ctx);
  const { storeName, link, member } = await ctx.db.transaction(async (manager) => {
    const { name: storeName } = await lockStore(manager, storeId);
    const user = await findOrInvite(manager, ctx, { email, maySee });
    if (await manager.existsBy(StoreMember, { storeId, userId: user.id }))
      throw invalidField("/email", "Is a member already.");
    const row = { storeId, userId: user.id, role, createdAt: await ctx.now(manager) };
    await manager.insert(StoreMember, row);
    const details = { email, role };
    await writeAudit(manager, ctx, { action: "member.added", storeId, subject: user.id, details });
    return { storeName, link: await invite(manager, ctx, { user, storeId }), member: memberView(row, user) };
  });
  if (link === null) return { member, invitation: null };
  const { url, expiresAt } = link;
  const mailed = await mailLink(ctx, { to: email, kind: "invitation", url, storeName });
  return { member, invitation: { mailed, url: maySee ? url : null, expiresAt } };
}

async function invite(
  manager: EntityManager,
  ctx: CommandContext,
  { user, storeId }: { user: User; storeId: string },
): Promise<MadeLink | null> {
  if (user.passwordHash !== null) return null;
  return makeUserLink(manager, ctx, { userId: user.id, kind: "invitation", storeId });
}

/** Who can do everything on this server anyway. */
async function mayHandOverLinks({ actor, db }: CommandContext): Promise<boolean> {
  if (actor.kind !== "user") return actor.kind === "cli";
  return actor.id !== null && (await db.manager.existsBy(User, { id: actor.id, admin: true }));
}

async function findOrInvite(
  manager: EntityManager,
  ctx: CommandContext,
  { email, maySee }: { email: string; maySee: boolean },
): Promise<User> {
  const known = await manager.findOneBy(User, { email });
  if (known !== null) return known;
  if (!maySee && ctx.sendMail === null)
    throw new DomainError(
      "admin-only",
      "This server sends no mail, so only a server admin can invite somebody who is new here.",
    );
  // Somebody else may invite the same person now.
  const id = ctx.newId("usr");
  await manager.query("INSERT INTO users (id, email) VALUES ($1, $2) ON CONFLICT (email) DO NOTHING", [
    id,
    email,
  ]);
  const user = await manager.findOneByOrFail(User, { email });
  if (user.id === id)
    await writeAudit(manager, ctx, {
      action: "user.created",
      storeId: null,
      subject: id,
      details: { email, admin: false },
    });
  return user;
}

async function lockMember(
  manager: EntityManager,
  storeId: string,
  userId: string,
): Promise<{ member: StoreMember; user: User }> {
  await lockStore(manager, storeId);
  const member = await manager.findOneBy(StoreMember, { storeId, userId });
  const user = member && (await manager.findOneBy(User, { id: userId }));
  if (member === null || user === null)
    throw new DomainError("user-not-found", "Nobody like that is a member of this store.");
  return { member, user };
}

/** The store's row must be locked. */
async function checkAnotherOwner(manager: EntityManager, { storeId, userId }: StoreMember): Promise<void> {
  const others = await manager.findBy(StoreMember, { storeId, role: "owner", userId: Not(userId) });
  const able = others.length > 0 && (await manager.existsBy(User, others.map(canComeIn)));
  if (!able)
    throw new DomainError(
      "last-owner",
      "A store needs an owner who can log in: make somebody else one first.",
    );
}

/** Who was only invited may never come. */
const canComeIn = ({ userId }: StoreMember) => ({
  id: userId,
  passwordHash: Not(IsNull()),
  disabledAt: IsNull(),
});

/** @throws DomainError `store-not-found`, `user-not-found`, `last-owner` */
export async function changeStoreMember(
  ctx: CommandContext,
  { storeId, userId, role }: { storeId: string; userId: string; role: StoreRole },
): Promise<MemberView> {
  return ctx.db.transaction(async (manager) => {
    const { member, user } = await lockMember(manager, storeId, userId);
    if (member.role === role) return memberView(member, user);
    if (member.role === "owner") await checkAnotherOwner(manager, member);
    await manager.update(StoreMember, { storeId, userId }, { role });
    const details = { email: user.email, from: member.role, to: role };
    await writeAudit(manager, ctx, { action: "member.changed", storeId, subject: userId, details });
    return memberView({ ...member, role }, user);
  });
}

/**
 * Takes a place back; an invitation that was not taken is void.
 * @throws DomainError `store-not-found`, `user-not-found`, `last-owner`
 */
export async function removeStoreMember(
  ctx: CommandContext,
  { storeId, userId }: { storeId: string; userId: string },
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    const { member, user } = await lockMember(manager, storeId, userId);
    if (member.role === "owner") await checkAnotherOwner(manager, member);
    await manager.delete(StoreMember, { storeId, userId });
    await manager.delete(UserLink, { storeId, userId, kind: "invitation" });
    const details = { email: user.email, role: member.role };
    await writeAudit(manager, ctx, { action: "member.removed", storeId, subject: userId, details });
  });
}
