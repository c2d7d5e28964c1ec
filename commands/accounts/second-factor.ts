import { IsNull, type EntityManager } from "typeorm";
import { DomainError, invalidField } from "../../domain/errors";
import {
  RECOVERY_CODE_BYTES,
  RECOVERY_CODES,
  recoveryCode,
  recoveryCodeHash,
} from "../../domain/account/recovery-code";
import {
  acceptedStep,
  looksLikeTotp,
  TOTP_SECRET_BYTES,
  totpSecret,
  totpUri,
} from "../../domain/account/totp";
import { RecoveryCode } from "../../entities/recovery-code";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import { changeAuthentic, ifAuthentic, insertAuthentic } from "../server/authentic-rows";
import { withdrawProofs } from "./end-sessions";
import { mailFactorChange } from "./mail-factor-change";
import { totpSecretPlace } from "../server/sealed-places";
import { asUser } from "./session";
import { writeUserAudit } from "../server/write-audit";
import { inTransaction, type Tx } from "../transaction";

async function lockedUser(manager: EntityManager, userId: string): Promise<User> {
  const user = await manager.findOne(User, { where: { id: userId }, lock: { mode: "pessimistic_write" } });
  if (user === null) throw new DomainError("user-not-found", "User not found.");
  return user;
}

/** The user's row must be locked, so that simultaneous uses are serialised. */
async function useTotp(tx: Tx, user: User, code: string): Promise<boolean> {
  const { totpSecretEncrypted, totpLastStep: lastStep } = user;
  if (totpSecretEncrypted === null) return false;
  const secret = tx.secrets.decrypt(totpSecretEncrypted, totpSecretPlace(user.id));
  const step = acceptedStep({ secret, lastStep }, code, await tx.now());
  if (step === null) return false;
  await tx.manager.update(User, { id: user.id }, { totpLastStep: step });
  return true;
}

async function useRecoveryCode(tx: Tx, { id: userId }: User, code: string): Promise<boolean> {
  const usedAt = await tx.now();
  const unused = { userId, codeHash: recoveryCodeHash(code), usedAt: IsNull() };
  if (ifAuthentic(tx, RecoveryCode, await tx.manager.findOneBy(RecoveryCode, unused)) === null) return false;
  const { affected } = await tx.manager.update(RecoveryCode, unused, { usedAt });
  if (affected !== 1) return false;
  const left = await tx.manager.countBy(RecoveryCode, { userId, usedAt: IsNull() });
  await writeUserAudit(asUser(tx, userId), "user.recovery-code-used", userId, { left });
  return true;
}

/** App or recovery code; it is used up. The user's row must be locked. */
export async function checkCode(tx: Tx, user: User, code: string): Promise<boolean> {
  if (user.totpConfirmedAt === null) return false;
  return looksLikeTotp(code) ? useTotp(tx, user, code) : useRecoveryCode(tx, user, code);
}

/**
 * Nothing changes until a code of the new key is entered. `secret`: base32, for typing it in; `uri`: for a QR code.
 * @throws DomainError `already-enabled`
 */
export async function enrolTotp(
  ctx: CommandContext,
  userId: string,
): Promise<{ secret: string; uri: string }> {
  const secret = totpSecret(Uint8Array.from(ctx.randomBytes(TOTP_SECRET_BYTES)));
  return inTransaction(ctx, async (tx) => {
    const user = await lockedUser(tx.manager, userId);
    if (user.totpConfirmedAt !== null) throw alreadyEnabled();
    const totpSecretEncrypted = tx.secrets.encrypt(secret, totpSecretPlace(userId));
    await tx.manager.update(User, { id: userId }, { totpSecretEncrypted, totpLastStep: null });
    return { secret, uri: totpUri(secret, user.email) };
  });
}

function alreadyEnabled(): DomainError {
  return new DomainError("already-enabled", "An authenticator app is already set up.");
}

/**
 * From now on each login by password requires a code. Returns the recovery codes, shown only now.
 * @throws DomainError `validation-failed` at `/code`, `already-enabled`
 */
export async function confirmTotp(
  ctx: CommandContext,
  userId: string,
  code: string,
  sessionId: string | null = null,
): Promise<string[]> {
  const codes = await inTransaction(ctx, async (tx) => {
    const user = await lockedUser(tx.manager, userId);
    if (user.totpConfirmedAt !== null) throw alreadyEnabled();
    if (!(await useTotp(tx, user, code)))
      throw invalidField(
        "/code",
        "Wrong code. Enter the app's current code, and check the clock of its device.",
      );
    await changeAuthentic(tx, User, user, { totpConfirmedAt: await tx.now() });
    await withdrawProofs(tx, userId, sessionId);
    await writeUserAudit(tx, "user.totp-enabled", userId);
    return writeRecoveryCodes(tx, userId);
  });
  void mailFactorChange(ctx, userId, "totp-enabled");
  return codes;
}

/** The recovery codes become invalid too. Idempotent. */
export async function disableTotp(ctx: CommandContext, userId: string): Promise<void> {
  const wasEnabled = await inTransaction(ctx, async (tx) => {
    const user = await lockedUser(tx.manager, userId);
    await forgetTotp(tx, user);
    if (user.totpConfirmedAt === null) return false;
    await writeUserAudit(tx, "user.totp-disabled", userId);
    return true;
  });
  if (wasEnabled) void mailFactorChange(ctx, userId, "totp-disabled");
}

export async function forgetTotp(tx: Tx, user: User): Promise<void> {
  const nothing = { totpSecretEncrypted: null, totpConfirmedAt: null, totpLastStep: null };
  await changeAuthentic(tx, User, user, nothing);
  await tx.manager.delete(RecoveryCode, { userId: user.id });
}

/** Ten; the former ones become invalid. @throws DomainError `validation-failed` when logins require no code. */
export async function renewRecoveryCodes(ctx: CommandContext, userId: string): Promise<string[]> {
  const codes = await inTransaction(ctx, async (tx) => {
    const { totpConfirmedAt } = await lockedUser(tx.manager, userId);
    if (totpConfirmedAt === null)
      throw new DomainError(
        "validation-failed",
        "Recovery codes need an authenticator app. Set up the app first.",
      );
    await writeUserAudit(tx, "user.recovery-codes-made", userId);
    return writeRecoveryCodes(tx, userId);
  });
  void mailFactorChange(ctx, userId, "recovery-codes-made");
  return codes;
}

async function writeRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    recoveryCode(tx.randomBytes(RECOVERY_CODE_BYTES)),
  );
  await tx.manager.delete(RecoveryCode, { userId });
  const rows = codes.map((code) => ({ userId, codeHash: recoveryCodeHash(code), usedAt: null }));
  await insertAuthentic(tx, RecoveryCode, rows);
  return codes;
}
