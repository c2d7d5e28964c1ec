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
import { changeAuthentic, ifAuthentic, insertAuthentic } from "./authentic-rows";
import { withdrawProofs } from "./end-sessions";
import { mailFactorChange } from "./mail-factor-change";
import { totpSecretPlace } from "../server/sealed-places";
import { asUser } from "./session";
import { writeAudit } from "../server/write-audit";

/** Shown until its first code has been entered. */
export interface TotpEnrolment {
  /** Base32, for typing it in. */
  secret: string;
  /** `otpauth://totp/…`, for a QR code. */
  uri: string;
}

async function lockedUser(manager: EntityManager, userId: string): Promise<User> {
  const user = await manager.findOne(User, { where: { id: userId }, lock: { mode: "pessimistic_write" } });
  if (user === null) throw new DomainError("user-not-found", "User not found.");
  return user;
}

/** The user's row must be locked, so that simultaneous uses are serialised. */
async function useTotp(
  manager: EntityManager,
  ctx: CommandContext,
  user: User,
  code: string,
): Promise<boolean> {
  const { totpSecretEncrypted, totpLastStep: lastStep } = user;
  if (totpSecretEncrypted === null) return false;
  const secret = ctx.secrets.decrypt(totpSecretEncrypted, totpSecretPlace(user.id));
  const step = acceptedStep({ secret, lastStep }, code, await ctx.now(manager));
  if (step === null) return false;
  await manager.update(User, { id: user.id }, { totpLastStep: step });
  return true;
}

async function useRecoveryCode(
  manager: EntityManager,
  ctx: CommandContext,
  { id: userId }: User,
  code: string,
): Promise<boolean> {
  const usedAt = await ctx.now(manager);
  const unused = { userId, codeHash: recoveryCodeHash(code), usedAt: IsNull() };
  if (ifAuthentic(ctx, RecoveryCode, await manager.findOneBy(RecoveryCode, unused)) === null) return false;
  const { affected } = await manager.update(RecoveryCode, unused, { usedAt });
  if (affected !== 1) return false;
  const left = await manager.countBy(RecoveryCode, { userId, usedAt: IsNull() });
  await writeAudit(manager, asUser(ctx, userId), {
    action: "user.recovery-code-used",
    storeId: null,
    subject: userId,
    details: { left },
  });
  return true;
}

/** App or recovery code; it is used up. The user's row must be locked. */
export async function checkCode(
  manager: EntityManager,
  ctx: CommandContext,
  user: User,
  code: string,
): Promise<boolean> {
  if (user.totpConfirmedAt === null) return false;
  return looksLikeTotp(code) ? useTotp(manager, ctx, user, code) : useRecoveryCode(manager, ctx, user, code);
}

/** Nothing changes until a code of the new key is entered. @throws DomainError `already-enabled` */
export async function enrolTotp(ctx: CommandContext, userId: string): Promise<TotpEnrolment> {
  const secret = totpSecret(Uint8Array.from(ctx.randomBytes(TOTP_SECRET_BYTES)));
  return ctx.db.transaction(async (manager) => {
    const user = await lockedUser(manager, userId);
    if (user.totpConfirmedAt !== null) throw alreadyEnabled();
    const totpSecretEncrypted = ctx.secrets.encrypt(secret, totpSecretPlace(userId));
    await manager.update(User, { id: userId }, { totpSecretEncrypted, totpLastStep: null });
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
  const codes = await ctx.db.transaction(async (manager) => {
    const user = await lockedUser(manager, userId);
    if (user.totpConfirmedAt !== null) throw alreadyEnabled();
    if (!(await useTotp(manager, ctx, user, code)))
      throw invalidField(
        "/code",
        "Wrong code. Enter the app's current code, and check the clock of its device.",
      );
    await changeAuthentic(manager, ctx, User, user, { totpConfirmedAt: await ctx.now(manager) });
    await withdrawProofs(manager, ctx, userId, sessionId);
    await writeAudit(manager, ctx, { action: "user.totp-enabled", storeId: null, subject: userId });
    return writeRecoveryCodes(manager, ctx, userId);
  });
  void mailFactorChange(ctx, userId, "totp-enabled");
  return codes;
}

/** The recovery codes become invalid too. Idempotent. */
export async function disableTotp(ctx: CommandContext, userId: string): Promise<void> {
  const wasEnabled = await ctx.db.transaction(async (manager) => {
    const user = await lockedUser(manager, userId);
    await forgetTotp(manager, ctx, user);
    if (user.totpConfirmedAt === null) return false;
    await writeAudit(manager, ctx, { action: "user.totp-disabled", storeId: null, subject: userId });
    return true;
  });
  if (wasEnabled) void mailFactorChange(ctx, userId, "totp-disabled");
}

export async function forgetTotp(manager: EntityManager, ctx: CommandContext, user: User): Promise<void> {
  const nothing = { totpSecretEncrypted: null, totpConfirmedAt: null, totpLastStep: null };
  await changeAuthentic(manager, ctx, User, user, nothing);
  await manager.delete(RecoveryCode, { userId: user.id });
}

/** Ten; the former ones become invalid. @throws DomainError `validation-failed` when logins require no code. */
export async function renewRecoveryCodes(ctx: CommandContext, userId: string): Promise<string[]> {
  const codes = await ctx.db.transaction(async (manager) => {
    const { totpConfirmedAt } = await lockedUser(manager, userId);
    if (totpConfirmedAt === null)
      throw new DomainError(
        "validation-failed",
        "Recovery codes need an authenticator app. Set up the app first.",
      );
    await writeAudit(manager, ctx, { action: "user.recovery-codes-made", storeId: null, subject: userId });
    return writeRecoveryCodes(manager, ctx, userId);
  });
  void mailFactorChange(ctx, userId, "recovery-codes-made");
  return codes;
}

async function writeRecoveryCodes(
  manager: EntityManager,
  ctx: CommandContext,
  userId: string,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    recoveryCode(ctx.randomBytes(RECOVERY_CODE_BYTES)),
  );
  await manager.delete(RecoveryCode, { userId });
  const rows = codes.map((code) => ({ userId, codeHash: recoveryCodeHash(code), usedAt: null }));
  await insertAuthentic(manager, ctx, RecoveryCode, rows);
  return codes;
}
