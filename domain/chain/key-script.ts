import { bech32, bech32m } from "bech32";
import { crypto } from "bitcoinjs-lib";
import bs58check from "bs58check";
import type { NetworkParams } from "./network-params";
import { addMultiple } from "./receive-chain";
import type { ScriptType } from "./script-type";

export interface KeyScript {
  address: string;
  scriptPubKey: Buffer;
}

const OP_0 = 0x00;
const OP_1 = 0x51;
const OP_DUP = 0x76;
const OP_EQUAL = 0x87;
const OP_EQUALVERIFY = 0x88;
const OP_HASH160 = 0xa9;
const OP_CHECKSIG = 0xac;

/**
 * The script of a compressed public key and its address (BIP 44, 49, 84, 86), as bitcoinjs-lib's `payments` make them,
 * without their checks of what we have just made: they take ten times as long (docs/adr/0038).
 */
export function keyScript(publicKey: Uint8Array, scriptType: ScriptType, params: NetworkParams): KeyScript {
  switch (scriptType) {
    case "wpkh": {
      const scriptPubKey = witnessOfKey(publicKey);
      return { address: segwit(bech32, 0, scriptPubKey, params), scriptPubKey };
    }
    case "tr": {
      const scriptPubKey = script([OP_1, 32], outputKey(publicKey.subarray(1)), []);
      return { address: segwit(bech32m, 1, scriptPubKey, params), scriptPubKey };
    }
    case "sh-wpkh": {
      const hash = crypto.hash160(witnessOfKey(publicKey));
      return {
        address: base58(params.scriptHash, hash),
        scriptPubKey: script([OP_HASH160, 20], hash, [OP_EQUAL]),
      };
    }
    case "pkh": {
      const hash = crypto.hash160(publicKey);
      return {
        address: base58(params.pubKeyHash, hash),
        scriptPubKey: script([OP_DUP, OP_HASH160, 20], hash, [OP_EQUALVERIFY, OP_CHECKSIG]),
      };
    }
  }
}

function script(before: readonly number[], data: Uint8Array, after: readonly number[]): Buffer {
  return Buffer.from([...before, ...data, ...after]);
}

/** BIP 141: version 0, and the hash of the key. */
function witnessOfKey(publicKey: Uint8Array): Buffer {
  return script([OP_0, 20], crypto.hash160(publicKey), []);
}

/** BIP 341 for a key without scripts: of the two points with this x that with the even y, tweaked by its own hash. */
function outputKey(x: Uint8Array): Uint8Array {
  const tweaked = addMultiple(Uint8Array.of(0x02, ...x), crypto.taggedHash("TapTweak", x));
  if (tweaked === null) throw new Error("the key has no output key");
  return tweaked.subarray(1);
}

/** BIP 173 and 350. */
function segwit(codec: typeof bech32, version: number, scriptPubKey: Buffer, params: NetworkParams): string {
  return codec.encode(params.bech32, [version, ...codec.toWords(scriptPubKey.subarray(2))]);
}

function base58(version: number, hash: Uint8Array): string {
  return bs58check.encode(Uint8Array.of(version, ...hash));
}
