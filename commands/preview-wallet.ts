import { parseAccountKey, type AccountKeyInput } from "../domain/chain/account-key";
import { deriveAddress } from "../domain/chain/derive-address";
import type { ScriptType } from "../domain/chain/script-type";
import type { CommandContext } from "./context";

const INDEX_END = 0x8000_0000;

export interface WalletPreview {
  scriptType: ScriptType;
  /** `path` goes from the account key. */
  addresses: { index: number; path: string; address: string }[];
}

/**
 * The addresses that a key would give, for a person to compare with the wallet's own. Nothing is kept.
 * @throws DomainError `validation-failed` at the field that is wrong (its text never holds the key).
 */
export function previewWallet(
  { settings: { network } }: CommandContext,
  { startIndex, count, ...input }: AccountKeyInput & { startIndex: number; count: number },
): WalletPreview {
  const key = parseAccountKey(input, network);
  const indexes = Array.from({ length: Math.min(count, INDEX_END - startIndex) }, (_, at) => startIndex + at);
  const addresses = indexes.map((index) => {
    const { path, address } = deriveAddress(key, index, network);
    return { index, path, address };
  });
  return { scriptType: key.scriptType, addresses };
}
