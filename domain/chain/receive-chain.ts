import { createHmac } from "node:crypto";
import * as secp256k1 from "tiny-secp256k1";
import { bip32 } from "./curve";
import type { NetworkParams } from "./network-params";

/** What public keys of addresses are derived from: an account key's child 0 (BIP 44). */
interface ReceiveChain {
  /** 33 bytes. */
  publicKey: Uint8Array;
  /** The same point with its y, 65 bytes: to find that costs a root. */
  point: Uint8Array;
  chainCode: Uint8Array;
}

/** Parsing a key and deriving its receive chain costs more than an address: kept for the keys in use. */
const receiveChains = new Map<string, ReceiveChain>();
const RECEIVE_CHAINS_MAX = 1_000;

export function receiveChain(xpub: string, params: NetworkParams): ReceiveChain {
  const known = receiveChains.get(xpub);
  if (known !== undefined) return known;
  const node = bip32.fromBase58(xpub, params).derive(0);
  const { publicKey, chainCode } = node;
  const chain = { publicKey, point: secp256k1.pointCompress(publicKey, false), chainCode };
  // Money goes to what is derived here: the library has to say the same, once a key and process.
  if (Buffer.compare(node.derive(0).publicKey, childKey(chain, 0)) !== 0)
    throw new Error("a key was derived in two ways, and they differ");
  if (receiveChains.size >= RECEIVE_CHAINS_MAX) receiveChains.clear();
  receiveChains.set(xpub, chain);
  return chain;
}

/**
 * The compressed public key of an unhardened child (BIP 32, CKDpub), by our own code (docs/adr/0038). Its scalar's point
 * is added to the parent's: half the time of adding the scalar itself, for which the library has no table.
 */
export function childKey(chain: ReceiveChain, index: number): Uint8Array {
  const data = Buffer.alloc(37);
  data.set(chain.publicKey);
  data.writeUInt32BE(index, 33);
  const scalar = createHmac("sha512", chain.chainCode).update(data).digest().subarray(0, 32);
  const key = secp256k1.isPrivate(scalar) ? addMultiple(chain.point, scalar) : null;
  // One in 2^127: "the resulting key is invalid, and one should proceed with the next value".
  return key ?? childKey(chain, index + 1);
}

/** `point + scalar × G`, compressed; null for the point at infinity. The scalar is neither 0 nor n or more. */
export function addMultiple(point: Uint8Array, scalar: Uint8Array): Uint8Array | null {
  const multiple = secp256k1.pointFromScalar(scalar, false);
  return multiple && secp256k1.pointAdd(point, multiple, true);
}
