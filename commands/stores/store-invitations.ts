import { In, IsNull, MoreThan, type EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import type { StoreRole } from "../../domain/account/store-role";
import { LINK_VALID_MINUTES } from "../../domain/account/user-link";
import { Store } from "../../entities/store";
import { StoreInvitation } from "../../entities/store-invitation";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import { lockStore } from "./change-store";
import type { CommandContext } from "../context";
import { findAuthentic, insertAuthentic, isAuthentic, macOfRow } from "../accounts/authentic-rows";
import { writeAudit } from "../server/write-audit";

export interface InvitationView {
  storeId: string;
  storeName: string;
  role: StoreRole;
  createdAt: Date;
  expiresAt: Date;
}

/** Also again, when the invitation has expired. The store's row must be locked. */
export async function writeInvitation(
  manager: EntityManager,
  ctx: CommandContext,
  place: Pick<StoreInvitation, "storeId" | "userId" | "role" | "createdByUserId">,
): Promise<StoreInvitation> {
  const createdAt = await ctx.now(manager);
  const expiresAt = new Date(createdAt.getTime() + LINK_VALID_MINUTES.invitation * 60_000);
  const made = { ...place, createdAt, expiresAt };
  const invitation = { ...made, mac: macOfRow(ctx, StoreInvitation, made) };
  await manager.upsert(StoreInvitation, invitation, ["storeId", "userId"]);
  return invitation;
}

/** Still acceptable: a user's, a store's, or both. */
export async function openInvitations(
  manager: EntityManager,
  ctx: CommandContext,
  of: { userId: string } | { storeId: string },
): Promise<StoreInvitation[]> {
  const invitations = await manager.find(StoreInvitation, {
    where: { ...of, expiresAt: MoreThan(await ctx.now(manager)) },
    order: { createdAt: "DESC", storeId: "ASC", userId: "ASC" },
  });
  const own = invitations.filter((invitation) => isAuthentic(ctx, StoreInvitation, invitation));
  return ofOwners(manager, ctx, own);
}

/** Their creators may still invite: admins and owners who are not disabled. */
async function ofOwners(
  manager: EntityManager,
  ctx: CommandContext,
  invitations: readonly StoreInvitation[],
): Promise<StoreInvitation[]> {
  const ids = [...new Set(invitations.flatMap(({ createdByUserId }) => createdByUserId ?? []))];
  if (ids.length === 0) return [...invitations];
  const creators = await findAuthentic(manager, ctx, User, { id: In(ids), disabledAt: IsNull() });
  const admins = new Set(creators.flatMap(({ id, admin }) => (admin ? id : [])));
  const owned = await findAuthentic(manager, ctx, StoreMember, {
    userId: In(creators.map(({ id }) => id)),
    storeId: In(invitations.map(({ storeId }) => storeId)),
    role: "owner",
  });
  return invitations.filter(
    ({ storeId, createdByUserId: creator }) =>
      creator === null ||
      admins.has(creator) ||
      owned.some((member) => member.userId === creator && member.storeId === storeId),
  );
}

export async function listInvitations(ctx: CommandContext, userId: string): Promise<InvitationView[]> {
  const { manager } = ctx.db;
  const views: InvitationView[] = [];
  for (const { storeId, role, createdAt, expiresAt } of await openInvitations(manager, ctx, { userId })) {
    const store = await manager.findOneBy(Store, { id: storeId });
    if (store !== null) views.push({ storeId, storeName: store.name, role, createdAt, expiresAt });
  }
  return views;
}

/** @throws DomainError `invitation-not-found` */
export async function acceptInvitation(
  ctx: CommandContext,
  place: { storeId: string; userId: string },
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    if (!(await becomeMember(manager, ctx, place))) throw notFound();
  });
}

export async function becomeMember(
  manager: EntityManager,
  ctx: CommandContext,
  { storeId, userId }: { storeId: string; userId: string },
): Promise<boolean> {
  await lockStore(manager, storeId);
  const [invitation] = await openInvitations(manager, ctx, { storeId, userId });
  if (invitation === undefined) return false;
  await manager.delete(StoreInvitation, { storeId, userId });
  const { role } = invitation;
  if (await manager.existsBy(StoreMember, { storeId, userId })) return true;
  await insertAuthentic(manager, ctx, StoreMember, [
    { storeId, userId, role, createdAt: await ctx.now(manager) },
  ]);
  await writeAudit(manager, ctx, {
    action: "member.added",
    storeId,
    subject: userId,
    details: { role, invited: true },
  });
  return true;
}

/** @throws DomainError `invitation-not-found` */
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

/** In one store or in all, when the user's rights end. */
export async function withdrawInvitations(
  manager: EntityManager,
  ctx: CommandContext,
  by: { createdByUserId: string; storeId?: string },
): Promise<void> {
  for (const { storeId, userId, role } of await manager.findBy(StoreInvitation, by)) {
    if (!(await dropInvitation(manager, { storeId, userId }))) continue;
    await writeAudit(manager, ctx, {
      action: "member.removed",
      storeId,
      subject: userId,
      details: { role, invited: true, of: by.createdByUserId },
    });
  }
}

/** With a new user's link. Returns whether there was an invitation. */
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
