import { type Payment, payments } from "bitcoinjs-lib";
import type { Network } from "../network";
import { bip32 } from "./curve";
import { type NetworkParams, networkParams } from "./network-params";
import type { ScriptType } from "./script-type";

export interface DerivedAddress {
  address: string;
  scriptPubKey: Buffer;
  /** Below the account key: `0/index`. */
  path: string;
}

/** As xpub or tpub. */
export interface Account {
  xpub: string;
  scriptType: ScriptType;
}

/**
 * BIP 44, 49, 84 and 86: external chain, 0 ≤ index < 2^31. Parsing the key costs as much as deriving: keep
 * the function.
 * @throws RangeError for another index.
 */
export function addressesOf(
  { xpub, scriptType }: Account,
  network: Network,
): (index: number) => DerivedAddress {
  const params = networkParams(network);
  const externalChain = bip32.fromBase58(xpub, params).derive(0);
  return (index) => {
    if (!Number.isInteger(index) || index < 0 || index >= 0x8000_0000)
      throw new RangeError(`address index ${index} is out of range`);
    const { address, output } = paymentOf(externalChain.derive(index).publicKey, scriptType, params);
    if (address === undefined || output === undefined) throw new Error("the key has no address");
    return { address, scriptPubKey: Buffer.from(output), path: `0/${index}` };
  };
}

function paymentOf(pubkey: Uint8Array, scriptType: ScriptType, network: NetworkParams): Payment {
  switch (scriptType) {
    case "wpkh":
      return payments.p2wpkh({ pubkey, network });
    case "tr":
      return payments.p2tr({ internalPubkey: pubkey.subarray(1), network });
    case "sh-wpkh":
      return payments.p2sh({ redeem: payments.p2wpkh({ pubkey, network }), network });
    case "pkh":
      return payments.p2pkh({ pubkey, network });
  }
}
