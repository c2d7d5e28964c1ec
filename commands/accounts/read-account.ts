import { IsNull, MoreThan } from "typeorm";
import { timeOfStep } from "../../domain/account/totp";
import { RecoveryCode } from "../../entities/recovery-code";
import { User } from "../../entities/user";
import { UserLink } from "../../entities/user-link";
import type { CommandContext } from "../context";
import { listPasskeys } from "./passkeys";
import { readMadeKeys } from "./queries";

export type AccountView = Awaited<ReturnType<typeof readAccount>>;

export async function readAccount(ctx: CommandContext, userId: string) {
  const { manager } = ctx.db;
  const user = await manager.findOneByOrFail(User, { id: userId });
  const { email, passwordHash, totpConfirmedAt, totpLastStep } = user;
  const open = { userId, usedAt: IsNull(), expiresAt: MoreThan(await ctx.now(manager)) };
  return {
    email,
    hasPassword: passwordHash !== null,
    totp: totpConfirmedAt !== null,
    /** Accurate to half a minute. */
    totpLastUsedAt: totpConfirmedAt === null || totpLastStep === null ? null : timeOfStep(totpLastStep),
    openLinks: await manager.countBy(UserLink, open),
    recoveryCodesLeft: await manager.countBy(RecoveryCode, { userId, usedAt: IsNull() }),
    passkeys: await listPasskeys(ctx, userId),
    /** In any store, the last used first; at most as many as a person can read. */
    apiKeys: (await readMadeKeys(manager, userId)).rows,
  };
}
