import { IsNull } from "typeorm";
import type { Passkey } from "../entities/passkey";
import { RecoveryCode } from "../entities/recovery-code";
import { User } from "../entities/user";
import type { CommandContext } from "./context";
import { listPasskeys } from "./passkeys";

/** How somebody can come in. */
export interface AccountView {
  email: string;
  hasPassword: boolean;
  /** Logins by password ask for a code of the app. */
  totp: boolean;
  recoveryCodesLeft: number;
  passkeys: Passkey[];
}

export async function readAccount(ctx: CommandContext, userId: string): Promise<AccountView> {
  const { manager } = ctx.db;
  const { email, passwordHash, totpConfirmedAt } = await manager.findOneByOrFail(User, { id: userId });
  return {
    email,
    hasPassword: passwordHash !== null,
    totp: totpConfirmedAt !== null,
    recoveryCodesLeft: await manager.countBy(RecoveryCode, { userId, usedAt: IsNull() }),
    passkeys: await listPasskeys(ctx, userId),
  };
}
