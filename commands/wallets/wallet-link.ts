import type { EntityManager } from "typeorm";
import type { Wallet } from "../../entities/wallet";
import type { SecretsPort } from "../ports";
import { xpubPlace } from "../server/sealed-places";
import { readLink, type WalletLink } from "./queries";

export interface OpenedWallet extends Pick<Wallet, "id" | "scriptType"> {
  xpub: string;
}

export function linkFields(storeId: string, { id, scriptType, xpub }: OpenedWallet): string[] {
  return ["store-wallet", storeId, id, scriptType, xpub];
}

/** Null for a key that this service did not store there. */
export function openXpub(
  secrets: SecretsPort,
  { id, xpubEncrypted }: Pick<Wallet, "id" | "xpubEncrypted">,
): string | null {
  try {
    return secrets.decrypt(xpubEncrypted, xpubPlace(id));
  } catch {
    return null;
  }
}

/** Null when this service did not link this wallet, or key, to the store. */
export function openWallet(secrets: SecretsPort, link: WalletLink): OpenedWallet | null {
  const { storeId, mac, id, scriptType, xpubEncrypted } = link;
  if (id === null || scriptType === null || xpubEncrypted === null) return null;
  const xpub = openXpub(secrets, { id, xpubEncrypted });
  if (xpub === null) return null;
  const wallet = { id, scriptType, xpub };
  return secrets.macMatches(mac, linkFields(storeId, wallet)) ? wallet : null;
}

export async function readWalletLink(manager: EntityManager, storeId: string): Promise<WalletLink | null> {
  const [link] = (await readLink(manager, storeId)).rows;
  return link ?? null;
}
