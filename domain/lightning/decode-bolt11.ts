import * as secp256k1 from "tiny-secp256k1";
import { bech32 } from "bech32";
import { createHash } from "node:crypto";
import type { Network } from "../network";
import { wordsToBytes, wordsToInteger, wordsToPaddedBytes } from "./bech32-words";
import { featureBits, featureProblem } from "./bolt11-features";

export class Bolt11Error extends Error {
  override readonly name = "Bolt11Error";
}

/** A channel of a route to a payee without public ones. */
export interface RouteHop {
  /** Compressed key of the node at the channel's start, hex. */
  nodeKey: string;
  /** block × transaction × output, as BOLT 7 packs it: hex of 8 bytes. */
  shortChannelId: string;
  feeBaseMsat: number;
  feeProportionalMillionths: number;
  cltvExpiryDelta: number;
}

/** Keys, hashes and secrets are hex. */
export interface DecodedBolt11 {
  /** All testnets share a prefix (`lntb`); it is read as testnet4. */
  network: Network;
  /** Null when the payer may choose. */
  amountMsat: bigint | null;
  /** Unix seconds. */
  timestampSeconds: number;
  expirySeconds: number;
  paymentHash: string;
  paymentSecret: string;
  description: string | null;
  /** SHA-256 of a description that is given elsewhere. */
  descriptionHash: string | null;
  /** Named by the invoice, else the key that signed it. */
  payeeKey: string;
  minFinalCltvExpiryDelta: number;
  /** Set bits, rising. */
  features: readonly number[];
  routeHints: readonly (readonly RouteHop[])[];
}

const NETWORK_OF: Readonly<Record<string, Network>> = {
  bc: "mainnet",
  tb: "testnet4",
  tbs: "signet",
  bcrt: "regtest",
};
const READABLE_PART = /^ln(bcrt|bc|tbs|tb)(?:([1-9]\d*)([munp]?))?$/;
/** In tenths of a millisatoshi, which is a pico-bitcoin. */
const TENTHS_OF = { "": 10n ** 12n, m: 10n ** 9n, u: 10n ** 6n, n: 1_000n, p: 1n } as const;
/** A QR code's capacity: no wallet creates a longer one. */
const MAX_LENGTH = 7_089;
const TIMESTAMP_WORDS = 7;
const SIGNATURE_WORDS = 104;
const HASH_WORDS = 52;
const KEY_WORDS = 53;
const HOP_BYTES = 51;
const DEFAULT_EXPIRY_SECONDS = 3_600n;
const DEFAULT_MIN_FINAL_CLTV = 18n;
const FIELD = { p: 1, r: 3, features: 5, x: 6, d: 13, s: 16, n: 19, h: 23, c: 24 } as const;

/**
 * Skips fallback addresses, metadata and unknown fields. `lightning:` is not part of the text. The caller
 * checks the expiry, by its own clock.
 * @throws Bolt11Error
 */
export function decodeBolt11(text: string): DecodedBolt11 {
  const { prefix, words } = decodeBech32(text);
  const { network, amountMsat } = readReadablePart(prefix);
  if (words.length < TIMESTAMP_WORDS + SIGNATURE_WORDS) throw new Bolt11Error("The text is too short.");
  const signed = words.slice(0, -SIGNATURE_WORDS);
  const fields = readFields(signed.slice(TIMESTAMP_WORDS));
  const first = (type: number, length?: number): readonly number[] | undefined =>
    fields.find((field) => field.type === type && (length === undefined || field.words.length === length))
      ?.words;
  const hexOf = (type: number, length: number): string | null => {
    const found = first(type, length);
    return found ? wordsToBytes(found).toString("hex") : null;
  };
  const paymentHash = hexOf(FIELD.p, HASH_WORDS);
  if (paymentHash === null) throw new Bolt11Error("The payment hash is missing.");
  const paymentSecret = hexOf(FIELD.s, HASH_WORDS);
  if (paymentSecret === null) throw new Bolt11Error("The payment secret is missing.");
  const features = featureBits(first(FIELD.features) ?? []);
  const problem = featureProblem(features);
  if (problem !== null) throw new Bolt11Error(`The invoice cannot be paid: ${problem}.`);
  const message = Buffer.concat([Buffer.from(prefix), wordsToPaddedBytes(signed)]);
  const signature = wordsToBytes(words.slice(-SIGNATURE_WORDS));
  const description = first(FIELD.d);
  const expiry = first(FIELD.x);
  const minFinalCltv = first(FIELD.c);
  return {
    network,
    amountMsat,
    timestampSeconds: Number(wordsToInteger(words.slice(0, TIMESTAMP_WORDS))),
    expirySeconds: small(expiry ? wordsToInteger(expiry) : DEFAULT_EXPIRY_SECONDS),
    paymentHash,
    paymentSecret,
    description: description ? wordsToBytes(description).toString("utf8") : null,
    descriptionHash: hexOf(FIELD.h, HASH_WORDS),
    payeeKey: payeeOf(message, signature, hexOf(FIELD.n, KEY_WORDS)),
    minFinalCltvExpiryDelta: small(minFinalCltv ? wordsToInteger(minFinalCltv) : DEFAULT_MIN_FINAL_CLTV),
    features,
    routeHints: fields.filter(({ type }) => type === FIELD.r).map((field) => readRoute(field.words)),
  };
}

function decodeBech32(text: string): { prefix: string; words: number[] } {
  try {
    return bech32.decode(text, MAX_LENGTH);
  } catch (error) {
    throw new Bolt11Error("The text is not bech32: a character is wrong or missing.", { cause: error });
  }
}

function readReadablePart(prefix: string): { network: Network; amountMsat: bigint | null } {
  const [, currency = "", digits, unit = ""] = READABLE_PART.exec(prefix) ?? [];
  const network = NETWORK_OF[currency];
  if (network === undefined)
    throw new Bolt11Error("The text does not begin with a known network and amount.");
  if (digits === undefined) return { network, amountMsat: null };
  const tenths = BigInt(digits) * TENTHS_OF[unit as keyof typeof TENTHS_OF];
  if (tenths % 10n !== 0n) throw new Bolt11Error("The amount is finer than a millisatoshi.");
  return { network, amountMsat: tenths / 10n };
}

interface Field {
  type: number;
  words: readonly number[];
}

function readFields(words: readonly number[]): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < words.length;) {
    const [type, high, low] = words.slice(at, at + 3);
    if (type === undefined || high === undefined || low === undefined)
      throw new Bolt11Error("A field is truncated.");
    const end = at + 3 + high * 32 + low;
    if (end > words.length) throw new Bolt11Error("A field is truncated.");
    fields.push({ type, words: words.slice(at + 3, end) });
    at = end;
  }
  return fields;
}

/** A named payee must have signed, canonically (low S); else the signer is the payee. */
function payeeOf(message: Buffer, signature: Buffer, named: string | null): string {
  const hash = createHash("sha256").update(message).digest();
  const compact = signature.subarray(0, 64);
  try {
    if (named !== null) {
      if (secp256k1.verify(hash, Buffer.from(named, "hex"), compact, true)) return named;
    } else {
      const recoveryId = signature[64];
      const key =
        recoveryId === 0 || recoveryId === 1 || recoveryId === 2 || recoveryId === 3
          ? secp256k1.recover(hash, compact, recoveryId, true)
          : null;
      if (key !== null) return Buffer.from(key).toString("hex");
    }
  } catch (error) {
    throw new Bolt11Error("The signature or the payee's key is invalid.", { cause: error });
  }
  throw new Bolt11Error("The signature is wrong.");
}

function readRoute(words: readonly number[]): RouteHop[] {
  const bytes = wordsToBytes(words);
  return Array.from({ length: Math.floor(bytes.length / HOP_BYTES) }, (_, i) => {
    const hop = bytes.subarray(i * HOP_BYTES, (i + 1) * HOP_BYTES);
    return {
      nodeKey: hop.toString("hex", 0, 33),
      shortChannelId: hop.toString("hex", 33, 41),
      feeBaseMsat: hop.readUInt32BE(41),
      feeProportionalMillionths: hop.readUInt32BE(45),
      cltvExpiryDelta: hop.readUInt16BE(49),
    };
  });
}

function small(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Bolt11Error("A number in the text is too large.");
  return Number(value);
}
