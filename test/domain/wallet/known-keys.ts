import { pbkdf2Sync } from "node:crypto";
import { bip32 } from "../../../domain/wallet/curve";
import { networkParams } from "../../../domain/wallet/network-params";
import type { Network } from "../../../domain/network";

/** The seed words that the test vectors of BIP 49, 84 and 86 start from. */
export const KNOWN_WORDS =
  "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

/** A node of the wallet that those words make (BIP 39), in plain xpub or tpub form. */
export function knownNode(path: string, network: Network) {
  const seed = pbkdf2Sync(KNOWN_WORDS, "mnemonic", 2048, 64, "sha512");
  const master = bip32.fromSeed(seed, networkParams(network));
  return path === "m" ? master : master.derivePath(path);
}

export function knownXpub(path: string, network: Network): string {
  return knownNode(path, network).neutered().toBase58();
}
