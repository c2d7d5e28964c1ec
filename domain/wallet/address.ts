import { address as codec } from "bitcoinjs-lib";
import type { Network } from "../network";
import "./curve";
import { networkParams } from "./network-params";

/** BIP 173; base58 has 35, and the library reads base58 of any length in quadratic time. */
const ADDRESS_MAX_LENGTH = 90;
const OP_2 = 0x52;
const OP_16 = 0x60;

/** Null if it is not an address of this network or is of a witness version ≥ 2. */
export function scriptOfAddress(address: string, network: Network): Buffer | null {
  if (address.length > ADDRESS_MAX_LENGTH || isFutureSegwit(address)) return null;
  try {
    return Buffer.from(codec.toOutputScript(address, networkParams(network)));
  } catch {
    return null;
  }
}

/** Null if it has none (OP_RETURN, bare multisig, witness version ≥ 2, …). */
export function addressOfScript(scriptPubKey: Uint8Array, network: Network): string | null {
  const [version = 0] = scriptPubKey;
  if (version >= OP_2 && version <= OP_16) return null;
  try {
    return codec.fromOutputScript(scriptPubKey, networkParams(network));
  } catch {
    return null;
  }
}

/** The library accepts them and prints a warning to the console. */
function isFutureSegwit(address: string): boolean {
  try {
    return codec.fromBech32(address).version >= 2;
  } catch {
    return false;
  }
}
