import { createHash, timingSafeEqual } from "node:crypto";
import type { Network } from "../network";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = BigInt(ALPHABET.length);
const KEY_BYTES = 32;
/** 62^43 > 2^256. */
const BODY_LENGTH = 43;
/** 62^6 > 2^32. */
const CHECKSUM_LENGTH = 6;
const PREFIX_LENGTH = 8;
const SHAPE = /^(sk_live_|sk_test_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

function base62(bytes: Uint8Array, length: number): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; text.length < length; rest /= BASE) text = ALPHABET.charAt(Number(rest % BASE)) + text;
  return text;
}

function checksum(text: string): string {
  return base62(createHash("sha256").update(text).digest().subarray(0, 4), CHECKSUM_LENGTH);
}

/** The key of 32 random bytes: `sk_live_` (mainnet) or `sk_test_`, 43 base62 characters, 6 of checksum over all before. */
export function apiKeyText(network: Network, random: Uint8Array): string {
  if (random.length !== KEY_BYTES) throw new RangeError(`an API key is made of ${KEY_BYTES} bytes`);
  const text = (network === "mainnet" ? "sk_live_" : "sk_test_") + base62(random, BODY_LENGTH);
  return text + checksum(text);
}

/**
 * Hashes and prefix of a text in a key's format, null for any other: a mistyped or cut key is refused without a query.
 */
export function parseApiKey(text: string) {
  const [, head, body, sum] = SHAPE.exec(text) ?? [];
  if (head === undefined || body === undefined || sum !== checksum(head + body)) return null;
  return {
    /** SHA-256 of the whole text. A slow hash would add nothing: 256 random bits cannot be guessed. */
    hash: createHash("sha256").update(text).digest(),
    /** Instead of `hash` where a key has less than full access: a process of an older version does not find it. */
    lesserHash: createHash("sha256").update(`plugin:${text}`).digest(),
    prefix: body.slice(0, PREFIX_LENGTH),
  };
}

/** In constant time. */
export function apiKeyHashesEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
