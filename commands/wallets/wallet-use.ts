import type { EntityManager } from "typeorm";
import { readUse, type WalletUse } from "./queries";

/** What wallets look ahead by default when they are restored (BIP 44, "Address gap limit"). */
export const GAP_LIMIT = 20;

/** Addresses that are read by default: of a wallet with more unpaid ones in a row, no more are counted. */
const LOOK_BACK = 10_000;

/** Of one wallet, or of all. */
export async function readWalletUse(
  manager: EntityManager,
  { walletId = null, lookBack = LOOK_BACK }: { walletId?: string | null; lookBack?: number } = {},
): Promise<WalletUse[]> {
  return (await readUse(manager, walletId, lookBack)).rows;
}
