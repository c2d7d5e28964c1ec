import { IsNull, MoreThan } from "typeorm";
import { timeOfStep } from "../../domain/account/totp";
import type { Passkey } from "../../entities/passkey";
import { RecoveryCode } from "../../entities/recovery-code";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import type { CommandContext } from "../context";
import { listPasskeys } from "./passkeys";
import { type MadeKey, readMadeKeys } from "./queries";

export interface AccountView {
  email: string;
  hasPassword: boolean;
  totp: boolean;
  recoveryCodesLeft: number;
  /** Accurate to half a minute. */
  totpLastUsedAt: Date | null;
  openLinks: number;
  passkeys: Passkey[];
  /** In any store, the last used first; at most as many as a person can read. */
  apiKeys: MadeKey[];
}

export async function readAccount(ctx: CommandContext, userId: string): Promise<AccountView> {
  const { manager } = ctx.db;
  const user = await manager.findOneByOrFail(User, { id: userId });
  const { email, passwordHash, totpConfirmedAt, totpLastStep } = user;
  const open = { userId, usedAt: IsNull(), expiresAt: MoreThan(await ctx.now(manager)) };
  return {
    email,
    hasPassword: passwordHash !== null,
    totp: totpConfirmedAt !== null,
    totpLastUsedAt: totpConfirmedAt === null || totpLastStep === null ? null : timeOfStep(totpLastStep),
    openLinks: await manager.countBy(UserLink, open),
    recoveryCodesLeft: await manager.countBy(RecoveryCode, { userId, usedAt: IsNull() }),
    passkeys: await listPasskeys(ctx, userId),
    apiKeys: (await readMadeKeys(manager, userId)).rows,
  };
}
