import { createHash } from "node:crypto";
import * as secp256k1 from "tiny-secp256k1";
import { bech32 } from "bech32";
import { bytesToWords, integerToWords, wordsToPaddedBytes } from "../../../domain/lightning/bech32-words";
import type { RouteHop } from "../../../domain/lightning/decode-bolt11";

/** What goes into a BOLT 11 text. Hashes and secrets are 32 bytes. */
export interface Bolt11Fields {
  /** `lnbcrt` and the like. */
  prefix: string;
  amountMsat: bigint | null;
  timestampSeconds: number;
  expirySeconds: number;
  paymentHash: Buffer;
  paymentSecret: Buffer;
  /** A text, or the hash of one. */
  description: string | { hash: Buffer };
  minFinalCltvExpiryDelta: number;
  features: readonly number[];
  routeHints?: readonly (readonly RouteHop[])[];
  /** Names the payee, instead of leaving it to the signature. */
  nameThePayee?: boolean;
}

const LONGEST = 7_089;
/** A bitcoin in millisatoshis, and the fraction of each letter. */
const UNITS = [
  ["", 100_000_000_000n],
  ["m", 100_000_000n],
  ["u", 100_000n],
  ["n", 100n],
] as const;

export function encodeBolt11(fields: Bolt11Fields, privateKey: Buffer): string {
  const prefix = fields.prefix + (fields.amountMsat === null ? "" : shortestAmount(fields.amountMsat));
  const { description } = fields;
  const tagged = [
    ...tag(1, bytesToWords(fields.paymentHash)),
    ...tag(16, bytesToWords(fields.paymentSecret)),
    ...(typeof description === "string"
      ? tag(13, bytesToWords(Buffer.from(description)))
      : tag(23, bytesToWords(description.hash))),
    ...tag(6, integerToWords(BigInt(fields.expirySeconds))),
    ...tag(24, integerToWords(BigInt(fields.minFinalCltvExpiryDelta))),
    ...(fields.routeHints ?? []).flatMap((route) => tag(3, bytesToWords(Buffer.concat(route.map(hopBytes))))),
    ...tag(5, integerToWords(fields.features.reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n))),
    ...(fields.nameThePayee
      ? tag(19, bytesToWords(secp256k1.pointFromScalar(privateKey, true) ?? new Uint8Array()))
      : []),
  ];
  const words = [...integerToWords(BigInt(fields.timestampSeconds), 7), ...tagged];
  const message = Buffer.concat([Buffer.from(prefix), wordsToPaddedBytes(words)]);
  const hash = createHash("sha256").update(message).digest();
  const { signature, recoveryId } = secp256k1.signRecoverable(hash, privateKey);
  return bech32.encode(prefix, [...words, ...bytesToWords(Buffer.from([...signature, recoveryId]))], LONGEST);
}

function shortestAmount(msat: bigint): string {
  const unit = UNITS.find(([, size]) => msat % size === 0n);
  return unit ? `${msat / unit[1]}${unit[0]}` : `${msat * 10n}p`;
}

function tag(type: number, words: readonly number[]): number[] {
  return [type, ...integerToWords(BigInt(words.length), 2), ...words];
}

function hopBytes(hop: RouteHop): Buffer {
  const numbers = Buffer.alloc(10);
  numbers.writeUInt32BE(hop.feeBaseMsat, 0);
  numbers.writeUInt32BE(hop.feeProportionalMillionths, 4);
  numbers.writeUInt16BE(hop.cltvExpiryDelta, 8);
  return Buffer.concat([Buffer.from(hop.nodeKey, "hex"), Buffer.from(hop.shortChannelId, "hex"), numbers]);
}
