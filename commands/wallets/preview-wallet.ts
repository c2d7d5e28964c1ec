import { setImmediate } from "node:timers/promises";
import { parseAccountKey, type AccountKeyInput } from "../../domain/wallet/account-key";
import { ADDRESS_INDEX_MAX } from "../../domain/wallet/address-index";
import { addressesOf } from "../../domain/wallet/derive-address";
import type { CommandContext } from "../context";

/**
 * For a person to compare. Nothing is stored.
 * @throws DomainError `validation-failed` at the field that is wrong (its text never holds the key).
 */
export async function previewWallet(
  { settings: { network } }: CommandContext,
  { startIndex, count, ...input }: AccountKeyInput & { startIndex: number; count: number },
) {
  const key = parseAccountKey(input, network);
  const length = Math.min(count, ADDRESS_INDEX_MAX + 1 - startIndex);
  const addressAt = addressesOf(key, network);
  const addresses: { index: number; path: string; address: string }[] = [];
  for (let index = startIndex; index < startIndex + length; index += 1) {
    const { path, address } = addressAt(index);
    addresses.push({ index, path, address });
    await setImmediate(); // other requests do not wait for all of them
  }
  const { scriptType, fingerprint, origin = null } = key;
  return { scriptType, fingerprint, origin, addresses };
}
