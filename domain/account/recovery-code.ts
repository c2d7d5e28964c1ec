import { createHash } from "node:crypto";

export const RECOVERY_CODES = 10;
/** 120 bits: a fast hash is enough (ASVS 5.0, 6.5.2 asks for 112). */
export const RECOVERY_CODE_BYTES = 15;

/** Without letters and digits that are easily confused (Crockford's base32). */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `XXXX-XXXX-XXXX-XXXX-XXXX-XXXX`. */
export function recoveryCode(random: Buffer): string {
  const bits = [...random].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET.charAt(parseInt(five, 2))).join("");
  return (letters.match(/.{4}/g) ?? []).join("-");
}

/** However it is typed: in lower case, without hyphens, O for 0, I and L for 1. */
export function recoveryCodeHash(code: string): Buffer {
  const typed = code.toUpperCase().replaceAll(/[\s-]/g, "");
  const read = typed.replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  return createHash("sha256").update(read).digest();
}
