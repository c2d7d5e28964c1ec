import { In, IsNull, MoreThan, type EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import { LINK_VALID_MINUTES } from "../../domain/account/user-link";
import { Store } from "../../entities/store";
import { StoreInvitation } from "../../entities/store-invitation";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import { lockStore } from "../../database/rows";
import type { CommandContext } from "../context";
import { findAuthentic, insertAuthentic, isAuthentic, macOfRow } from "../server/authentic-rows";
import { writeAudit } from "../server/write-audit";
import { inTransaction, type Reading, reading, type Tx } from "../transaction";

/** Also again, when the invitation has expired. The store's row must be locked. */
export async function writeInvitation(
  tx: Tx,
  place: Pick<StoreInvitation, "storeId" | "userId" | "role" | "createdByUserId">,
): Promise<StoreInvitation> {
  const createdAt = await tx.now();
  const expiresAt = new Date(createdAt.getTime() + LINK_VALID_MINUTES.invitation * 60_000);
  const made = { ...place, createdAt, expiresAt };
  const invitation = { ...made, mac: macOfRow(tx, StoreInvitation, made) };
  await tx.manager.upsert(StoreInvitation, invitation, ["storeId", "userId"]);
  return invitation;
}

/** Still acceptable: a user's, a store's, or both. */
export async function openInvitations(
  from: Reading,
  of: { userId: string } | { storeId: string },
): Promise<StoreInvitation[]> {
  const invitations = await from.manager.find(StoreInvitation, {
    where: { ...of, expiresAt: MoreThan(await from.now()) },
    order: { createdAt: "DESC", storeId: "ASC", userId: "ASC" },
  });
  const own = invitations.filter((invitation) => isAuthentic(from, StoreInvitation, invitation));
  return ofOwners(from, own);
}

/** Their creators may still invite: admins and owners who are not disabled. */
async function ofOwners(from: Reading, invitations: readonly StoreInvitation[]): Promise<StoreInvitation[]> {
  const ids = [...new Set(invitations.flatMap(({ createdByUserId }) => createdByUserId ?? []))];
  if (ids.length === 0) return [...invitations];
  const creators = await findAuthentic(from, User, { id: In(ids), disabledAt: IsNull() });
  const admins = new Set(creators.flatMap(({ id, admin }) => (admin ? id : [])));
  const owned = await findAuthentic(from, StoreMember, {
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

export async function listInvitations(ctx: CommandContext, userId: string) {
  const open = await openInvitations(reading(ctx), { userId });
  const stores = await ctx.db.manager.findBy(Store, { id: In(open.map(({ storeId }) => storeId)) });
  const names = new Map(stores.map(({ id, name }) => [id, name]));
  return open.map(({ storeId, role, createdAt, expiresAt }) => ({
    storeId,
    storeName: names.get(storeId) ?? "",
    role,
    createdAt,
    expiresAt,
  }));
}

/** @throws DomainError `invitation-not-found` */
export async function acceptInvitation(
  ctx: CommandContext,
  place: { storeId: string; userId: string },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if (!(await becomeMember(tx, place))) throw notFound();
  });
}

export async function becomeMember(
  tx: Tx,
  { storeId, userId }: { storeId: string; userId: string },
): Promise<boolean> {
  await lockStore(tx.manager, storeId);
  const [invitation] = await openInvitations(tx, { storeId, userId });
  if (invitation === undefined) return false;
  await tx.manager.delete(StoreInvitation, { storeId, userId });
  const { role } = invitation;
  if (await tx.manager.existsBy(StoreMember, { storeId, userId })) return true;
  await insertAuthentic(tx, StoreMember, [{ storeId, userId, role, createdAt: await tx.now() }]);
  await writeAudit(tx, {
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
  await inTransaction(ctx, async (tx) => {
    if (!(await dropInvitation(tx.manager, place))) throw notFound();
    await writeAudit(tx, {
      action: "member.declined",
      storeId: place.storeId,
      subject: place.userId,
    });
  });
}

/** In one store or in all, when the user's rights end. */
export async function withdrawInvitations(
  tx: Tx,
  by: { createdByUserId: string; storeId?: string },
): Promise<void> {
  for (const { storeId, userId, role } of await tx.manager.findBy(StoreInvitation, by)) {
    if (!(await dropInvitation(tx.manager, { storeId, userId }))) continue;
    await writeAudit(tx, {
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
