import { MoreThan, type EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import type { StoreRole } from "../../domain/account/store-role";
import { LINK_VALID_MINUTES } from "../../domain/account/user-link";
import { Store } from "../../entities/store";
import { StoreInvitation } from "../../entities/store-invitation";
import { StoreMember } from "../../entities/store-member";
import { UserLink } from "../../entities/user-link";
import { lockStore } from "./change-store";
import type { CommandContext } from "../context";
import { writeAudit } from "../server/write-audit";

/** An invitation to a store. */
export interface InvitationView {
  storeId: string;
  storeName: string;
  role: StoreRole;
  createdAt: Date;
  expiresAt: Date;
}

/** Invites to a store, or again if the invitation has expired. The store's row must be locked. */
export async function writeInvitation(
  manager: EntityManager,
  ctx: CommandContext,
  { storeId, userId, role }: { storeId: string; userId: string; role: StoreRole },
): Promise<StoreInvitation> {
  const createdAt = await ctx.now(manager);
  const expiresAt = new Date(createdAt.getTime() + LINK_VALID_MINUTES.invitation * 60_000);
  const invitation = { storeId, userId, role, createdAt, expiresAt };
  await manager.upsert(StoreInvitation, invitation, ["storeId", "userId"]);
  return invitation;
}

/** The invitations of a user, or of a store, that can be accepted. */
export async function openInvitations(
  manager: EntityManager,
  ctx: CommandContext,
  of: { userId: string } | { storeId: string },
): Promise<StoreInvitation[]> {
  return manager.find(StoreInvitation, {
    where: { ...of, expiresAt: MoreThan(await ctx.now(manager)) },
    order: { createdAt: "DESC", storeId: "ASC", userId: "ASC" },
  });
}

/** A user's invitations, latest first. */
export async function listInvitations(ctx: CommandContext, userId: string): Promise<InvitationView[]> {
  const { manager } = ctx.db;
  const views: InvitationView[] = [];
  for (const { storeId, role, createdAt, expiresAt } of await openInvitations(manager, ctx, { userId })) {
    const store = await manager.findOneBy(Store, { id: storeId });
    if (store !== null) views.push({ storeId, storeName: store.name, role, createdAt, expiresAt });
  }
  return views;
}

/** Accepts an invitation: from now on its user is a member. @throws DomainError `invitation-not-found` */
export async function acceptInvitation(
  ctx: CommandContext,
  place: { storeId: string; userId: string },
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    if (!(await becomeMember(manager, ctx, place))) throw notFound();
  });
}

/** False if there is no valid invitation. */
export async function becomeMember(
  manager: EntityManager,
  ctx: CommandContext,
  { storeId, userId }: { storeId: string; userId: string },
): Promise<boolean> {
  await lockStore(manager, storeId);
  const now = await ctx.now(manager);
  const open = { storeId, userId, expiresAt: MoreThan(now) };
  const invitation = await manager.findOneBy(StoreInvitation, open);
  if (invitation === null) return false;
  await manager.delete(StoreInvitation, { storeId, userId });
  const { role } = invitation;
  if (await manager.existsBy(StoreMember, { storeId, userId })) return true;
  await manager.insert(StoreMember, { storeId, userId, role, createdAt: now });
  await writeAudit(manager, ctx, {
    action: "member.added",
    storeId,
    subject: userId,
    details: { role, invited: true },
  });
  return true;
}

/** Declines an invitation. @throws DomainError `invitation-not-found` */
export async function declineInvitation(
  ctx: CommandContext,
  place: { storeId: string; userId: string },
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    if (!(await dropInvitation(manager, place))) throw notFound();
    await writeAudit(manager, ctx, {
      action: "member.declined",
      storeId: place.storeId,
      subject: place.userId,
    });
  });
}

/** Also deletes the link of a new user. Returns whether there was an invitation. */
export async function dropInvitation(
  manager: EntityManager,
  { storeId, userId }: { storeId: string; userId: string },
): Promise<boolean> {
  await manager.delete(UserLink, { storeId, userId, kind: "invitation" });
  return (await manager.delete(StoreInvitation, { storeId, userId })).affected === 1;
}

function notFound(): DomainError {
  return new DomainError("invitation-not-found", "Invitation not found, or it has expired.");
}
