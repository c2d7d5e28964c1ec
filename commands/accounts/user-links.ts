import { IsNull, MoreThan } from "typeorm";
import { BEARER_TOKEN_BYTES, bearerToken, bearerTokenHash } from "../../domain/account/bearer-token";
import { checkedEmail, normalisedEmail } from "../../domain/account/email";
import { DomainError, invalidField } from "../../domain/errors";
import { checkedPassword } from "../../domain/account/password";
import {
  isForFirstPassword,
  LINK_VALID_MINUTES,
  linkSetsPassword,
  userLinkUrl,
  type UserLinkKind,
} from "../../domain/account/user-link";
import { Passkey } from "../../entities/passkey";
import { Store } from "../../entities/store";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import { writePassword } from "./change-password";
import { lockStore } from "../../database/rows";
import type { CommandContext } from "../context";
import { ifAuthentic, insertAuthentic } from "../server/authentic-rows";
import { enter, lockUser, type LoginSession } from "./login";
import { mailFactorChange } from "./mail-factor-change";
import { mailLink } from "./mail-link";
import { forgetTotp } from "./second-factor";
import { asUser, type SessionOrigin } from "./session";
import { becomeMember } from "./store-invitations";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction, type Reading, reading, type Tx } from "../transaction";

/** `url` is known only now: only the token's hash is stored. */
export interface MadeLink {
  url: string;
  expiresAt: Date;
}

interface NewLink {
  userId: string;
  kind: UserLinkKind;
  storeId?: string | null;
  /** An admin who is shown somebody else's link. */
  shownTo?: string | null;
}

export async function makeUserLink(
  tx: Tx,
  { userId, kind, storeId = null, shownTo = null }: NewLink,
): Promise<MadeLink> {
  const token = bearerToken(tx.randomBytes(BEARER_TOKEN_BYTES));
  const expiresAt = new Date((await tx.now()).getTime() + LINK_VALID_MINUTES[kind] * 60_000);
  const tokenHash = bearerTokenHash(token);
  const link = { tokenHash, userId, expiresAt, usedAt: null, kind, storeId, shownTo };
  await insertAuthentic(tx, UserLink, [link]);
  // In no store's log: only new users get a link, and owners must not learn which addresses had an account.
  const shown = shownTo === null ? {} : { shownTo };
  await writeUserAudit(tx, "user.link-made", userId, { kind, expiresAt, ...shown });
  return { url: userLinkUrl(tx.settings.publicUrl, token), expiresAt };
}

/**
 * A new password, or a login without one; former links of the kind become invalid. `dropSecondFactor` removes app and
 * passkeys of a user who lost phone and recovery codes.
 * @throws DomainError `validation-failed` at `/email`, `user-not-found`
 */
export async function createUserLink(
  ctx: CommandContext,
  input: { email: string; kind: "reset" | "login"; dropSecondFactor?: boolean; shownTo?: string | null },
): Promise<MadeLink & { userId: string }> {
  const { kind, dropSecondFactor = false, shownTo = null } = input;
  const email = checkedEmail(input.email);
  const link = await inTransaction(ctx, async (tx) => {
    const user = await tx.manager.findOne(User, { where: { email }, lock: { mode: "pessimistic_write" } });
    if (user === null || user.disabledAt !== null)
      throw new DomainError("user-not-found", "There is no active user with this e-mail address.");
    const { id: userId } = user;
    if (dropSecondFactor) {
      await forgetTotp(tx, user);
      await tx.manager.delete(Passkey, { userId });
      await writeUserAudit(tx, "user.totp-disabled", userId);
    }
    await tx.manager.delete(UserLink, { userId, kind });
    return { userId, ...(await makeUserLink(tx, { userId, kind, shownTo })) };
  });
  const mailed = dropSecondFactor
    ? mailFactorChange(ctx, link.userId, "second-factor-dropped")
    : Promise.resolve();
  // The command line's process ends after its output; a request does not wait for the mail server.
  if (ctx.actor.kind === "cli") await mailed;
  return link;
}

/**
 * Mailed to the user, or, without a mail server, shown to the admin, whom the link's sessions name from then on.
 * @throws DomainError `user-not-found`; `unavailable` when the mail server did not accept the mail.
 */
export async function resetUser(
  ctx: CommandContext,
  userId: string,
  { dropSecondFactor }: { dropSecondFactor: boolean },
) {
  const user = await ctx.db.manager.findOneBy(User, { id: userId });
  if (user === null) throw new DomainError("user-not-found", "User not found.");
  const { email } = user;
  const shown = ctx.sendMail === null;
  const shownTo = shown && ctx.actor.id !== userId ? ctx.actor.id : null;
  const { url, ...link } = await createUserLink(ctx, { email, kind: "reset", dropSecondFactor, shownTo });
  if (!shown && !(await mailLink(ctx, { to: email, kind: "reset", url })))
    throw new DomainError(
      "unavailable",
      "The mail server did not accept the mail with the link. Try again, or ask the operator for a link: cli user reset.",
    );
  // With a mail server only the user gets it.
  return { ...link, url: shown ? url : null };
}

/** Never reports whether the user exists: the caller is anonymous. */
export async function askForReset(ctx: CommandContext, email: string): Promise<void> {
  if (ctx.sendMail === null) return;
  const link = await inTransaction(ctx, async (tx) => {
    const user = await tx.manager.findOneBy(User, { email: normalisedEmail(email), disabledAt: IsNull() });
    return user && { to: user.email, ...(await makeUserLink(tx, { userId: user.id, kind: "reset" })) };
  });
  if (link !== null) await mailLink(ctx, { ...link, kind: "reset" });
}

/** @throws DomainError `link-not-found` if unknown, used or expired, without saying which. */
export async function readUserLink(ctx: CommandContext, token: string) {
  const { link, user } = await findLink(reading(ctx), token);
  const store = link.storeId === null ? null : await ctx.db.manager.findOneBy(Store, { id: link.storeId });
  const { kind, expiresAt } = link;
  const setsPassword = linkSetsPassword(kind);
  return { kind, email: user.email, expiresAt, setsPassword, storeName: store?.name ?? null };
}

async function findLink(from: Reading, token: string): Promise<{ link: UserLink; user: User }> {
  const stored = await from.manager.findOneBy(UserLink, {
    tokenHash: bearerTokenHash(token),
    usedAt: IsNull(),
    expiresAt: MoreThan(await from.now()),
  });
  const link = ifAuthentic(from, UserLink, stored);
  const user = link && (await from.manager.findOneBy(User, { id: link.userId, disabledAt: IsNull() }));
  if (link === null || user === null || isSuperseded(link, user)) throw linkNotFound();
  return { link, user };
}

/** The user got a password by another link: whoever finds this one must not replace it. */
function isSuperseded({ kind }: UserLink, { passwordHash }: User): boolean {
  return isForFirstPassword(kind) && passwordHash !== null;
}

function linkNotFound(): DomainError {
  return new DomainError(
    "link-not-found",
    "This link is invalid, has been used or has expired. Ask for a new one.",
  );
}

/** Returns how many. */
export async function voidUserLinks(ctx: CommandContext, userId: string): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const { affected } = await tx.manager.delete(UserLink, { userId, usedAt: IsNull() });
    const count = affected ?? 0;
    if (count > 0) await writeUserAudit(tx, "user.links-voided", userId, { count });
    return count;
  });
}

async function hashChecked({ passwords }: CommandContext, password: string, email: string): Promise<string> {
  return passwords.hash(checkedPassword(password, email, await passwords.judge()));
}

/**
 * A user with a second factor is asked for it next. A first password ends the user's sessions and other links; after a
 * reset the user is asked about them.
 * @throws DomainError `link-not-found`; `validation-failed` at `/password`, which leaves the link valid.
 */
export async function useUserLink(
  ctx: CommandContext,
  { token, password, origin }: { token: string; password?: string; origin: SessionOrigin },
): Promise<LoginSession> {
  const { link, user } = await findLink(reading(ctx), token);
  const setsPassword = linkSetsPassword(link.kind);
  if (!setsPassword && password !== undefined) throw invalidField("/password", "This link sets no password.");
  if (setsPassword && password === undefined) throw invalidField("/password", "Required.");
  const passwordHash = password === undefined ? null : await hashChecked(ctx, password, user.email);
  const entered = await inTransaction(ctx, async (tx) => {
    // In the order in which an invitation is withdrawn.
    if (link.kind === "invitation" && link.storeId !== null) await lockStore(tx.manager, link.storeId);
    const locked = await lockUser(tx, user.id);
    const usedAt = await tx.now();
    const unused = { tokenHash: link.tokenHash, usedAt: IsNull() };
    const { affected } = await tx.manager.update(UserLink, unused, { usedAt });
    if (locked === null || affected !== 1 || isSuperseded(link, locked)) throw linkNotFound();
    const { shownTo: linkShownTo } = link;
    const theirs = asUser(tx, user.id, linkShownTo);
    let entering = locked;
    if (passwordHash !== null)
      entering = await writePassword(theirs, {
        user: locked,
        passwordHash,
        linkShownTo,
        ...(link.kind === "reset" ? { keepsRest: true } : { butSessionId: null }),
      });
    if (link.kind === "invitation" && link.storeId !== null)
      await becomeMember(theirs, { storeId: link.storeId, userId: user.id });
    return enter(tx, { user: entering, by: "link", origin, linkShownTo });
  });
  if (passwordHash !== null && user.passwordHash !== null)
    void mailFactorChange(ctx, user.id, "password-changed");
  return entered;
}
