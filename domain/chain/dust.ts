import type { TxOutput } from "./decode-tx";
import type { ScriptType } from "../wallet/script-type";

const OP_0 = 0x00;
const OP_1 = 0x51;
const OP_16 = 0x60;
const OP_RETURN = 0x6a;
const SCRIPT_BYTES_MAX = 10_000;
/** Bitcoin Core's `-dustrelayfee` default, 3,000 sats per 1,000 vbytes. */
const DUST_SATS_PER_VBYTE = 3n;

/**
 * The smallest output in sats that nodes relay, as in Bitcoin Core's GetDustThreshold: the cost of creating and
 * spending the output. p2wpkh 294, p2tr and p2wsh 330, p2sh 540, p2pkh 546.
 */
export function dustLimitSats(scriptPubKey: Uint8Array): bigint {
  if (scriptPubKey[0] === OP_RETURN || scriptPubKey.length > SCRIPT_BYTES_MAX) return 0n;
  const lengthBytes = scriptPubKey.length < 253 ? 1 : 3;
  const outputBytes = 8 + lengthBytes + scriptPubKey.length;
  // The input that spends it: outpoint, script length and sequence, and a signature with its key (in vbytes).
  const inputVbytes = 32 + 4 + 1 + (isWitnessProgram(scriptPubKey) ? Math.floor(107 / 4) : 107) + 4;
  return DUST_SATS_PER_VBYTE * BigInt(outputBytes + inputVbytes);
}

export function isDust({ valueSats, scriptPubKey }: TxOutput): boolean {
  return valueSats < dustLimitSats(scriptPubKey);
}

/** BIP 141: a version opcode and one push of 2 to 40 bytes. */
function isWitnessProgram(script: Uint8Array): boolean {
  const [version = OP_RETURN, pushBytes] = script;
  const isVersion = version === OP_0 || (version >= OP_1 && version <= OP_16);
  return isVersion && script.length >= 4 && script.length <= 42 && pushBytes === script.length - 2;
}

/** The scripts' lengths by the wallet's type: the limit depends on nothing else. */
const SCRIPTS: Readonly<Record<ScriptType, Uint8Array>> = {
  wpkh: script(OP_0, 20),
  tr: script(OP_1, 32),
  "sh-wpkh": new Uint8Array(23),
  pkh: new Uint8Array(25),
};

function script(version: number, pushBytes: number): Uint8Array {
  return Uint8Array.from([version, pushBytes, ...new Uint8Array(pushBytes)]);
}

/** The dust limit of an address of ours, by its first characters: its type alone decides it. */
function addressDustLimitSats(address: string): bigint {
  const [, version] = /^(?:bc|tb|bcrt)1(q|p)/i.exec(address) ?? [];
  if (version !== undefined) return walletDustLimitSats(version.toLowerCase() === "q" ? "wpkh" : "tr");
  return walletDustLimitSats(/^[23]/.test(address) ? "sh-wpkh" : "pkh");
}

/** The sum to ask for at an address: nodes relay no payment of a remainder that is below its dust limit. */
export function askedOnchainSats(address: string, remainingSats: bigint): bigint {
  const least = addressDustLimitSats(address);
  return remainingSats > 0n && remainingSats < least ? least : remainingSats;
}

/** The dust limit of every address of such a wallet. */
export function walletDustLimitSats(scriptType: ScriptType): bigint {
  return dustLimitSats(SCRIPTS[scriptType]);
}
