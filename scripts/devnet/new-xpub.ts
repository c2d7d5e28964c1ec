import { randomBytes } from "node:crypto";
import type { Network } from "../../domain/network";
import { bip32 } from "../../domain/wallet/curve";
import { networkParams } from "../../domain/wallet/network-params";

/** The account key of a wallet without an owner: whatever is paid to it is lost. */
export function newXpub(network: Network = "regtest"): string {
  const root = bip32.fromSeed(randomBytes(32), networkParams(network));
  return root.derivePath("m/84'/1'/0'").neutered().toBase58();
}
