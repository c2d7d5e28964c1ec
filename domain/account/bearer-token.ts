import { createHash } from "node:crypto";

export const BEARER_TOKEN_BYTES = 32;

/** The value of a cookie or a one-time link: random bytes in base64url. */
export function bearerToken(random: Buffer): string {
  return random.toString("base64url");
}

/** SHA-256: 256 random bits need no salt. */
export function bearerTokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
