import { Secret, TOTP } from "otpauth";

/** RFC 4226, section 4: at least 128 bits, 160 recommended. */
export const TOTP_SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Clocks differ and typing takes time: the step before and the one after are good too (RFC 6238, section 5.2). */
const WINDOW = 1;

/** What all authenticator apps know: SHA-1, six digits, 30 seconds. */
function totpOf(secret: string, label = ""): TOTP {
  return new TOTP({ issuer: "Quittance", label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
}

/** Base32, as apps take it typed in. */
export function totpSecret(random: Uint8Array<ArrayBuffer>): string {
  return new Secret({ buffer: random.slice().buffer }).base32;
}

/** The `otpauth:` URI that is shown as a QR code. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** Digits, however they are grouped. */
export function looksLikeTotp(code: string): boolean {
  return /^\d{6}$/.test(code.replaceAll(/\s/g, ""));
}

/**
 * The time step that a code is good for, or null. One at or before `lastStep` is not: a code that was seen over a
 * shoulder opens nothing (RFC 6238, section 5.2).
 */
export function acceptedStep(
  { secret, lastStep }: { secret: string; lastStep: number | null },
  code: string,
  now: Date,
): number | null {
  if (!looksLikeTotp(code)) return null;
  const token = code.replaceAll(/\s/g, "");
  const delta = totpOf(secret).validate({ token, timestamp: now.getTime(), window: WINDOW });
  if (delta === null) return null;
  const step = Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta;
  return lastStep !== null && step <= lastStep ? null : step;
}
