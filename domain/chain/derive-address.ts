import type { Network } from "../network";
import { keyScript, type KeyScript } from "./key-script";
import { networkParams } from "./network-params";
import { childKey, receiveChain } from "./receive-chain";
import type { ScriptType } from "./script-type";

export interface DerivedAddress extends KeyScript {
  /** Below the account key: `0/index`. */
  path: string;
}

/**
 * The receive address at `index` of an account (BIP 44, 49, 84 and 86), 0 ≤ index < 2^31.
 * @throws RangeError for an index that is no unhardened child.
 */
export function deriveAddress(
  account: { xpub: string; scriptType: ScriptType },
  index: number,
  network: Network,
): DerivedAddress {
  if (!Number.isInteger(index) || index < 0 || index >= 0x8000_0000) {
    throw new RangeError(`address index ${index} is out of range`);
  }
  const params = networkParams(network);
  const publicKey = childKey(receiveChain(account.xpub, params), index);
  return { ...keyScript(publicKey, account.scriptType, params), path: `0/${index}` };
}
