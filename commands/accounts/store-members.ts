import { In, IsNull, Not, type EntityManager } from "typeorm";
import { checkedEmail } from "../../domain/account/email";
import { DomainError, invalidField } from "../../domain/errors";
import type { KeptOrDeleted } from "../../domain/account/kept-or-deleted";
import type { StoreRole } from "../../domain/account/store-role";
import { MailChoice } from "../../entities/mail-choice";
import { StoreInvitation } from "../../entities/store-invitation";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { changeAuthentic, insertAuthentic } from "../server/authentic-rows";
import { isOperator } from "../server/is-operator";
import { mailLink } from "./mail-link";
import { countMade, dropMade, lockForCreator, type Made } from "../stores/creators";
import { insertUser } from "./insert-user";
import { dropInvitation, openInvitations, withdrawInvitations, writeInvitation } from "./store-invitations";
import { makeUserLink, type MadeLink } from "./user-links";
import { writeAudit, writeUserAudit } from "../server/write-audit";
import { inTransaction, reading, type Tx } from "../transaction";

type Place = Pick<StoreMember, "role" | "createdAt">;

const memberView = (
  { role, createdAt }: Place,
  user: User,
  { pending, made = { apiKeys: 0, webhooks: 0 } }: { pending: boolean; made?: Made | undefined },
) => ({
  made,
  userId: user.id,
  email: user.email,
  role,
  createdAt,
  pending,
});

export async function listStoreMembers(ctx: CommandContext, storeId: string) {
  const { manager } = ctx.db;
  const members = await manager.findBy(StoreMember, { storeId });
  const invited = await openInvitations(reading(ctx), { storeId });
  const users = await manager.findBy(User, { id: In([...members, ...invited].map(({ userId }) => userId)) });
  const byId = new Map(users.map((user) => [user.id, user]));
  const made = await countMade(manager, [...byId.keys()], storeId);
  const views = (places: readonly (Place & { userId: string })[], pending: (user: User) => boolean) =>
    places.flatMap((place) => {
      const user = byId.get(place.userId);
      if (user === undefined) return [];
      return [memberView(place, user, { pending: pending(user), made: made.get(user.id) })];
    });
  return [...views(members, ({ passwordHash }) => passwordHash === null), ...views(invited, () => true)].sort(
    (a, b) => (a.email < b.email ? -1 : 1),
  );
}

/**
 * A user accepts in the dashboard, a new one by a link: mailed, and shown to admins alone, since whoever opens it gets
 * the account. An owner does not learn whether the address has an account. The command line adds at once.
 * @throws DomainError `store-not-found`; `store-mismatch` or `unauthenticated` for a user whose rights ended during the
 * request; `validation-failed` at `/email`: not an address, or that of a member or invited user.
 */
export async function addStoreMember(
  ctx: CommandContext,
  input: { storeId: string; email: string; role: StoreRole },
) {
  const email = checkedEmail(input.email);
  const maySee = await isOperator(reading(ctx)); // they have all rights on this server anyway
  const mails = ctx.sendMail !== null;
  const atOnce = ctx.actor.kind === "cli";
  const { storeName, link, member, expiresAt } = await inTransaction(ctx, async (tx) => {
    const { store, creatorId: createdByUserId } = await lockForCreator(tx, input.storeId);
    const user = await findOrCreate(tx, email);
    await refuseTwice(tx, { storeId: input.storeId, userId: user.id });
    const place = { storeId: input.storeId, userId: user.id, role: input.role };
    const written = atOnce
      ? await writeMember(tx, place)
      : await writeInvitation(tx, { ...place, createdByUserId });
    const action = atOnce ? "member.added" : "member.invited";
    const details = { email, role: input.role };
    await writeAudit(tx, { action, storeId: input.storeId, subject: user.id, details });
    const made = await linkForNew(tx, { user, storeId: input.storeId, seen: maySee || mails });
    return {
      storeName: store.name,
      link: made,
      member: memberView(written, user, { pending: !atOnce || user.passwordHash === null }),
      expiresAt: written.expiresAt ?? made?.expiresAt,
    };
  });
  // The operator added an existing user.
  if (expiresAt === undefined) return { member, invitation: null };
  const url = link?.url ?? null;
  const mailed = await mailLink(ctx, {
    to: email,
    storeName,
    ...(url === null
      ? { kind: "offer", url: `${ctx.settings.publicUrl}/stores` }
      : { kind: "invitation", url }),
  });
  return { member, invitation: { mailed, url: maySee ? url : null, expiresAt } };
}

async function refuseTwice(tx: Tx, { storeId, userId }: { storeId: string; userId: string }): Promise<void> {
  if (await tx.manager.existsBy(StoreMember, { storeId, userId }))
    throw invalidField("/email", "This user is already a member.");
  const invited = await openInvitations(tx, { storeId });
  if (invited.some((invitation) => invitation.userId === userId))
    throw invalidField("/email", "This user is already invited. Remove the invitation to create a new one.");
}

async function writeMember(
  tx: Tx,
  place: { storeId: string; userId: string; role: StoreRole },
): Promise<Place & { expiresAt?: undefined }> {
  const member = { ...place, createdAt: await tx.now() };
  await insertAuthentic(tx, StoreMember, [member]);
  return member;
}

/** Null for a user with a password, and when nobody would receive it. */
async function linkForNew(
  tx: Tx,
  { user, storeId, seen }: { user: User; storeId: string; seen: boolean },
): Promise<MadeLink | null> {
  if (user.passwordHash !== null || !seen) return null;
  return makeUserLink(tx, { userId: user.id, kind: "invitation", storeId });
}

async function findOrCreate(tx: Tx, email: string): Promise<User> {
  const known = await tx.manager.findOneBy(User, { email });
  if (known !== null) return known;
  const user = await insertUser(tx, { email, admin: false });
  if (user === null) return tx.manager.findOneByOrFail(User, { email });
  await writeUserAudit(tx, "user.created", user.id, { email, admin: false });
  return user;
}

/** A member or invited user, for a caller who is still an owner; `askedBy`: null for the command line. */
async function lockPlace(tx: Tx, { storeId, userId }: MemberName) {
  const { creatorId: askedBy } = await lockForCreator(tx, storeId);
  const member = await tx.manager.findOneBy(StoreMember, { storeId, userId });
  const invitation =
    member === null ? await tx.manager.findOneBy(StoreInvitation, { storeId, userId }) : null;
  const place = member ?? invitation;
  const user = place && (await tx.manager.findOneBy(User, { id: userId }));
  if (place === null || user === null)
    throw new DomainError("user-not-found", "Member not found in this store.");
  return { place, user, member, invitation, askedBy };
}

/** The store's row must be locked. */
async function checkAnotherOwner(manager: EntityManager, { storeId, userId }: StoreMember): Promise<void> {
  const others = await manager.findBy(StoreMember, { storeId, role: "owner", userId: Not(userId) });
  const able = others.length > 0 && (await manager.existsBy(User, others.map(canComeIn)));
  if (!able)
    throw new DomainError(
      "last-owner",
      "A store needs an owner who can log in. Make another user an owner first.",
    );
}

/** An invited user may never accept. */
const canComeIn = ({ userId }: StoreMember) => ({
  id: userId,
  passwordHash: Not(IsNull()),
  disabledAt: IsNull(),
});

interface MemberName {
  storeId: string;
  userId: string;
  keysAndWebhooks?: KeptOrDeleted | undefined;
}

/** @throws DomainError `store-not-found`, `store-mismatch`, `unauthenticated`, `user-not-found`, `last-owner` */
export async function changeStoreMember(
  ctx: CommandContext,
  { storeId, userId, role, keysAndWebhooks }: MemberName & { role: StoreRole },
) {
  return inTransaction(ctx, async (tx) => {
    const { place, user, member, invitation, askedBy } = await lockPlace(tx, { storeId, userId });
    const view = async () =>
      memberView({ ...place, role }, user, {
        pending: member === null || user.passwordHash === null,
        made: (await countMade(tx.manager, [userId], storeId)).get(userId),
      });
    if (place.role === role) return view();
    if (invitation !== null) {
      const asked = { role, createdByUserId: askedBy };
      await changeAuthentic(tx, StoreInvitation, invitation, asked);
    }
    if (member !== null) {
      if (member.role === "owner") {
        await checkAnotherOwner(tx.manager, member);
        await withdrawInvitations(tx, { createdByUserId: userId, storeId });
      }
      await changeAuthentic(tx, StoreMember, member, { role });
    }
    const deleted = await dropWhenAsked(tx, { storeId, userId, keysAndWebhooks });
    const details = { email: user.email, from: place.role, to: role, ...deleted };
    await writeAudit(tx, { action: "member.changed", storeId, subject: userId, details });
    return view();
  });
}

/** Returns the details for the audit log. */
async function dropWhenAsked(tx: Tx, { storeId, userId, keysAndWebhooks }: MemberName): Promise<object> {
  if (keysAndWebhooks !== "delete") return {};
  return { deleted: await dropMade(tx, { userId, storeId }) };
}

/**
 * Also withdraws an invitation.
 * @throws DomainError `store-not-found`, `store-mismatch`, `unauthenticated`, `user-not-found`, `last-owner`
 */
export async function removeStoreMember(
  ctx: CommandContext,
  { storeId, userId, keysAndWebhooks }: MemberName,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const { place, user, member } = await lockPlace(tx, { storeId, userId });
    if (member?.role === "owner") await checkAnotherOwner(tx.manager, member);
    await tx.manager.delete(StoreMember, { storeId, userId });
    await tx.manager.delete(MailChoice, { storeId, userId });
    await dropInvitation(tx.manager, { storeId, userId });
    await withdrawInvitations(tx, { createdByUserId: userId, storeId });
    const deleted = await dropWhenAsked(tx, { storeId, userId, keysAndWebhooks });
    const details = { email: user.email, role: place.role, ...deleted };
    await writeAudit(tx, { action: "member.removed", storeId, subject: userId, details });
  });
}
