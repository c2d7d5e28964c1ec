import { createHash } from "node:crypto";

/** What stands in a one-time link: random bytes in base64url. */
export function userLinkToken(random: Buffer): string {
  return random.toString("base64url");
}

/** What is kept of it: its SHA-256. 256 random bits need no salt. */
export function userLinkHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
