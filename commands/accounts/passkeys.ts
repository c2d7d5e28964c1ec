import type { EntityManager } from "typeorm";
import { DomainError, invalidField } from "../../domain/errors";
import { answeredChallenge, type PasskeyResponse } from "../../domain/account/passkey";
import { Passkey } from "../../entities/passkey";
import { PasskeyChallenge } from "../../entities/passkey-challenge";
import type { CommandContext } from "../context";
import { ifAuthentic, macOfRow } from "../server/authentic-rows";
import { renewSession, withdrawProofs } from "./end-sessions";
import { enter, lockUser, type LoginSession } from "./login";
import { mailFactorChange } from "./mail-factor-change";
import { deleteChallenge } from "./queries";
import { checkedName } from "../stores/name";
import type { PasskeyCredential, PasskeyQuestion } from "../ports";
import type { SessionOrigin, SessionUser, StartedSession } from "./session";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

const CHALLENGE_MS = 5 * 60_000;
const PASSKEYS_MAX = 20;

type Purpose = Pick<PasskeyChallenge, "purpose" | "userId">;

const credentialOf = ({ counter, ...rest }: Passkey): PasskeyCredential => ({
  ...rest,
  counter: Number(counter),
});

export function listPasskeys(ctx: CommandContext, userId: string): Promise<Passkey[]> {
  return ctx.db.manager.find(Passkey, { where: { userId }, order: { createdAt: "ASC", id: "ASC" } });
}

async function remember(ctx: CommandContext, question: PasskeyQuestion, purpose: Purpose): Promise<object> {
  const { manager } = ctx.db;
  const expiresAt = new Date((await ctx.now(manager)).getTime() + CHALLENGE_MS);
  await manager.insert(PasskeyChallenge, { challenge: question.challenge, ...purpose, expiresAt });
  return question.options;
}

/** Used up by this: only a challenge that we issued for this purpose, once. */
async function takeChallenge(
  ctx: CommandContext,
  answer: PasskeyResponse,
  { purpose, userId }: Purpose,
): Promise<string | null> {
  const challenge = answeredChallenge(answer);
  if (challenge === null) return null;
  const now = await ctx.now(ctx.db.manager);
  const { rows } = await deleteChallenge(ctx.db.manager, challenge, purpose, userId, now);
  return rows[0]?.good === true ? challenge : null;
}

/** For `navigator.credentials.create()`. */
export async function askToAddPasskey(ctx: CommandContext, { userId, email }: SessionUser): Promise<object> {
  const known = await listPasskeys(ctx, userId);
  const question = await ctx.passkeys.askToRegister({ userId, email }, known.map(credentialOf));
  return remember(ctx, question, { purpose: "register", userId });
}

/** @throws DomainError `validation-failed` at `/name`, `/answer` */
export async function addPasskey(
  ctx: CommandContext,
  { userId, sessionId }: SessionUser,
  input: { name: string; answer: PasskeyResponse },
): Promise<Passkey> {
  const name = checkedName(input.name);
  const challenge = await takeChallenge(ctx, input.answer, { purpose: "register", userId });
  const credential = challenge && (await ctx.passkeys.verifyRegistration(input.answer, challenge));
  if (!credential)
    throw invalidField("/answer", "The passkey response is invalid or has expired. Try again.");
  const added = await inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    if ((await tx.manager.countBy(Passkey, { userId })) >= PASSKEYS_MAX)
      throw invalidField("/answer", `An account has at most ${PASSKEYS_MAX} passkeys. Delete one first.`);
    if (await tx.manager.existsBy(Passkey, { credentialId: credential.credentialId }))
      throw invalidField("/answer", "This passkey is already registered.");
    const made = tx.manager.create(Passkey, {
      ...credential,
      transports: [...credential.transports],
      id: tx.newId("pk"),
      userId,
      name,
      counter: String(credential.counter),
      createdAt: await tx.now(),
      lastUsedAt: null,
    });
    const passkey = { ...made, mac: macOfRow(tx, Passkey, made) };
    await tx.manager.insert(Passkey, passkey);
    await withdrawProofs(tx, userId, sessionId);
    await note(tx, "user.passkey-added", passkey);
    return passkey;
  });
  void mailFactorChange(ctx, userId, "passkey-added");
  return added;
}

type Changed = `user.passkey-${"added" | "renamed" | "deleted"}`;

async function note(tx: Tx, action: Changed, { id: passkeyId, userId, name }: Passkey): Promise<void> {
  await writeUserAudit(tx, action, userId, { passkeyId, name });
}

async function ownPasskey(manager: EntityManager, userId: string, id: string): Promise<Passkey> {
  const passkey = await manager.findOne(Passkey, {
    where: { id, userId },
    lock: { mode: "pessimistic_write" },
  });
  if (passkey === null) throw new DomainError("passkey-not-found", "Passkey not found.");
  return passkey;
}

/** @throws DomainError `validation-failed` at `/name`, `passkey-not-found` */
export async function renamePasskey(
  ctx: CommandContext,
  userId: string,
  { id, name: wished }: { id: string; name: string },
): Promise<Passkey> {
  const name = checkedName(wished);
  return inTransaction(ctx, async (tx) => {
    const passkey = await ownPasskey(tx.manager, userId, id);
    if (passkey.name === name) return passkey;
    await tx.manager.update(Passkey, { id }, { name });
    const renamed = { ...passkey, name };
    await note(tx, "user.passkey-renamed", renamed);
    return renamed;
  });
}

/** @throws DomainError `passkey-not-found` */
export async function deletePasskey(ctx: CommandContext, userId: string, id: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const passkey = await ownPasskey(tx.manager, userId, id);
    await tx.manager.delete(Passkey, { id });
    await note(tx, "user.passkey-deleted", passkey);
  });
  void mailFactorChange(ctx, userId, "passkey-removed");
}

/** For `navigator.credentials.get()`, without naming a user: the passkey does. */
export async function askForPasskey(ctx: CommandContext): Promise<object> {
  return remember(ctx, await ctx.passkeys.askToLogIn(), { purpose: "login", userId: null });
}

/** Null for an invalid passkey or answer. A passkey is two factors: no code is required. */
export async function logInByPasskey(
  ctx: CommandContext,
  { answer, origin }: { answer: PasskeyResponse; origin: SessionOrigin },
): Promise<LoginSession | null> {
  const used = await verified(ctx, answer);
  if (used === null) return null;
  return inTransaction(ctx, async (tx) => {
    const user = await lockUser(tx, used.passkey.userId);
    if (user === null || !(await markUsed(tx, used))) return null;
    return enter(tx, { user, by: "passkey", origin });
  });
}

export async function reauthenticateByPasskey(
  ctx: CommandContext,
  { userId, sessionId }: SessionUser,
  answer: PasskeyResponse,
): Promise<StartedSession | null> {
  const used = await verified(ctx, answer);
  if (used === null || used.passkey.userId !== userId) return null;
  return inTransaction(ctx, async (tx) => {
    const user = await lockUser(tx, userId);
    if (user === null || !(await markUsed(tx, used))) return null;
    return renewSession(tx, { sessionId, proven: true });
  });
}

interface UsedPasskey {
  passkey: Passkey;
  counter: number;
}

async function verified(ctx: CommandContext, answer: PasskeyResponse): Promise<UsedPasskey | null> {
  const challenge = await takeChallenge(ctx, answer, { purpose: "login", userId: null });
  const stored = challenge && (await ctx.db.manager.findOneBy(Passkey, { credentialId: answer.id }));
  const passkey = ifAuthentic(ctx, Passkey, stored || null);
  if (!challenge || passkey === null) return null;
  const counter = await ctx.passkeys.verifyLogin(answer, challenge, credentialOf(passkey));
  return counter === null ? null : { passkey, counter };
}

/** False if deleted or used meanwhile: a clone would have the same counter. */
async function markUsed(
  tx: Tx,
  { passkey: { id, counter: before }, counter }: UsedPasskey,
): Promise<boolean> {
  const used = { counter: String(counter), lastUsedAt: await tx.now() };
  const { affected } = await tx.manager.update(Passkey, { id, counter: before }, used);
  return affected === 1;
}
