import type { EntityManager } from "typeorm";
import { readUse, type WalletUse } from "./queries";

/** By default, when a wallet is restored (BIP 44, "Address gap limit"). */
export const GAP_LIMIT = 20;

/** By default: what was paid before is not found. */
const LOOK_BACK = 10_000;

/** For one wallet, or for all. */
export async function readWalletUse(
  manager: EntityManager,
  { walletId = null, lookBack = LOOK_BACK }: { walletId?: string | null; lookBack?: number } = {},
): Promise<WalletUse[]> {
  return (await readUse(manager, walletId, lookBack)).rows;
}
