import type { EntityManager } from "typeorm";
import { hasSecondFactor, type Factors } from "../../domain/account/fresh-proof";
import { Passkey } from "../../entities/passkey";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import type { CommandContext } from "../context";
import type { Asker } from "../stores/store-access";

export async function readFactors(
  manager: EntityManager,
  { id: userId, passwordHash, totpConfirmedAt }: User,
): Promise<Factors> {
  return {
    password: passwordHash !== null,
    totp: totpConfirmedAt !== null,
    passkey: await manager.existsBy(Passkey, { userId }),
  };
}

/** The server may require one of store owners and admins. */
export async function owesSecondFactor(
  { db: { manager }, settings }: CommandContext,
  { userId, admin }: Asker,
): Promise<boolean> {
  if (!settings.requireSecondFactor) return false;
  if (!admin && !(await manager.existsBy(StoreMember, { userId, role: "owner" }))) return false;
  const user = await manager.findOneByOrFail(User, { id: userId });
  return !hasSecondFactor(await readFactors(manager, user));
}
