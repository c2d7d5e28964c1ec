import type { BIP32Interface } from "bip32";
import { payments, type Payment } from "bitcoinjs-lib";
import type { Network } from "../network";
import { bip32 } from "./curve";
import { networkParams, type NetworkParams } from "./network-params";
import type { ScriptType } from "./script-type";

export interface DerivedAddress {
  address: string;
  scriptPubKey: Buffer;
  /** Below the account key: `0/index`. */
  path: string;
}

/** Parsing a key and deriving its receive chain costs more than an address: kept for the keys in use. */
const receiveChains = new Map<string, BIP32Interface>();
const RECEIVE_CHAINS_MAX = 1_000;

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
  const { publicKey } = receiveChain(account.xpub, params).derive(index);
  const { address, output } = paymentOf(account.scriptType, publicKey, params);
  if (address === undefined || output === undefined) throw new Error("the key gave no address");
  return { address, scriptPubKey: Buffer.from(output), path: `0/${index}` };
}

function receiveChain(xpub: string, params: NetworkParams): BIP32Interface {
  const known = receiveChains.get(xpub);
  if (known !== undefined) return known;
  const chain = bip32.fromBase58(xpub, params).derive(0);
  if (receiveChains.size >= RECEIVE_CHAINS_MAX) receiveChains.clear();
  receiveChains.set(xpub, chain);
  return chain;
}

function paymentOf(scriptType: ScriptType, pubkey: Uint8Array, network: NetworkParams): Payment {
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
